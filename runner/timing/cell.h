/* SPDX-License-Identifier: MIT */
/*
 * One repetition of one timed cell: a fixed number of events of one row on
 * one or more pinned threads, timed by Google Benchmark and the CPU's counters, then checked.
 */
#ifndef STAMPEDE_RUNNER_TIMING_CELL_H
#define STAMPEDE_RUNNER_TIMING_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "judge/driver.h"
#include "runner/place/place.h"
#include "workloads/workload.h"

/* Events; some sub-buffers long, so that all batches of a steady cell are alike. */
#define CELL_BATCH 4096
struct cell {
	const struct driver *driver; /* of the timed build, or the injected one */
	struct cell_injection injected;
	bool cheap; /* of the build with the cheap clock (core/clock.h) */
	bool empty; /* CELL_EMPTY or CELL_CLOCK: nothing is recorded, driver is any */
	bool clock_alone; /* CELL_CLOCK */
	uint64_t iterations; /* events per thread */
	const struct place *place;
	const unsigned int *pu;
	unsigned int threads;
	/* Of an undisturbed core, ticks per step (undisturbed.h); 0: not known */
	double probe_limit;
	double wait_ns; /* that it may go on for an undisturbed core */
};

/*
 * Runs the cell and returns what it measured, per event (see results/SCHEMA.md), or NULL after a
 * line on stderr. A ring that fails an oracle is reported as "violation" and no times.
 */
json_t *cell_run(const struct cell *cell);

#endif
