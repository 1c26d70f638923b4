/* SPDX-License-Identifier: MIT */
/* The repetitions of a cell as numbers: a counter of theirs, or its ratio within each round. */
#ifndef STAMPEDE_RESULTS_SAMPLES_H
#define STAMPEDE_RESULTS_SAMPLES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/stats.h"

#define SAMPLES_FLOOR "floor_published" /* the row that ratios are to: no other has less to do */
/* That of records of schema 2 and before, and what runs are compared by: it is in old and new. */
#define SAMPLES_FLOOR_OLD "floor"

struct samples_cell {
	const char *row;
	const char *workload;
};

struct samples {
	double *value; /* sorted */
	size_t count;
	size_t left_out; /* disturbed repetitions */
	bool mixed; /* disturbed ones are among them, for want of others */
};

/*
 * A repetition was disturbed if the loop around nothing beside it took so much longer than in the
 * calmest repetition with as many threads: another thread on the same core doubles it. What a
 * scheme costs has no part in the choice.
 */
#define SAMPLES_UNDISTURBED 1.2
/* If fewer were undisturbed, all count: no interval is known for less. */
#define SAMPLES_LEAST 6

/*
 * `key` of a cell's undisturbed repetitions, divided by that of `base` in the same round unless
 * base is NULL; where base was disturbed in that round, by that of the nearest in which it was
 * not. Rounds in which it is missing, or base is not above 0, are left out. rows: array of
 * benchmarks[]. Free with samples_free(). Without memory: no values.
 */
struct samples samples_collect(const json_t *rows, const struct samples_cell *cell, const char *key,
			       const struct samples_cell *base);
void samples_free(struct samples *samples);

/* The same with what is left above `base` in place of the ratio. */
struct samples samples_above(const json_t *rows, const struct samples_cell *cell, const char *key,
			     const struct samples_cell *base);

/* Of a repetition by itself: `key` less `other_key`. */
struct samples samples_within(const json_t *rows, const struct samples_cell *cell, const char *key,
			      const char *other_key);

/* Cycles over the floor's cycles; *basis is "cycles", or "ticks" where no CPU counted any. */
struct samples samples_to_floor(const json_t *rows, const struct samples_cell *cell,
				const char **basis);

/* Median of samples_collect() and its 95 % interval; middle is NAN if there are none. */
struct stats_interval samples_median(const json_t *rows, const struct samples_cell *cell,
				     const char *key, const struct samples_cell *base);

#endif
