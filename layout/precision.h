/* SPDX-License-Identifier: MIT */
/* What cut low bits cost in order: events that share their time with the one before. */
#ifndef STAMPEDE_LAYOUT_PRECISION_H
#define STAMPEDE_LAYOUT_PRECISION_H

#include <jansson.h>

#include "judge/driver.h"
#include "workloads/gaps.h"

#define PRECISION_CUTS 13 /* 0..12 bits */

struct precision {
	uint64_t pairs; /* of successive events */
	uint64_t ties[PRECISION_CUTS]; /* of them, with equal times after so many bits are cut */
};

/* One event at `stamp` after one at `previous`. */
void precision_add(struct precision *precision, uint64_t previous, uint64_t stamp);

double precision_ties_per_million(const struct precision *precision, unsigned int cut_bits);

/* `events` with recorded gaps on a clock of `hz`. */
void precision_recorded(const struct gaps *gaps, double hz, uint64_t events, uint64_t seed,
			struct precision *precision);

/*
 * At least `events` back to back on the real clock, recorded by `driver` (of the timed build, with
 * whole stamps); pin the thread first. 0, or an exit code after a line on stderr.
 */
int precision_back_to_back(const struct driver *driver, uint64_t events,
			   struct precision *precision);

/* An element of the record's section "precision", see results/SCHEMA.md. */
json_t *precision_json(const char *gaps, double hz, const struct precision *precision);

#endif
