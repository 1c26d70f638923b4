/* SPDX-License-Identifier: MIT */
/* The repetitions of a cell as numbers: a counter of theirs, or its ratio within each round. */
#ifndef STAMPEDE_RESULTS_SAMPLES_H
#define STAMPEDE_RESULTS_SAMPLES_H

#include <jansson.h>
#include <stddef.h>

#include "stats.h"

#define SAMPLES_FLOOR "floor" /* the row that ratios are to */

struct samples_cell {
	const char *row;
	const char *workload;
};

struct samples {
	double *value; /* sorted */
	size_t count;
};

/*
 * `key` of a cell's repetitions, divided by that of `base` in the same round unless base is NULL;
 * rounds in which one of the two is missing, or base is not above 0, are left out. rows: array of
 * benchmarks[]. Free with samples_free(). Without memory: no values.
 */
struct samples samples_collect(const json_t *rows, const struct samples_cell *cell,
			       const char *key, const struct samples_cell *base);
void samples_free(struct samples *samples);

/* Median of samples_collect() and its 95 % interval; middle is NAN if there are none. */
struct stats_interval samples_median(const json_t *rows, const struct samples_cell *cell,
				     const char *key, const struct samples_cell *base);

#endif
