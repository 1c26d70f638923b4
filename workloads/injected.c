// SPDX-License-Identifier: MIT
#include "workloads/injected.h"

void injected_cells(const struct injected_plan *plan, const struct workload_cells *cells)
{
	static const unsigned int most[SIZES] = { 7, 15, 21 };
	const struct injected_plan *one;
	struct workload_cell cell = {
		.base = plan->name,
		.threads = 1,
		.rounds = cells->rounds < most[cells->size] ? cells->rounds : most[cells->size],
	};
	int i;

	for (one = plan; one->name; one++) {
		if (cells->size != SIZE_FULL && !one->always)
			continue;
		cell.workload = one->name;
		cell.injected = one->injected;
		for (i = 0; i < cells->count; i++) {
			cell.row = cells->rows[i]->row;
			cells->add(cells->arg, &cell);
		}
	}
}
