/* SPDX-License-Identifier: MIT */
/* bench: the timed part: which cells, in how many rounds, and what came of them. */
#ifndef STAMPEDE_RUNNER_TIMED_H
#define STAMPEDE_RUNNER_TIMED_H

#include <jansson.h>

#include "runner/run.h"
#include "runner/timing/rounds.h"
#include "workloads/workload.h"

/* Plans the cells of all chosen workloads. `repetitions` 0, `budget` negative: by the size. */
void timed_plan(struct rounds *rounds, const struct workload_bench *bench, uint64_t repetitions,
		double budget);

/* Seconds that the planned repetitions take, and the budget that follows them. */
double timed_seconds(const struct rounds *rounds);

/* Calibrates and runs all rounds, then judges their rings. An exit code. */
int timed_run(struct rounds *rounds, struct run *run);

/* The empty loop's figure `key` per event, and the workload beside which it was measured. */
double timed_loop(const struct rounds *rounds, const char *key);
const char *timed_loop_workload(const struct rounds *rounds);

/* What the same row twice differs by; null: not known. */
json_t *timed_again(const struct rounds *rounds);

/*
 * The cells with wraps and nested writers by plan: each row's median, its ratio to the floor of the
 * same round without any, and what it loses to itself without them.
 */
json_t *timed_injected(const struct rounds *rounds);

/*
 * How well the ratios are known: how many cells have one, and in how many of them its 95 % interval
 * leaves the rounds' half_width.
 */
struct timed_noise {
	size_t cells;
	size_t noisy;
	size_t repetitions;
	size_t disturbed; /* and left out of the times */
};
struct timed_noise timed_noise(const struct rounds *rounds, const struct summary_table *table,
			       const json_t *injected);
json_t *timed_noise_json(const struct rounds *rounds, const struct timed_noise *noise);

/* Most ratios are not known well enough: a ranking would be by chance. */
static inline bool timed_too_noisy(const struct timed_noise *noise)
{
	return 2 * noise->noisy > noise->cells;
}

#endif
