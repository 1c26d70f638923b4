/* SPDX-License-Identifier: MIT */
/*
 * Did a change help? Two runs, or two rows of one run, cell by cell.
 *
 * Time is the ratio to the lowest floor in the same slot. It has changed if the rank test says p <
 * COMPARISON_P and it moved by more than COMPARISON_LEAST; it has not if the 95 % interval of the
 * move lies within COMPARISON_LEAST; else it is too noisy to say, and so is any move by less than
 * either run tells apart (noise.apart in SCHEMA.md).
 * The exact gates (instructions by single-step, clock reads, atomics, extended records, header
 * bytes; the verdict) have changed if they differ at all; instructions by COMPARISON_STEPS, since
 * stepping over a sub-buffer's end does not always meet it alike: some 4 of the 12,000 of a
 * sub-buffer.
 */
#ifndef STAMPEDE_RESULTS_COMPARE_COMPARISON_H
#define STAMPEDE_RESULTS_COMPARE_COMPARISON_H

#include <jansson.h>

#define COMPARISON_P 0.01
#define COMPARISON_LEAST 0.01
#define COMPARISON_STEPS 0.05 /* instructions per event */

enum comparison_word {
	COMPARISON_SAME,
	COMPARISON_NOISY,
	COMPARISON_IMPROVED,
	COMPARISON_REGRESSED,
	COMPARISON_WORDS,
};

const char *comparison_word(enum comparison_word word);

/* One side: a run, and the row to look at; NULL: every row. */
struct comparison_side {
	const json_t *run; /* a document as record_load() gives it */
	const char *row;
};

/*
 * {"cells": [...], "only_a": [names], "only_b": [names], "counts": {word: n}}; a cell is
 * {"name", "row", "workload", "word", "time": {"word", "change", "low", "high", "p", "a", "b",
 * "repetitions_a", "repetitions_b"} or null (the floor: it is what ratios are to), "exact":
 * [{"what", "a", "b", "word"}]}. change, low, high are relative: 0.05 is 5 % more. NULL without
 * memory.
 */
json_t *comparison_make(const struct comparison_side *a, const struct comparison_side *b);

/* What differs between the machines and builds of two runs: [{"what", "a", "b"}]. */
json_t *comparison_machines(const json_t *a, const json_t *b);

/*
 * Runs beside each other: {"runs": [names], "cells": [{"name", "row", "workload", "values":
 * [{"ratio", "low", "high"} or null]}]}; values in the order of runs.
 */
json_t *comparison_matrix(const json_t *const *runs, size_t count);

#endif
