// SPDX-License-Identifier: MIT
#include "workloads/injected.h"

/* Of batches in a slot; a wrap comes in few of them, and an event of each takes longer. */
#define PAIRS 24
#define BASE_ROUNDS 3

void injected_cells(const struct injected_plan *plan, const struct workload_cells *cells)
{
	static const unsigned int most[SIZES] = { 3, 7, 21 };
	const struct injected_plan *one;
	struct workload_cell cell = {
		.base = plan->name,
		.threads = 1,
		.pairs = PAIRS,
	};
	unsigned int rounds = cells->rounds < most[cells->size] ? cells->rounds : most[cells->size];
	int i;

	for (one = plan; one->name; one++) {
		if (cells->size != SIZE_FULL && !one->always)
			continue;
		cell.workload = one->name;
		cell.injected = one->injected;
		/* Each has itself with nothing injected beside it; the base is there to be looked
		 * at. */
		cell.rounds = one == plan ? BASE_ROUNDS : rounds;
		for (i = 0; i < cells->count; i++) {
			cell.row = cells->rows[i]->row;
			cells->add(cells->arg, &cell);
		}
	}
}
