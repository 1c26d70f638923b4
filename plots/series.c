// SPDX-License-Identifier: MIT
#include "plots/series.h"

#include <math.h>
#include <string.h>

static bool near(double a, double b, double relative, double absolute)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	return fabs(a - b) <= absolute + relative * fmax(fabs(a), fabs(b));
}

static bool all_zero(const struct series *series)
{
	size_t i;

	for (i = 0; i < series->count; i++)
		if (series->y[i] != 0)
			return false;
	return true;
}

static bool same(const struct series *a, const struct series *b, const struct series_tolerance *t)
{
	size_t i;

	if (t->zeros_alike && all_zero(a) && all_zero(b))
		return true;
	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
		if (!near(a->x[i], b->x[i], t->relative_x, 0) ||
		    !near(a->y[i], b->y[i], t->relative_y, t->absolute_y))
			return false;
	return true;
}

size_t series_group(struct series *series, size_t count, const struct series_tolerance *tolerance)
{
	size_t i, j, groups = 0;

	for (i = 0; i < count; i++) {
		for (j = 0; j < i && !same(&series[j], &series[i], tolerance); j++)
			;
		series[i].group = j < i ? series[j].group : groups++;
	}
	return groups;
}

void series_title(const struct series *series, size_t count, size_t group,
		  char title[SERIES_TITLE_BYTES])
{
	size_t i, used = 0, left = 0;
	/* Room for the " + 18446744073709551615 more" that may have to follow. */
	const size_t room = SERIES_TITLE_BYTES - 32;

	title[0] = '\0';
	for (i = 0; i < count; i++) {
		if (series[i].group != group)
			continue;
		if (left || used + strlen(series[i].label) + 2 >= room) {
			left++;
			continue;
		}
		used += (size_t)snprintf(title + used, SERIES_TITLE_BYTES - used, "%s%s",
					 used ? ", " : "", series[i].label);
	}
	if (left)
		snprintf(title + used, SERIES_TITLE_BYTES - used, " + %zu more", left);
}

void series_titles(FILE *vars, const char *name, const struct series *series, size_t count,
		   size_t groups)
{
	char title[SERIES_TITLE_BYTES];
	size_t group;

	fprintf(vars, "array %s[%zu] = [", name, groups);
	for (group = 0; group < groups; group++) {
		series_title(series, count, group, title);
		fprintf(vars, "%s'%s'", group ? ", " : "", title);
	}
	fprintf(vars, "]\n");
}
