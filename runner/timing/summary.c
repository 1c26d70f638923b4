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

static void set(json_t *line, const char *key, const char *end, double value)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", key, end);
	json_object_set_new(line, name, isfinite(value) ? json_real(value) : json_null());
}

static bool is_noisy(const struct stats_interval *ratio, double half_width)
{
	return !(stats_half_width(ratio) <= half_width);
}

void summary_set_noise(json_t *line, const struct stats_interval *ratio, double half_width)
{
	set(line, "ratio", "_95_low", ratio->low);
	set(line, "ratio", "_95_high", ratio->high);
	json_object_set_new(line, "noisy", json_boolean(is_noisy(ratio, half_width)));
}

/* Of samples that are freed. */
static struct summary_figure figure_of(struct samples samples)
{
	struct stats_interval interval = stats_median(samples.value, samples.count);
	struct summary_figure figure = {
		.middle = interval.middle,
		.low = stats_quantile(samples.value, samples.count, 0.25),
		.high = stats_quantile(samples.value, samples.count, 0.75),
		.low_95 = interval.low,
		.high_95 = interval.high,
	};

	samples_free(&samples);
	return figure;
}

static struct summary_figure given(double value)
{
	return (struct summary_figure){ .middle = value < 0 ? NAN : value };
}

static struct summary_figure unknown(void)
{
	return figure_of((struct samples){ .value = NULL });
}

/* To the floor of the row's own form, in cells of `workload`. */
static struct summary_figure own_ratio(const json_t *rows, const struct summary_row *about,
				       const char *workload, const char *basis)
{
	const struct samples_cell cell = { about->row, workload };
	const struct samples_cell floor = { about->floor, workload };

	return about->floor ? figure_of(samples_collect(rows, &cell, basis, &floor)) : unknown();
}

static struct stats_interval interval_of(const struct summary_figure *its)
{
	return (struct stats_interval){ its->middle, its->low_95, its->high_95 };
}

/* What else is known of the times of a cell: see SCHEMA.md. */
static void make_second_figures(struct summary_line *line, const json_t *rows,
				const struct summary_row *about)
{
	const struct samples_cell cell = { about->row, about->workload };
	const struct samples_cell clock = { CELL_CLOCK, about->workload };
	const struct samples_cell cheap = { about->row, about->cheap };
	const char *cheap_basis;

	line->ratio_own = own_ratio(rows, about, about->workload, line->basis);
	if (about->floor)
		line->above_clock_ns = figure_of(samples_above(rows, &cell, "ns", &clock));
	line->left_out_ns = figure_of(samples_within(rows, &cell, "mean_ns", "ns"));
	if (!about->cheap)
		return;
	line->cheap_ratio = figure_of(samples_to_floor(rows, &cheap, &cheap_basis));
	line->cheap_ns = figure_of(samples_collect(rows, &cheap, "ns", NULL));
	line->cheap_ratio_own = own_ratio(rows, about, about->cheap, line->basis);
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

#define SAMPLES(key) figure_of(samples_collect(rows, &cell, #key, NULL))
#define GIVEN(key) given(about->key)
#define MADE(key) unknown()

bool summary_line(const json_t *rows, const struct summary_row *about, struct summary_line *line)
{
	const struct samples_cell cell = { about->row, about->workload };
	struct samples ns = samples_collect(rows, &cell, "ns", NULL);
	struct stats_interval ratio;
	struct samples ratios;

	*line = (struct summary_line){ .about = *about,
				       .repetitions = ns.count + ns.left_out,
				       .disturbed = ns.left_out,
				       .mixed = ns.mixed };
	samples_free(&ns);
	if (!line->repetitions)
		return false;
#define X(key, how, ...) line->key = how(key);
#include "results/columns.def"
#undef X
	ratios = samples_to_floor(rows, &cell, &line->basis);
	line->mixed |= ratios.mixed;
	line->ratio = figure_of(ratios);
	ratio = interval_of(&line->ratio);
	line->noisy = is_noisy(&ratio, about->half_width);
	line->disagrees = disagrees(rows, about, line->ns.middle, ratio.middle);
	line->stepped = isnan(line->instructions.middle) && about->instructions >= 0;
	if (line->stepped)
		line->instructions = given(about->instructions);
	line->header_id_bytes = given(line->header_bytes.middle + about->id_bytes_added);
	make_second_figures(line, rows, about);
	return true;
}

enum { ONE = 0, QUARTILES = 1, INTERVAL = 2, BOTH = 3 };

static void set_figure(json_t *line, const char *key, unsigned int ends,
		       const struct summary_figure *its)
{
	set(line, key, "", its->middle);
	if (ends & QUARTILES) {
		set(line, key, "_low", its->low);
		set(line, key, "_high", its->high);
	}
	if (ends & INTERVAL) {
		set(line, key, "_95_low", its->low_95);
		set(line, key, "_95_high", its->high_95);
	}
}

json_t *summary_json(const struct summary_line *line)
{
	const struct summary_row *about = &line->about;
	json_t *json =
		json_pack("{s:s, s:s, s:s, s:s?, s:s, s:s, s:I, s:I, s:b, s:b, s:b, s:b}", "row",
			  about->row, "workload", about->workload, "verdict", about->verdict, "why",
			  about->why, "ratio_basis", line->basis, "instructions_source",
			  line->stepped ? "single-step" : "cpu counter", "repetitions",
			  (json_int_t)line->repetitions, "disturbed", (json_int_t)line->disturbed,
			  "mixed", line->mixed, "disagrees", line->disagrees, "noisy", line->noisy,
			  "below_floor", line->below_floor);

	json_object_set_new(json, "floor", about->floor ? json_string(about->floor) : json_null());
#define X(key, how, ends, ...) set_figure(json, #key, ends, &line->key);
#include "results/columns.def"
#undef X
	return json;
}

#define NAME_LEAST 22
#define NAME_MOST 25

/* A number in `width` columns with `digits` decimals, or n/a. */
static void print_number(FILE *out, const struct summary_line *line, double value, int width,
			 int digits)
{
	(void)line;
	if (isnan(value))
		fprintf(out, " %*s", width, "n/a");
	else
		fprintf(out, " %*.*f", width, digits, value);
}

/* What was read where a need was not met is nobody's error. */
static void print_worst(FILE *out, const struct summary_line *line, double value, int width,
			int digits)
{
	if (isnan(value) && !isnan(line->void_error_ticks.middle))
		fprintf(out, " %*s", width, "void");
	else if (value >= 1e6)
		fprintf(out, " %*.1e", width, value);
	else
		print_number(out, line, value, width, digits);
}

/* With half of the 95 % interval in percent. */
static void print_ratio(FILE *out, const struct summary_line *line, double value, int width,
			int digits)
{
	struct stats_interval interval = interval_of(&line->ratio);
	double half = 100 * stats_half_width(&interval);

	print_number(out, line, value, width, digits);
	if (isnan(line->ratio.low_95))
		fprintf(out, " %4s", "n/a");
	else
		fprintf(out, half < 9.95 ? " %3.1f%%" : " %3.0f%%", half);
}

/* With an id; + where the row's own headers hold none. */
static void print_header(FILE *out, const struct summary_line *line, double value, int width,
			 int digits)
{
	print_number(out, line, value, width, digits);
	fputc(!isnan(value) && line->id_bytes_added.middle > 0 ? '+' : ' ', out);
}

static enum terminal_colour colour_of(const char *verdict)
{
	if (!strcmp(verdict, "kept"))
		return TERMINAL_GOOD;
	return !strcmp(verdict, "broken") ? TERMINAL_BAD : TERMINAL_PLAIN;
}

#define print_hidden(...)
#define head_hidden(...)
#define head_number(...) fprintf(out, " %*s", __VA_ARGS__)
#define head_worst head_number
#define head_ratio head_number
#define head_header head_number

/* At the end: ~ the ratio is not known well; ! ns and ratio are of different repetitions. */
static void print_line(FILE *out, const struct summary_line *line, int width)
{
	fprintf(out, "%-*.*s ", width, width, line->about.row);
	terminal_print(out, colour_of(line->about.verdict), -16, line->about.verdict);
#define X(key, how, ends, kind, print, head, width, digits, ...) \
	print_##print(out, line, line->key.middle, width, digits);
#include "results/columns.def"
#undef X
	fprintf(out, "%s\n", line->disagrees ? "!" : line->noisy ? "~" : "");
}

/* Columns of names: two rows must not look alike for want of room; 100 are a line. */
static int name_width(const struct summary_table *table)
{
	size_t longest = NAME_LEAST, i, length;

	for (i = 0; i < table->count; i++) {
		length = strlen(table->line[i].about.row);
		longest = length > longest ? length : longest;
	}
	return (int)(longest > NAME_MOST ? NAME_MOST : longest);
}

void summary_print(FILE *out, const struct summary_table *table)
{
	int names = name_width(table);
	const char *workload = "", *its;
	size_t i;

	for (i = 0; i < table->count; i++) {
		its = table->line[i].about.workload;
		if (strcmp(its, workload)) {
			fprintf(out, "%s%-*s %-14s", i ? "\n" : "", names, its, "verdict");
#define X(key, how, ends, kind, print, head, width, ...) head_##print(width, head);
#include "results/columns.def"
#undef X
			fputc('\n', out);
		}
		workload = its;
		print_line(out, &table->line[i], names);
	}
}
