/* SPDX-License-Identifier: MIT */
/*
 * The timed part of a bench run: rounds, each of which runs a slot of every cell (cell.h), in an
 * order shuffled by the seed. One process is one round, so that each has a layout of memory of its
 * own: the process is the unit of every interval.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "runner/timing/cell_process.h"
#include "judge/driver.h"
#include "base/progress.h"
#include "results/record.h"
#include "workloads/workload.h"

#define ROUNDS_CELLS_MAX (20 * DRIVERS_MAX + 1)
#define ROUNDS_PROCESS_SECONDS 0.06 /* that a process takes to start */
#define ROUNDS_SLOT_SECONDS 0.011
#define ROUNDS_LEAST 9 /* an interval needs 6 */

struct rounds_cell {
	struct workload_cell told; /* as it was planned */
	double instructions, atomics; /* per event, as counted; negative: not known */
};

struct rounds {
	struct rounds_cell cell[ROUNDS_CELLS_MAX];
	unsigned int cells;
	unsigned int rounds; /* of the cell that has most */
	double seconds; /* after which no round beyond ROUNDS_LEAST begins; 0: however long it takes
			 */
	uint64_t seed;
	struct cell_process process; /* of the current round */
	const unsigned int *pu;
	struct record *record;
	json_t *rows; /* array of slots: benchmarks[] in SCHEMA.md */
	struct progress *progress;
};

/* As it is to be run; its place is not known here. */
struct cell rounds_cell(const struct rounds *rounds, const struct rounds_cell *cell);

/* Runs all; every slot is in the record as soon as it is done. An exit code. */
int rounds_run(struct rounds *rounds);
