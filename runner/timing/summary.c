// SPDX-License-Identifier: MIT
#include "runner/timing/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/timing/cell.h"
#include "base/terminal.h"

double summary_median(const json_t *rows, const char *row, const char *workload, const char *key)
{
	const struct samples_cell cell = { row, workload };
	double median = samples_median(rows, &cell, key, NULL).middle;

	return isnan(median) ? -1 : median;
}

double summary_ratio(const json_t *rows, const struct samples_cell *cell,
		     const struct samples_cell *base, const char *key)
{
	double median = samples_median(rows, cell, key, base).middle;

	return isnan(median) ? -1 : median;
}

static json_t *known(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *known_error(double ticks)
{
	return ticks < 0 ? json_null() : json_real(ticks);
}

/* Sets name, name_low and name_high to median and quartiles, or to null. */
static void set_spread(json_t *line, const char *name, struct samples samples)
{
	static const char *const suffix[] = { "_low", "", "_high" };
	char key[64];
	int i;

	for (i = 0; i < 3; i++) {
		snprintf(key, sizeof(key), "%s%s", name, suffix[i]);
		json_object_set_new(
			line, key,
			known(stats_quantile(samples.value, samples.count, 0.25 + 0.25 * i)));
	}
	samples_free(&samples);
}

static void set_median(json_t *line, const json_t *rows, const struct summary_row *about,
		       const char *key)
{
	const struct samples_cell cell = { about->row, about->workload };

	json_object_set_new(line, key, known(samples_median(rows, &cell, key, NULL).middle));
}

void summary_set_noise(json_t *line, const struct stats_interval *ratio, double half_width)
{
	double half = stats_half_width(ratio);

	json_object_set_new(line, "ratio_95_low", known(ratio->low));
	json_object_set_new(line, "ratio_95_high", known(ratio->high));
	json_object_set_new(line, "noisy", json_boolean(!(half <= half_width)));
}

/* Sets name, name_95_low and name_95_high, of samples that are freed. */
static void set_interval(json_t *line, const char *name, struct samples samples)
{
	struct stats_interval interval = stats_median(samples.value, samples.count);
	char key[64];

	json_object_set_new(line, name, known(interval.middle));
	snprintf(key, sizeof(key), "%s_95_low", name);
	json_object_set_new(line, key, known(interval.low));
	snprintf(key, sizeof(key), "%s_95_high", name);
	json_object_set_new(line, key, known(interval.high));
	samples_free(&samples);
}

/* To the floor of the row's own form, in cells of `workload`. */
static void set_own_ratio(json_t *line, const char *name, const json_t *rows,
			  const struct summary_row *about, const char *workload, const char *basis)
{
	const struct samples_cell cell = { about->row, workload };
	const struct samples_cell floor = { about->floor, workload };

	if (about->floor)
		set_interval(line, name, samples_collect(rows, &cell, basis, &floor));
	else
		set_interval(line, name, (struct samples){ .value = NULL });
}

/* What else is known of the times of a cell: see SCHEMA.md. */
static void set_second_figures(json_t *line, const json_t *rows, const struct summary_row *about,
			       const char *basis)
{
	const struct samples_cell cell = { about->row, about->workload };
	const struct samples_cell clock = { CELL_CLOCK, about->workload };
	const struct samples_cell cheap = { about->row, about->cheap };
	struct samples none = { .value = NULL };
	const char *cheap_basis;

	json_object_set_new(line, "floor", about->floor ? json_string(about->floor) : json_null());
	set_own_ratio(line, "ratio_own", rows, about, about->workload, basis);
	set_interval(line, "above_clock_ns",
		     about->floor ? samples_above(rows, &cell, "ns", &clock) : none);
	set_interval(line, "left_out_ns", samples_within(rows, &cell, "mean_ns", "ns"));
	set_interval(line, "cheap_ratio",
		     about->cheap ? samples_to_floor(rows, &cheap, &cheap_basis) : none);
	set_interval(line, "cheap_ns",
		     about->cheap ? samples_collect(rows, &cheap, "ns", NULL) : none);
	if (about->cheap)
		set_own_ratio(line, "cheap_ratio_own", rows, about, about->cheap, basis);
}

/*
 * Do ns and ratio say the same? Where disturbed repetitions had to be taken for want of others, the
 * ratio is to floors that were disturbed with them, and the ns stand beside a floor's that were
 * not.
 */
static bool disagrees(const json_t *rows, const struct summary_row *about, double ns, double ratio)
{
	double floor = summary_median(rows, SAMPLES_FLOOR, about->workload, "ns");

	return floor > 0 && ratio > 0 && fabs(ns / floor / ratio - 1) > about->half_width;
}

/* Headers hold an id or not; what they would be with one of equal meaning. */
static void set_header_bytes(json_t *line, const json_t *rows, const struct summary_row *about)
{
	const json_t *header;

	set_median(line, rows, about, "header_bytes");
	header = json_object_get(line, "header_bytes");
	json_object_set_new(line, "id_bytes_added", json_real(about->id_bytes));
	json_object_set_new(line, "header_id_bytes",
			    json_is_number(header) ?
				    json_real(json_number_value(header) + about->id_bytes) :
				    json_null());
}

json_t *summary_line(const json_t *rows, const struct summary_row *about)
{
	const struct samples_cell cell = { about->row, about->workload };
	struct samples ns = samples_collect(rows, &cell, "ns", NULL);
	const char *basis;
	struct samples ratio = samples_to_floor(rows, &cell, &basis);
	struct stats_interval interval;
	json_t *line;

	if (!ns.count) {
		samples_free(&ns);
		samples_free(&ratio);
		return NULL;
	}
	interval = stats_median(ratio.value, ratio.count);
	line = json_pack("{s:s, s:s, s:s, s:s?, s:f, s:f, s:f, s:s, s:i, s:i}", "row", about->row,
			 "workload", about->workload, "verdict", about->verdict, "why", about->why,
			 "clock_reads", about->clock_reads, "atomics", about->atomics, "extended",
			 about->extended, "ratio_basis", basis, "repetitions",
			 (int)(ns.count + ns.left_out), "disturbed", (int)ns.left_out);
	json_object_set_new(line, "worst_error_ticks", known_error(about->worst_error_ticks));
	json_object_set_new(line, "void_error_ticks", known_error(about->void_error_ticks));
	summary_set_noise(line, &interval, about->half_width);
	json_object_set_new(line, "mixed", json_boolean(ns.mixed || ratio.mixed));
	json_object_set_new(
		line, "disagrees",
		json_boolean(disagrees(rows, about, stats_quantile(ns.value, ns.count, 0.5),
				       interval.middle)));
	set_second_figures(line, rows, about, basis);
	set_spread(line, "ns", ns);
	set_spread(line, "ratio", ratio);
	set_spread(line, "cycles", samples_collect(rows, &cell, "cycles", NULL));
	set_median(line, rows, about, "ticks");
	set_median(line, rows, about, "instructions");
	json_object_set_new(line, "instructions_source", json_string("cpu counter"));
	if (json_is_null(json_object_get(line, "instructions")) && about->instructions >= 0) {
		json_object_set_new(line, "instructions", json_real(about->instructions));
		json_object_set_new(line, "instructions_source", json_string("single-step"));
	}
	set_median(line, rows, about, "bytes");
	set_header_bytes(line, rows, about);
	set_median(line, rows, about, "payload_bytes");
	set_median(line, rows, about, "subbuf_bytes");
	set_median(line, rows, about, "alignment_bytes");
	return line;
}

#define NAME_LEAST 22
#define NAME_MOST 25

/* A number in `width` columns with `digits` decimals, or n/a. */
static void print_number(FILE *out, const json_t *line, const char *key, int width, int digits)
{
	const json_t *value = json_object_get(line, key);

	if (json_is_number(value))
		fprintf(out, " %*.*f", width, digits, json_number_value(value));
	else
		fprintf(out, " %*s", width, "n/a");
}

/* Half of the 95 % interval in percent, and what is to be said of the figures. */
static void print_half_width(FILE *out, const json_t *line)
{
	struct stats_interval interval = {
		json_number_value(json_object_get(line, "ratio")),
		json_number_value(json_object_get(line, "ratio_95_low")),
		json_number_value(json_object_get(line, "ratio_95_high")),
	};
	double half = 100 * stats_half_width(&interval);

	if (json_is_number(json_object_get(line, "ratio_95_low")))
		fprintf(out, half < 9.95 ? " %3.1f%%" : " %3.0f%%", half);
	else
		fprintf(out, " %4s", "n/a");
}

/* ~ the ratio is not known well; ! ns and ratio are of different repetitions. */
static const char *mark_of(const json_t *line)
{
	if (json_is_true(json_object_get(line, "disagrees")))
		return "!";
	return json_is_true(json_object_get(line, "noisy")) ? "~" : "";
}

/* Header bytes with an id; + where the row's own headers hold none. */
static void print_header(FILE *out, const json_t *line)
{
	const json_t *value = json_object_get(line, "header_id_bytes");
	bool added = json_number_value(json_object_get(line, "id_bytes_added")) > 0;

	if (json_is_number(value))
		fprintf(out, " %4.1f%c", json_number_value(value), added ? '+' : ' ');
	else
		fprintf(out, " %4s ", "n/a");
}

static enum terminal_colour colour_of(const char *verdict)
{
	if (!strcmp(verdict, "kept"))
		return TERMINAL_GOOD;
	return !strcmp(verdict, "broken") ? TERMINAL_BAD : TERMINAL_PLAIN;
}

static void print_line(FILE *out, const json_t *line, int width)
{
	const json_t *error = json_object_get(line, "worst_error_ticks");
	const json_t *void_error = json_object_get(line, "void_error_ticks");
	const char *verdict = json_string_value(json_object_get(line, "verdict"));

	fprintf(out, "%-*.*s ", width, width, json_string_value(json_object_get(line, "row")));
	terminal_print(out, colour_of(verdict), -16, verdict);
	/* What was read where a need was not met is nobody's error. */
	if (!json_is_number(error) && json_is_number(void_error))
		fprintf(out, " %7s", "void");
	else if (json_is_number(error) && json_number_value(error) >= 1e6)
		fprintf(out, " %7.1e", json_number_value(error));
	else
		print_number(out, line, "worst_error_ticks", 7, 0);
	print_header(out, line);
	print_number(out, line, "ns", 5, 1);
	print_number(out, line, "above_clock_ns", 5, 1);
	print_number(out, line, "instructions", 5, 1);
	print_number(out, line, "atomics", 5, 2);
	print_number(out, line, "ratio", 6, 3);
	print_half_width(out, line);
	print_number(out, line, "cheap_ratio", 5, 2);
	fprintf(out, "%s\n", mark_of(line));
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
	const char *workload = "", *its;
	const json_t *line;
	size_t i;

	json_array_foreach(lines, i, line) {
		its = json_string_value(json_object_get(line, "workload"));
		if (strcmp(its, workload))
			fprintf(out, "%s%-*s %-15s%9s %5s %5s %5s %5s %5s %11s %5s\n",
				i ? "\n" : "", width, its, "verdict", "worst err", "h+id ", "ns",
				"above", "instr", "atoms", "ratio (95%)", "cheap");
		workload = its;
		print_line(out, line, width);
	}
}
