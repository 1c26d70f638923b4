/* SPDX-License-Identifier: MIT */
/* From slots to one line per row: medians with their intervals, and ranks. */
#pragma once

#include <jansson.h>

#include "judge/driver.h"
#include "results/samples.h"

/* What a row's line needs beside its slots. */
struct summary_row {
	const char *row;
	const char *workload;
	const char *cheap; /* cells of the same rows with the cheap clock; NULL: none */
	const char *verdict; /* of all checked runs together */
	const char *why; /* for a verdict that is not kept, or NULL */
	double worst_error_ticks; /* under the storms; negative: not known */
	double clock_reads;
	double atomics;
	double extended;
	const char *floor; /* the baseline of the row's form, or NULL */
	double id_bytes_added; /* that a header lacks of an id as the others' headers hold */
	double rank; /* summary_rank(); negative: none yet */
};

struct summary_line {
	struct summary_row about;
	size_t slots, shared; /* of all, those on a shared core */
	bool mixed; /* which are in the figures, as there were too few others */
	bool below_floor; /* mark_below_floor() of runner/sections.c */
#define X(key, ...) struct stats_interval key; /* NAN: the row has no such figure */
#include "results/columns.def"
#undef X
};

struct summary_table {
	struct summary_line line[4 * DRIVERS_MAX];
	size_t count;
};

/*
 * The line of `about`, from all `rows` (array of slots) of that row and workload. False if there is
 * none.
 */
bool summary_line(const json_t *rows, const struct summary_row *about, struct summary_line *line);
json_t *summary_json(const struct summary_line *line);

/* Median of `key` over the slots of row and workload; NAN without a slot. */
double summary_median(const json_t *rows, const char *row, const char *workload, const char *key);

/*
 * Ranks the rows of each workload that stamp and are no floor, by ratio: one that takes up to
 * `apart` (0.01: 1 %) more than the first of a rank shares it.
 */
void summary_rank(struct summary_table *table, double apart);
