/* SPDX-License-Identifier: MIT */
/* bench: what is counted of each row, and is the same in every run of the same code. */
#pragma once

#include <jansson.h>

#include "base/progress.h"
#include "judge/driver.h"
#include "runner/place/place.h"
#include "workloads/counts.h"

struct counted {
	struct counts calm;
	struct counts wrapping; /* with a wrap every few events */
	double instructions; /* by single-step; negative: not to be had */
};

/* All of it that a run has. */
struct counted_all {
	struct counted row[DRIVERS_MAX];
	double decode_events_per_second; /* of the slowest row */
};

/* Counts `row`, any build of it; lines of bytes_by_rate go into `by_rate`. An exit code. */
int counted_row(const struct driver *row, struct counted *counted, json_t *by_rate);

/* A line of the record's section "exact". */
json_t *counted_json(const char *row, const struct counted *counted);

/*
 * Events per second through decoder and oracles, of the slowest of the rows, which are of the
 * checked build; on the calling thread. An exit code.
 */
int counted_decoding(const struct driver *const *rows, int count, struct progress *progress,
		     double *events_per_second);
