// SPDX-License-Identifier: MIT
/* threads: steady, by as many threads as there are CPUs, each with a ring of its own. */
#include "workloads/engine/thread.h"

static const struct workload_engine engine = {
	.sharable = true,
	.timeable = true,
	.record = engine_record,
};

static void cells(const struct workload_cells *plan)
{
	static const unsigned int most[SIZES] = { 7, 11, 21 };
	struct workload_cell cell = {
		.workload = workload_threads.name,
		.threads = plan->cpus < CELL_THREADS_MAX ? plan->cpus : CELL_THREADS_MAX,
		.rounds = plan->rounds < most[plan->size] ? plan->rounds : most[plan->size],
	};
	int i;

	for (i = 0; i < plan->count && cell.threads > 1; i++) {
		cell.row = plan->rows[i]->row;
		plan->add(plan->arg, &cell);
	}
}

/* A quick bench has its time for steady cells. */
const struct workload workload_threads = {
	.name = "threads",
	.text = "--threads pinned threads, a ring each",
	.least = SIZE_STANDARD,
	.engine = &engine,
	.cells = cells,
	.in_table = true,
};
