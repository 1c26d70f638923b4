/* SPDX-License-Identifier: MIT */
/*
 * bench: the run for people: table, figures beside it, sections, noise, and what the columns are.
 */
#ifndef STAMPEDE_RUNNER_PRINT_H
#define STAMPEDE_RUNNER_PRINT_H

#include "runner/run.h"
#include "runner/timed.h"

void print_run(const struct workload_bench *bench, const struct rounds *rounds,
	       const struct timed_noise *noise, struct run *run);

#endif
