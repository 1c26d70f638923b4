// SPDX-License-Identifier: MIT
/* nested: a share of the events is interrupted between clock read and claim, by plan. */
#include "workloads/injected.h"

static const struct injected_plan plan[] = {
	{ "nested:0", { .on = true }, true },
	{ "nested:30ppm", { .on = true, .nest_every = 33333, .nest_depth = 1 }, false },
	{ "nested:2000ppm", { .on = true, .nest_every = 500, .nest_depth = 1 }, true },
	{ "nested:2000ppm:2deep", { .on = true, .nest_every = 500, .nest_depth = 2 }, false },
	{ "nested:100000ppm", { .on = true, .nest_every = 10, .nest_depth = 1 }, false },
	{ "nested:100000ppm:2deep", { .on = true, .nest_every = 10, .nest_depth = 2 }, false },
	{ .name = NULL },
};

static void cells(const struct workload_cells *cells)
{
	injected_cells(plan, cells);
}

const struct workload workload_nested = {
	.name = "nested",
	.text = "a planned share of the events is interrupted between clock read and claim",
	.least = SIZE_STANDARD,
	.instead = "bench times workload nested; run workload storm for real signals",
	.cells = cells,
};
