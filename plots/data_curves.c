// SPDX-License-Identifier: MIT
/* Data of the plots with a curve per row: bytes by rate, wraps lost to a late beat. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/data.h"
#include "plots/output.h"
#include "plots/series.h"

struct curves {
	struct series *series;
	double *numbers; /* what the series point into */
	size_t count;
};

/* Room for `count` curves of `points` points in all, two numbers each. */
static int curves_begin(struct curves *curves, size_t count, size_t points)
{
	curves->series = calloc(count + 1, sizeof(*curves->series));
	curves->numbers = calloc(2 * points + 1, sizeof(*curves->numbers));
	curves->count = 0;
	return curves->series && curves->numbers ? 0 : -1;
}

static void curves_end(struct curves *curves)
{
	free(curves->series);
	free(curves->numbers);
}

static int compare_rates(const void *a, const void *b)
{
	const struct rate_point *left = *(const struct rate_point *const *)a;
	const struct rate_point *right = *(const struct rate_point *const *)b;
	int order = strcmp(left->row, right->row);

	if (order)
		return order;
	return (left->events_per_second > right->events_per_second) -
	       (left->events_per_second < right->events_per_second);
}

/* The layouts of 2007 are many, and have a plot of their own. */
static bool is_layout(const char *row)
{
	return !strncmp(row, "layout_", strlen("layout_"));
}

/* Points that can stand on logarithmic axes, of layouts or of all others, by row and rate. */
static size_t usable_rates(const struct run *run, bool layouts, const struct rate_point **points)
{
	size_t i, count = 0;

	for (i = 0; i < run->rate_count; i++)
		if (is_layout(run->rates[i].row) == layouts &&
		    run->rates[i].events_per_second > 0 &&
		    run->rates[i].header_bytes_per_second > 0)
			points[count++] = &run->rates[i];
	qsort(points, count, sizeof(*points), compare_rates);
	return count;
}

/* One curve per row, out of points that are sorted by row. */
static void rate_curves(struct curves *curves, const struct rate_point **points, size_t count)
{
	double *x = curves->numbers, *y = x + count;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!i || strcmp(points[i]->row, points[i - 1]->row)) {
			struct series *series = &curves->series[curves->count++];

			/* All of that plot are layouts: no need to say it of each. */
			text_row_label(series->label, points[i]->row +
				       (is_layout(points[i]->row) ? strlen("layout_") : 0),
				       NAN);
			series->x = x + i;
			series->y = y + i;
		}
		x[i] = points[i]->events_per_second;
		y[i] = points[i]->header_bytes_per_second;
		curves->series[curves->count - 1].count++;
	}
}

/* Blocks of one group each, two blank lines apart, which gnuplot tells apart by index. */
static void write_groups(FILE *dat, const struct curves *curves, size_t groups, bool per_event)
{
	size_t group, i, j;

	for (group = 0; group < groups; group++) {
		if (group)
			fputs("\n\n", dat);
		for (i = 0; i < curves->count; i++) {
			const struct series *series = &curves->series[i];

			if (series->group != group)
				continue;
			for (j = 0; j < series->count; j++) {
				data_number(dat, series->x[j]);
				data_number(dat, series->y[j]);
				if (per_event)
					data_number(dat, series->y[j] / series->x[j]);
				fprintf(dat, " \"%s\"\n", series->label);
			}
			/* One blank line: the pen is lifted between rows of a group. */
			fputc('\n', dat);
		}
	}
}

/* The rate of the clock the points were made with: their own, else the machine's. */
static double rate_hz(const struct run *run, const struct rate_point **points, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (points[i]->tsc_hz > 0)
			return points[i]->tsc_hz;
	return run->machine.tsc_hz;
}

static void set_of(FILE *vars, const char *plot, const char *what, double value)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%s", plot, what);
	data_set(vars, name, value);
}

static void write_rate_vars(const struct run *run, const struct rate_point **points, size_t count,
			    const char *plot, FILE *vars)
{
	double least = NAN, most = NAN;
	size_t i;

	for (i = 0; i < count; i++) {
		least = fmin(least, points[i]->events_per_second);
		most = fmax(most, points[i]->events_per_second);
	}
	set_of(vars, plot, "hz", rate_hz(run, points, count));
	set_of(vars, plot, "least", least);
	set_of(vars, plot, "most", most);
}

static int write_rates(const struct run *run, bool layouts, FILE *dat, FILE *vars)
{
	const char *plot = layouts ? "layouts" : "rate";
	char titles[32];
	static const struct series_tolerance tolerance = { 1e-6, 1e-3, 0, false };
	const struct rate_point **points = calloc(run->rate_count + 1, sizeof(*points));
	size_t count = points ? usable_rates(run, layouts, points) : 0, groups;
	struct curves curves = { 0 };
	int shown = -1;

	if (!points || curves_begin(&curves, count, count)) {
		output_fail_memory();
		goto end;
	}
	rate_curves(&curves, points, count);
	groups = series_group(curves.series, curves.count, &tolerance);
	fprintf(dat, "# header bytes by event rate, on the virtual clock: 1 events per second, 2 "
		"header bytes per second,\n# 3 header bytes per event, 4 row; rows with the same "
		"figures are one block\n");
	write_groups(dat, &curves, groups, true);
	set_of(vars, plot, "groups", (double)groups);
	write_rate_vars(run, points, count, plot, vars);
	snprintf(titles, sizeof(titles), "%s_titles", plot);
	if (groups)
		series_titles(vars, titles, curves.series, curves.count, groups);
	shown = (int)curves.count;
end:
	curves_end(&curves);
	free(points);
	return shown;
}

int data_rate(const struct run *run, FILE *dat, FILE *vars)
{
	return write_rates(run, false, dat, vars);
}

int data_layouts(const struct run *run, FILE *dat, FILE *vars)
{
	return write_rates(run, true, dat, vars);
}

/* Adds the row's curve, unless no step of it was measured. `used`: numbers of the rows before. */
static void late_curve(struct curves *curves, const struct late_row *row, size_t used, double bits)
{
	struct series *series = &curves->series[curves->count];
	double *x = curves->numbers + used, *y = x + row->step_count;
	size_t i;

	text_row_label(series->label, row->row, bits);
	series->x = x;
	series->y = y;
	series->count = 0;
	for (i = 0; i < row->step_count; i++) {
		if (isnan(row->steps[i].gap_wraps) || isnan(row->steps[i].wraps_lost))
			continue;
		x[series->count] = row->steps[i].gap_wraps;
		y[series->count++] = row->steps[i].wraps_lost;
	}
	curves->count += series->count > 0;
}

/* The row's width if it ran at several, so that its name alone does not do; else NAN. */
static double late_bits(const struct run *run, const struct late_row *row)
{
	size_t i;

	for (i = 0; i < run->late_count; i++)
		if (&run->late[i] != row && !strcmp(run->late[i].row, row->row))
			return row->bits;
	return NAN;
}

static void write_late_vars(FILE *vars, const struct curves *curves, size_t groups)
{
	double lost = 0, gap = 0, least = NAN;
	size_t i, j;

	for (i = 0; i < curves->count; i++) {
		for (j = 0; j < curves->series[i].count; j++) {
			lost = fmax(lost, curves->series[i].y[j]);
			gap = fmax(gap, curves->series[i].x[j]);
			if (curves->series[i].x[j] > 0)
				least = fmin(least, curves->series[i].x[j]);
		}
	}
	data_set(vars, "late_groups", (double)groups);
	data_set(vars, "late_lost", lost);
	data_set(vars, "late_gap", gap);
	data_set(vars, "late_least", least);
	if (groups)
		series_titles(vars, "late_titles", curves->series, curves->count, groups);
}

int data_late_beat(const struct run *run, FILE *dat, FILE *vars)
{
	/* Gaps are measured, so the same lateness is not the same number twice. */
	static const struct series_tolerance tolerance = { 0.03, 0, 0.05, true };
	size_t i, steps = 0, used = 0, groups;
	struct curves curves;
	int shown = -1;

	for (i = 0; i < run->late_count; i++)
		steps += run->late[i].step_count;
	if (curves_begin(&curves, run->late_count, steps)) {
		output_fail_memory();
		goto end;
	}
	for (i = 0; i < run->late_count; i++) {
		late_curve(&curves, &run->late[i], used, late_bits(run, &run->late[i]));
		used += 2 * run->late[i].step_count;
	}
	groups = series_group(curves.series, curves.count, &tolerance);
	fprintf(dat, "# a beat that comes late: 1 measured gap [wraps], 2 wraps lost by the event "
		"after it (mean), 3 row;\n# rows with the same figures are one block\n");
	write_groups(dat, &curves, groups, false);
	write_late_vars(vars, &curves, groups);
	shown = (int)curves.count;
end:
	curves_end(&curves);
	return shown;
}
