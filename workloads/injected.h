/* SPDX-License-Identifier: MIT */
/* Cells of the injected build: wraps and nested writers by plan (core/inject.h). */
#pragma once

#include "workloads/workload.h"

/*
 * The first of a plan is the base of the others: the same build with nothing injected. What is not
 * `always` is for full benches. A NULL name ends the plan.
 */
struct injected_plan {
	const char *name;
	struct cell_injection injected;
	bool always;
};

void injected_cells(const struct injected_plan *plan, const struct workload_cells *cells);
