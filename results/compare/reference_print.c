// SPDX-License-Identifier: MIT
/* How a run differs from a reference, in a few lines. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "results/compare/comparison.h"
#include "results/compare/reference.h"
#include "results/samples.h"
#include "base/json.h"

#define COLUMNS 100
#define MORE_BYTES 16 /* "; and 1234 more" */

/* One line of the output; what has no room is counted. */
struct reference_line {
	char text[COLUMNS + 1];
	size_t length;
	size_t items;
	size_t left_out;
};

__attribute__((format(printf, 2, 3))) static void add(struct reference_line *line,
						      const char *format, ...)
{
	char item[COLUMNS];
	size_t length;
	va_list args;

	va_start(args, format);
	vsnprintf(item, sizeof(item), format, args);
	va_end(args);
	length = strlen(item) + (line->items ? 2 : 1);
	if (line->left_out || line->length + length + MORE_BYTES > COLUMNS) {
		line->left_out++;
		return;
	}
	line->length +=
		(size_t)snprintf(line->text + line->length, sizeof(line->text) - line->length,
				 "%s%s", line->items ? "; " : " ", item);
	line->items++;
}

static void begin(struct reference_line *line, const char *what)
{
	*line = (struct reference_line){ .length = strlen(what) };
	snprintf(line->text, sizeof(line->text), "%s", what);
}

static size_t end(FILE *out, const struct reference_line *line)
{
	if (!line->items && !line->left_out)
		return 0;
	fputs(line->text, out);
	if (line->left_out)
		fprintf(out, "; and %zu more", line->left_out);
	fputc('\n', out);
	return 1;
}

/* A row in both, and its ratios to the common floor; middle is NAN where one has none. */
struct pair {
	const char *row;
	const json_t *here;
	const json_t *there;
	struct stats_interval ratio_here;
	struct stats_interval ratio_there;
};

/* Ratios of core cycles and of ticks are not compared: floor is NULL, then. */
static struct stats_interval ratio_of(const json_t *row, const char *floor)
{
	const json_t *ratio = json_object_get(json_object_get(row, "ratio"), floor ? floor : "");
	double part[3];
	size_t i;

	for (i = 0; i < 3; i++)
		part[i] = json_is_number(json_array_get(ratio, i)) ?
				  json_number_value(json_array_get(ratio, i)) :
				  NAN;
	return (struct stats_interval){ part[0], part[1], part[2] };
}

static const json_t *row_of(const json_t *reference, const char *row)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(reference, "rows"), i, one)
		if (!strcmp(json_text(one, "row"), row))
			return one;
	return NULL;
}

/* The floor that both have ratios to, the newer one first; NULL: none. */
static const char *common_floor(const json_t *mine, const json_t *theirs)
{
	static const char *const floors[] = { SAMPLES_FLOOR, SAMPLES_FLOOR_OLD };
	size_t i;

	for (i = 0; i < 2; i++)
		if (row_of(mine, floors[i]) && row_of(theirs, floors[i]))
			return floors[i];
	return NULL;
}

/* NAN, an unknown end, is on neither side: nothing is said then. */
static bool below(const struct stats_interval *a, const struct stats_interval *b)
{
	return a->high < b->low;
}

static double apart(const struct pair *pair)
{
	if (!below(&pair->ratio_here, &pair->ratio_there) &&
	    !below(&pair->ratio_there, &pair->ratio_here))
		return 0;
	return fabs(log(pair->ratio_here.middle / pair->ratio_there.middle));
}

static int by_difference(const void *a, const void *b)
{
	double left = apart(a), right = apart(b);

	return (left < right) - (left > right);
}

/* Free it. */
static struct pair *make_pairs(const json_t *mine, const json_t *theirs, const char *floor,
			       size_t *count)
{
	const json_t *rows = json_object_get(mine, "rows"), *one, *there;
	struct pair *pairs = calloc(json_array_size(rows) + 1, sizeof(*pairs));
	const char *same;
	size_t i;

	*count = 0;
	json_array_foreach(rows, i, one) {
		there = row_of(theirs, json_text(one, "row"));
		if (!pairs || !there)
			continue;
		same = strcmp(json_text(one, "ratio_basis"), json_text(there, "ratio_basis")) ?
			       NULL :
			       floor;
		pairs[(*count)++] = (struct pair){ json_text(one, "row"), one, there,
						   ratio_of(one, same), ratio_of(there, same) };
	}
	if (pairs)
		qsort(pairs, *count, sizeof(*pairs), by_difference);
	return pairs;
}

static size_t print_ratios(FILE *out, const struct pair *pairs, size_t count)
{
	struct reference_line line;
	size_t i;

	begin(&line, "  ratio, here and there:");
	for (i = 0; i < count && apart(&pairs[i]) > 0; i++)
		add(&line, "%.28s %.3f, %.3f", pairs[i].row, pairs[i].ratio_here.middle,
		    pairs[i].ratio_there.middle);
	return end(out, &line);
}

/* Two rows whose order is certain in both and not the same. */
static size_t print_ranking(FILE *out, const struct pair *pairs, size_t count)
{
	struct reference_line line;
	size_t i, k;

	begin(&line, "  ranked the other way there:");
	for (i = 0; i < count; i++)
		for (k = 0; k < count; k++)
			if (below(&pairs[i].ratio_here, &pairs[k].ratio_here) &&
			    below(&pairs[k].ratio_there, &pairs[i].ratio_there))
				add(&line, "%.28s before %.28s", pairs[i].row, pairs[k].row);
	return end(out, &line);
}

/* How far a printed figure may be from what was printed. */
static double rounding(const json_t *theirs, const char *key)
{
	return json_number_value(json_object_get(json_object_get(theirs, "rounding"), key));
}

/* The rounding of both sides; a number that one of them does not know is not compared. */
static size_t print_exact(FILE *out, const struct pair *pairs, size_t count, const char *key,
			  double tolerance)
{
	struct reference_line line;
	char what[40];
	size_t i;

	snprintf(what, sizeof(what), "  %s, here and there:", key);
	begin(&line, what);
	for (i = 0; i < count; i++) {
		const json_t *a = json_object_get(pairs[i].here, key);
		const json_t *b = json_object_get(pairs[i].there, key);

		if (json_is_string(a) && json_is_string(b) && !json_equal(a, b))
			add(&line, "%.28s %.16s, %.16s", pairs[i].row, json_string_value(a),
			    json_string_value(b));
		else if (json_is_number(a) && json_is_number(b) &&
			 fabs(json_number_value(a) - json_number_value(b)) > tolerance)
			add(&line, "%.28s %.2f, %.2f", pairs[i].row, json_number_value(a),
			    json_number_value(b));
	}
	return end(out, &line);
}

static void print_head(FILE *out, const json_t *mine, const json_t *theirs,
		       enum reference_near near, const char *floor)
{
	const char *revision = json_text(json_object_get(mine, "of"), "revision");
	char title[128];

	reference_title(theirs, title, sizeof(title));
	fprintf(out, "\nnearest reference, %s: %s\n",
		near == REFERENCE_MODEL ? "the same CPU model" : "the same vendor", title);
	if (strcmp(revision, json_text(json_object_get(theirs, "of"), "revision")))
		fprintf(out, "  of other code than this run's: what differs may be that\n");
	if (floor)
		fprintf(out, "  ratios are to %s, in both\n", floor);
	else
		fputs("  no floor in common: ratios are not compared\n", out);
}

void reference_print(FILE *out, const json_t *all, const json_t *mine)
{
	enum reference_near near;
	const json_t *theirs = reference_nearest(all, mine, &near);
	const char *floor = theirs ? common_floor(mine, theirs) : NULL;
	struct pair *pairs;
	size_t count, lines;

	if (!theirs) {
		fputs("\nno reference of this vendor's CPUs; build/compare --contribute RUN makes "
		      "one\n",
		      out);
		return;
	}
	print_head(out, mine, theirs, near, floor);
	pairs = make_pairs(mine, theirs, floor, &count);
	lines = print_ratios(out, pairs, count) + print_ranking(out, pairs, count) +
		print_exact(out, pairs, count, "verdict", 0) +
		print_exact(out, pairs, count, "instructions",
			    COMPARISON_STEPS + rounding(theirs, "instructions")) +
		print_exact(out, pairs, count, "bytes", 1e-4 + rounding(theirs, "bytes"));
	if (!lines)
		fprintf(out, "  nothing differs by more than the intervals allow, in %zu rows\n",
			count);
	free(pairs);
}
