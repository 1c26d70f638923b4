/* SPDX-License-Identifier: MIT */
/*
 * The timed part of a bench run: rounds, each of which runs every cell once, in an order shuffled
 * by the seed. One process is one round, so that each has a layout of memory of its own.
 */
#ifndef STAMPEDE_RUNNER_TIMING_ROUNDS_H
#define STAMPEDE_RUNNER_TIMING_ROUNDS_H

#include <jansson.h>
#include <stdint.h>

#include "runner/timing/cell_process.h"
#include "judge/driver.h"
#include "base/progress.h"
#include "results/record.h"
#include "workloads/workload.h"

#define ROUNDS_CELLS_MAX (20 * DRIVERS_MAX + 1)

struct rounds_cell {
	struct workload_cell told; /* as it was planned */
	unsigned int done;
	unsigned int undisturbed; /* of these, by what was known then */
	uint64_t iterations; /* per thread; set by rounds_calibrate() */
};

struct rounds {
	struct rounds_cell cell[ROUNDS_CELLS_MAX];
	unsigned int cells;
	unsigned int rounds;
	uint64_t seed;
	double half_width; /* of a ratio's 95 % interval, by it: well enough known */
	double cell_ns; /* that a repetition's loop shall take; with the cheap clock a third */
	double budget_seconds; /* of wall time, to wait for undisturbed cores and for more rounds */
	double spent_seconds; /* of it */
	uint64_t until_ns; /* nothing of it is spent later, nor what the rounds need until then */
	unsigned int round; /* the current one, the cells that take part in it, and their process */
	bool takes_part[ROUNDS_CELLS_MAX];
	struct cell_process process;
	const char *topology; /* XML of this machine, for the cells' processes */
	const unsigned int *pu;
	struct record *record;
	/* Array of repetitions: see SCHEMA.md */
	json_t *rows;
	struct progress *progress;
	double least_probe[2]; /* so far, of cells with one thread and with several; 0: none */
};

/* How long a repetition of the cell is to be timed; it takes about three times as long. */
double rounds_cell_ns(const struct rounds *rounds, const struct rounds_cell *cell);

/* Seconds that may still be waited, or spent on more rounds, once what is planned had its time. */
double rounds_budget_left(const struct rounds *rounds);

/* Finds each cell's number of events by a short trial. An exit code. */
int rounds_calibrate(struct rounds *rounds);

/*
 * Runs all, then more rounds of those cells whose ratio to the floor is not yet known to
 * half_width, until all are or the budget is spent; every repetition is in the record
 * as soon as it is done. An exit code.
 */
int rounds_run(struct rounds *rounds);

#endif
