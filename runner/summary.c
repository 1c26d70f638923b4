// SPDX-License-Identifier: MIT
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOOR "floor"

struct series {
	double *value;
	size_t count;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The part-quantile of a sorted series, between neighbours in proportion. */
static double quantile(const struct series *series, double part)
{
	double at = part * (double)(series->count - 1);
	size_t below = (size_t)at;

	if (below + 1 >= series->count)
		return series->value[series->count - 1];
	return series->value[below] +
	       (at - (double)below) * (series->value[below + 1] - series->value[below]);
}

static int is_cell(const json_t *repetition, const struct summary_cell *cell)
{
	const char *its_row = json_string_value(json_object_get(repetition, "row"));
	const char *its_workload = json_string_value(json_object_get(repetition, "workload"));

	return its_row && its_workload && !strcmp(its_row, cell->row) &&
	       !strcmp(its_workload, cell->workload);
}

/* `key` of a cell, divided by that of `base` in the same round unless that is NULL; sorted. */
static struct series collect(const json_t *rows, const struct summary_cell *cell, const char *key,
			     const struct summary_cell *base)
{
	struct series series = { .value = calloc(json_array_size(rows) + 1, sizeof(double)) };
	const json_t *one, *other, *value, *below;
	size_t i, j;

	json_array_foreach(rows, i, one) {
		value = json_object_get(one, key);
		if (!series.value || !is_cell(one, cell) || !json_is_number(value))
			continue;
		if (!base) {
			series.value[series.count++] = json_number_value(value);
			continue;
		}
		json_array_foreach(rows, j, other) {
			below = json_object_get(other, key);
			if (is_cell(other, base) && json_number_value(below) > 0 &&
			    json_equal(json_object_get(one, "repetition_index"),
				       json_object_get(other, "repetition_index")))
				series.value[series.count++] =
					json_number_value(value) / json_number_value(below);
		}
	}
	if (series.count)
		qsort(series.value, series.count, sizeof(double), by_value);
	return series;
}

double summary_median(const json_t *rows, const char *row, const char *workload, const char *key)
{
	const struct summary_cell cell = { row, workload };
	struct series series = collect(rows, &cell, key, NULL);
	double median = series.count ? quantile(&series, 0.5) : -1;

	free(series.value);
	return median;
}

double summary_ratio(const json_t *rows, const struct summary_cell *cell,
		     const struct summary_cell *base, const char *key)
{
	struct series series = collect(rows, cell, key, base);
	double median = series.count ? quantile(&series, 0.5) : -1;

	free(series.value);
	return median;
}

/* Sets name, name_low and name_high to median and quartiles, or to null. */
static void set_spread(json_t *line, const char *name, struct series series)
{
	static const char *const suffix[] = { "_low", "", "_high" };
	char key[64];
	int i;

	for (i = 0; i < 3; i++) {
		snprintf(key, sizeof(key), "%s%s", name, suffix[i]);
		json_object_set_new(line, key,
				    series.count ? json_real(quantile(&series, 0.25 + 0.25 * i)) :
						   json_null());
	}
	free(series.value);
}

static void set_median(json_t *line, const json_t *rows, const struct summary_row *about,
		       const char *key)
{
	const struct summary_cell cell = { about->row, about->workload };
	struct series series = collect(rows, &cell, key, NULL);

	json_object_set_new(line, key,
			    series.count ? json_real(quantile(&series, 0.5)) : json_null());
	free(series.value);
}

json_t *summary_line(const json_t *rows, const struct summary_row *about)
{
	const struct summary_cell cell = { about->row, about->workload };
	const struct summary_cell floor = { FLOOR, about->workload };
	struct series ns = collect(rows, &cell, "cpu_time", NULL);
	struct series ratio = collect(rows, &cell, "cycles", &floor);
	const char *basis = "cycles";
	json_t *line;

	if (!ns.count) {
		free(ns.value);
		free(ratio.value);
		return NULL;
	}
	if (!ratio.count) {
		free(ratio.value);
		ratio = collect(rows, &cell, "ticks", &floor);
		basis = "ticks";
	}
	line = json_pack("{s:s, s:s, s:s, s:s?, s:f, s:f, s:f, s:s, s:i}", "row", about->row,
			 "workload", about->workload, "verdict", about->verdict, "why", about->why,
			 "clock_reads", about->clock_reads, "atomics", about->atomics, "extended",
			 about->extended, "ratio_basis", basis, "repetitions", (int)ns.count);
	json_object_set_new(line, "worst_error_ticks",
			    about->worst_error_ticks < 0 ? json_null() :
							   json_real(about->worst_error_ticks));
	set_spread(line, "ns", ns);
	set_spread(line, "ratio", ratio);
	set_spread(line, "cycles", collect(rows, &cell, "cycles", NULL));
	set_median(line, rows, about, "ticks");
	set_median(line, rows, about, "instructions");
	json_object_set_new(line, "instructions_source", json_string("cpu counter"));
	if (json_is_null(json_object_get(line, "instructions")) && about->instructions >= 0) {
		json_object_set_new(line, "instructions", json_real(about->instructions));
		json_object_set_new(line, "instructions_source", json_string("single-step"));
	}
	set_median(line, rows, about, "bytes");
	set_median(line, rows, about, "header_bytes");
	set_median(line, rows, about, "payload_bytes");
	set_median(line, rows, about, "subbuf_bytes");
	set_median(line, rows, about, "alignment_bytes");
	return line;
}

#define NAME_LEAST 22
#define NAME_MOST 29

/* A number in `width` columns with `digits` decimals, or n/a. */
static void print_number(FILE *out, const json_t *line, const char *key, int width, int digits)
{
	const json_t *value = json_object_get(line, key);

	if (json_is_number(value))
		fprintf(out, " %*.*f", width, digits, json_number_value(value));
	else
		fprintf(out, " %*s", width, "n/a");
}

static void print_line(FILE *out, const json_t *line, int width, const char *basis)
{
	const json_t *error = json_object_get(line, "worst_error_ticks");

	fprintf(out, "%-*.*s %-12.12s", width, width,
		json_string_value(json_object_get(line, "row")),
		json_string_value(json_object_get(line, "verdict")));
	if (json_is_number(error) && json_number_value(error) >= 1e6)
		fprintf(out, " %7.1e", json_number_value(error));
	else
		print_number(out, line, "worst_error_ticks", 7, 0);
	print_number(out, line, "bytes", 5, 1);
	print_number(out, line, "ns", 5, 1);
	print_number(out, line, basis, 6, 1);
	print_number(out, line, "instructions", 5, 1);
	print_number(out, line, "clock_reads", 5, 2);
	print_number(out, line, "atomics", 5, 2);
	print_number(out, line, "ratio", 6, 3);
	fprintf(out, " %4.1f%%\n",
		50 * (json_number_value(json_object_get(line, "ratio_high")) -
		      json_number_value(json_object_get(line, "ratio_low"))) /
			fmax(json_number_value(json_object_get(line, "ratio")), 1e-9));
}

/* Columns of names: two rows must not look alike for want of room; 100 are a line. */
static int name_width(const json_t *lines)
{
	size_t longest = NAME_LEAST, i;
	const json_t *line;

	json_array_foreach(lines, i, line) {
		size_t length = json_string_length(json_object_get(line, "row"));

		longest = length > longest ? length : longest;
	}
	return (int)(longest > NAME_MOST ? NAME_MOST : longest);
}

void summary_print(FILE *out, const json_t *lines)
{
	int width = name_width(lines);
	const char *basis = "cycles", *workload = "", *its;
	const json_t *line;
	size_t i;

	/* Without a PMU the time in ticks of the clock stands where the cycles would. */
	line = json_array_get(lines, 0);
	if (line && !json_is_number(json_object_get(line, "cycles")))
		basis = "ticks";
	json_array_foreach(lines, i, line) {
		its = json_string_value(json_object_get(line, "workload"));
		if (strcmp(its, workload))
			fprintf(out, "%s%-*s %-11s%9s %5s %5s %6s %5s %5s %5s %12s\n",
				i ? "\n" : "", width, its, "verdict", "worst err", "bytes",
				"ns", basis, "instr", "reads", "atoms", "ratio (IQR)");
		workload = its;
		print_line(out, line, width, basis);
	}
}
