/* SPDX-License-Identifier: MIT */
/*
 * One repetition of one timed cell, in a process of its own: a fixed number of events of one row on
 * one or more pinned threads, timed by Google Benchmark and the CPU's counters, then checked.
 */
#ifndef STAMPEDE_RUNNER_CELL_H
#define STAMPEDE_RUNNER_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "driver.h"
#include "place.h"

#define CELL_BATCH 1024
#define CELL_THREADS_MAX 64

/* The pseudo row that times the harness's loop around nothing. */
#define CELL_EMPTY "loop"

struct cell {
	const struct driver *driver; /* of the timed build */
	bool empty; /* CELL_EMPTY, driver is any */
	uint64_t iterations; /* events per thread */
	const struct place *place;
	const unsigned int *pu;
	unsigned int threads;
};

/*
 * Runs the cell and returns what it measured, per event (see results/SCHEMA.md), or NULL after a
 * line on stderr. A ring that fails an oracle is reported as "violation" and no times.
 */
json_t *cell_run(const struct cell *cell);

#endif
