/* SPDX-License-Identifier: MIT */
/* From repetitions to one line per row: medians with quartiles, ratios within the same round. */
#ifndef STAMPEDE_RUNNER_TIMING_SUMMARY_H
#define STAMPEDE_RUNNER_TIMING_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

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
	double id_bytes; /* that a header lacks of an id as the others' headers hold */
	double instructions; /* by single-step, used where the CPU does not count; negative: none */
};

/*
 * The line of `about` as JSON, from all `rows` (array of repetitions) of that row and workload and
 * of the floor. NULL if there is no repetition of it.
 */
json_t *summary_line(const json_t *rows, const struct summary_row *about);

/* Median of `key` over the repetitions of row and workload; negative if there is none. */
double summary_median(const json_t *rows, const char *row, const char *workload, const char *key);

/* Median over the rounds of `key` of `cell` by that of `base` in the same round; negative: none. */
double summary_ratio(const json_t *rows, const struct samples_cell *cell,
		     const struct samples_cell *base, const char *key);

/* Sets the fields ratio_95_low, ratio_95_high and noisy: see SCHEMA.md. */
void summary_set_noise(json_t *line, const struct stats_interval *ratio, double half_width);

/* Prints lines made by summary_line() as a table of at most 100 columns. */
void summary_print(FILE *out, const json_t *lines);

#endif
