/* SPDX-License-Identifier: MIT */
/* The slots of a cell as numbers. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/stats.h"

#define SAMPLES_FLOOR "floor_published" /* the row that ratios are to: no other has less to do */

struct samples_cell {
	const char *row;
	const char *workload;
};

struct samples {
	double *value; /* sorted */
	size_t count;
	size_t shared; /* slots on a core that was shared, all of them */
	bool mixed; /* they are among these, as there were too few others */
};

/*
 * `key` of a cell's slots; of those alone whose core was not shared, if they are SAMPLES_LEAST or
 * more. A slot counts whole or not at all, and what it took has no part in the choice. rows: array
 * of benchmarks[]. Free with samples_free(). Without memory: no values.
 */
#define SAMPLES_LEAST 5
struct samples samples_collect(const json_t *rows, const struct samples_cell *cell,
			       const char *key);
void samples_free(struct samples *samples);

/* What a loop around nothing takes beside a cycle, from which on its core was (timing/cycles.h). */
#define SAMPLES_SHARED 1.1

/* Ticks of a cycle, the median of all slots; NAN: no slot measured it. */
double samples_cycle_ticks(const json_t *rows);

/* Median of samples_collect() and its 95 % interval; middle is NAN if there are none. */
struct stats_interval samples_median(const json_t *rows, const struct samples_cell *cell,
				     const char *key);
