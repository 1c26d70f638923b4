// SPDX-License-Identifier: MIT
/*
 * power: how small a difference does a bench find? Copies of each row record some events more than
 * are counted, so that it is known by how much they are slower; the first records none, and is told
 * apart by chance alone. `make bench-power` runs it again and again (extras/power/power.py).
 */
#include "judge/driver.h"
#include "workloads/workload.h"

#define BATCH 4096 /* as CELL_BATCH of runner/timing/cell.h */

static void cells(const struct workload_cells *plan)
{
	static const struct {
		const char *name;
		unsigned int more; /* of BATCH events */
	} planted[] = {
		{ CELLS_AGAIN ":+0%", 0 },
		{ CELLS_AGAIN ":+0.5%", BATCH / 200 },
		{ CELLS_AGAIN ":+1%", BATCH / 100 },
		{ CELLS_AGAIN ":+2%", BATCH / 50 },
	};
	struct workload_cell cell = { .base = workload_steady.name,
				      .threads = 1,
				      .rounds = plan->rounds };
	unsigned int k;
	int i;

	for (i = 0; i < plan->count; i++)
		for (k = 0; k < 4 && !driver_is_floor(plan->rows[i]); k++) {
			cell.row = plan->rows[i]->row;
			cell.workload = planted[k].name;
			cell.more = planted[k].more;
			plan->add(plan->arg, &cell);
		}
}

const struct workload workload_power = {
	.name = "power",
	.text = "copies of each row that are slower by a known share: are they told apart?",
	.least = SIZES,
	.cells = cells,
	.instead = "bench",
};
