/* SPDX-License-Identifier: MIT */
/* bench: the timed part: which cells, in how many rounds, and what came of them. */
#pragma once

#include <jansson.h>

#include "runner/counted.h"
#include "runner/run.h"
#include "runner/timing/rounds.h"
#include "workloads/workload.h"

/* Plans the cells of all chosen workloads. `repetitions` 0: by the size. */
void timed_plan(struct rounds *rounds, const struct workload_bench *bench, uint64_t repetitions);

/* What exact figures a row's slots carry beside their times. */
void timed_tell(struct rounds *rounds, const struct workload_bench *bench,
		const struct counted *counted);

/* Seconds that the planned slots take. */
double timed_seconds(const struct rounds *rounds);

/*
 * Has Google Benchmark run the cells, by its own command line (runner/timing/gbench.h). An exit
 * code.
 */
int timed_library(const struct rounds *rounds, const struct place *place, int argc, char **argv);

/* Runs all rounds, then judges their rings. An exit code. */
int timed_run(struct rounds *rounds, struct run *run);

/* The workload that the table's second figures are of: the one that times the empty loop. */
const char *timed_loop_workload(const struct rounds *rounds);

/* Rows that were measured twice: what their second time differs from the first by. */
json_t *timed_again(const struct rounds *rounds);

/*
 * The cells with wraps and nested writers by plan: each row's median, its ratio to the floor of the
 * same slot, and what it loses to itself without them.
 */
json_t *timed_injected(const struct rounds *rounds);

/*
 * What times have to differ by to be told apart, as a share: the most that a row which was measured
 * twice differs from itself by, or 1.4 times half of the 95 % interval of the middle row's ratio,
 * which is the interval of a difference; rounded up to one of some steps. INFINITY: not known.
 */
double timed_apart(const struct summary_table *table, const json_t *again);
json_t *timed_noise_json(const struct rounds *rounds, double apart);
