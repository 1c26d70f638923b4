/* SPDX-License-Identifier: MIT */
/*
 * One slot of a timed cell: a row and what it is compared with (its mates) record batches of events
 * in turn, there and back again (row, floor, floor, row), on one or more pinned threads that Google
 * Benchmark starts. Whatever slows the machine for longer than some batches slows all of them
 * alike, so that a ratio within a slot hardly knows of it.
 */
#pragma once

#include <stdbool.h>

#include <jansson.h>

#include "judge/driver.h"
#include "runner/place/place.h"
#include "runner/timing/gbench.h"
#include "workloads/workload.h"

/* Events; some sub-buffers long, so that all batches of a steady cell are alike. */
#define CELL_BATCH 4096
/* Batches of each row in a slot, unless an event takes so long that a slot would last for longer.
 */
#define CELL_PAIRS 48
#define CELL_PAIRS_LEAST 8
#define CELL_NS_MOST 20e6

struct cell {
	const char *row; /* also CELL_EMPTY or CELL_CLOCK */
	struct cell_injection injected;
	bool cheap; /* of the build with the cheap clock (core/clock.h) */
	unsigned int more; /* events that a batch has beyond CELL_BATCH: a planted slow-down */
	unsigned int pairs; /* 0: CELL_PAIRS, or as many as there is time for */
	double instructions, atomics; /* per event, as counted elsewhere; negative: not known */
	const struct place *place;
	const unsigned int *pu;
	unsigned int threads;
};

/* The drivers of the cell's build, and its row there; NULL: it has none of that name. */
const struct driver *cell_driver(const struct cell *cell);

/*
 * Runs the cell and returns what it measured, per event (see results/SCHEMA.md), or NULL after a
 * line on stderr. A ring that fails an oracle is reported as "violation".
 */
json_t *cell_run(const struct cell *cell);

/*
 * The same as one of Google Benchmark's own benchmarks; `cell` and `name` stay. False, after a line
 * on stderr: it cannot be had.
 */
struct cell_state;
struct cell_state *cell_open(const struct cell *cell, const char *name, struct gbench_cell *into);
void cell_close(struct cell_state *state);
