/* SPDX-License-Identifier: MIT */
/* From repetitions to one line per row: medians with quartiles, ratios within the same round. */
#ifndef STAMPEDE_RUNNER_TIMING_SUMMARY_H
#define STAMPEDE_RUNNER_TIMING_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

#include "judge/driver.h"
#include "results/samples.h"

/*
 * A ratio is known well enough when its 95 % interval is within this share of it; in a quick run.
 */
#define SUMMARY_HALF_WIDTH 0.02
#define SUMMARY_HALF_WIDTH_QUICK 0.05

/* What a row's line needs beside its repetitions. */
struct summary_row {
	const char *row;
	const char *workload;
	const char *cheap; /* cells of the same rows with the cheap clock; NULL: none */
	double half_width; /* that a ratio is known well enough by */
	const char *verdict; /* of all checked runs together */
	const char *why; /* for a verdict that is not kept, or NULL */
	double worst_error_ticks; /* under the storms; negative: not known */
	double void_error_ticks; /* the same where a need was not met; negative: nowhere */
	double clock_reads;
	double atomics;
	double extended;
	const char *floor; /* the baseline of the row's form, or NULL */
	double id_bytes_added; /* that a header lacks of an id as the others' headers hold */
	double instructions; /* by single-step, used where the CPU does not count; negative: none */
};

/* Of a column: the median, its quartiles and its 95 % interval, as far as there are; or NAN. */
struct summary_figure {
	double middle, low, high, low_95, high_95;
};

struct summary_line {
	struct summary_row about;
	const char *basis; /* that the ratios are of */
	size_t repetitions, disturbed;
	bool stepped; /* instructions by single-step */
	bool mixed, disagrees, noisy; /* see SCHEMA.md */
	bool below_floor; /* figures_mark_below_floor() */
#define X(key, ...) struct summary_figure key;
#include "results/columns.def"
#undef X
};

struct summary_table {
	struct summary_line line[4 * DRIVERS_MAX];
	size_t count;
};

/*
 * The line of `about`, from all `rows` (array of repetitions) of that row and workload and of the
 * floor. False if there is no repetition of it.
 */
bool summary_line(const json_t *rows, const struct summary_row *about, struct summary_line *line);
json_t *summary_json(const struct summary_line *line);

/* Median of `key` over the repetitions of row and workload; negative if there is none. */
double summary_median(const json_t *rows, const char *row, const char *workload, const char *key);

/* Median over the rounds of `key` of `cell` by that of `base` in the same round; negative: none. */
double summary_ratio(const json_t *rows, const struct samples_cell *cell,
		     const struct samples_cell *base, const char *key);

/* Sets the fields ratio_95_low, ratio_95_high and noisy: see SCHEMA.md. */
void summary_set_noise(json_t *line, const struct stats_interval *ratio, double half_width);

/* A table of at most 100 columns. */
void summary_print(FILE *out, const struct summary_table *table);

#endif
