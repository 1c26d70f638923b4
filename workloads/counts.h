/* SPDX-License-Identifier: MIT */
/* Counts of a row in the counting build, on the virtual clock: exact, and the same everywhere. */
#pragma once

#include <jansson.h>

#include "judge/check.h"
#include "judge/driver.h"
#include "workloads/gaps.h"

struct counts {
	double clock_reads; /* per event */
	double atomics; /* read-modify-writes of shared words, commit included */
	double extended; /* records that carry more than the short field */
	double header_bytes;
};

/*
 * `events` back to back, `step_ticks` per clock read; wrapping: with more than a wrap before every
 * sixteenth, and no beat, so that times are wrong and counts are not. 0, or an exit code after a
 * line on stderr.
 */
int counts_steady(const struct driver *driver, uint64_t events, uint64_t step_ticks, bool wrapping,
		  struct counts *counts);

/*
 * Bytes per second of a row at event rates from 1 to 10 million per second, with a clock of `hz`;
 * beats where the row needs them. An array of objects for the record, or NULL.
 */
json_t *counts_by_rate(const struct driver *driver, double hz);

/*
 * `events` of a row at recorded gaps, with a clock of `hz` and beats where the row needs them: an
 * object for the record, and what the oracles said in *verdict. NULL without memory.
 */
json_t *counts_replay(const struct driver *driver, const struct gaps *gaps, uint64_t events,
		      double hz, uint64_t seed, enum verdict *verdict);
