// SPDX-License-Identifier: MIT
/* steady: events back to back, and nobody interrupts. Its cells are what all ratios are of. */
#include "workloads/engine/thread.h"

#define TWINS 5

static const struct workload_engine engine = {
	.sharable = true,
	.timeable = true,
	.record = engine_record,
};

static struct workload_cell cell_of(const char *row, const char *workload, unsigned int rounds)
{
	return (struct workload_cell){
		.row = row, .workload = workload, .threads = 1, .rounds = rounds
	};
}

/*
 * Some that are measured twice, the last ones of each fifth: what they differ from themselves by is
 * noise. System calls have more of it than what is ranked beside them.
 */
static void add_twins(const struct workload_cells *plan)
{
	struct workload_cell cell = cell_of(NULL, CELLS_AGAIN, plan->rounds);
	const struct driver *row;
	int i, part = (plan->count + TWINS - 1) / TWINS;

	cell.base = workload_steady.name;
	for (i = plan->count - 1; i >= 0; i--) {
		row = plan->rows[i];
		if (!row->blocks && !(row->desc->needs & NEED_MASKED_INTERRUPTS) &&
		    !driver_is_floor(row) && (!cell.row || i % part == part - 1)) {
			cell.row = row->row;
			plan->add(plan->arg, &cell);
		}
	}
}

static void cells(const struct workload_cells *plan)
{
	static const char *const names[] = { "steady", CELLS_CHEAP };
	struct workload_cell cell;
	unsigned int k;
	int i;

	for (k = 0; k < 2; k++) {
		cell = cell_of(NULL, names[k], plan->rounds);
		/* The same rows with a clock that hides nothing. */
		cell.cheap = k == 1;
		for (i = 0; i <= plan->count; i++) {
			cell.row = i < plan->count ? plan->rows[i]->row : CELL_CLOCK;
			plan->add(plan->arg, &cell);
		}
	}
	cell = cell_of(CELL_EMPTY, workload_steady.name, plan->rounds);
	plan->add(plan->arg, &cell);
	add_twins(plan);
}

const struct workload workload_steady = {
	.name = "steady",
	.text = "one pinned thread, events back to back, no interrupts",
	.always = true,
	.plot = "choice",
	.engine = &engine,
	.forms = { { .section = "stress", .seconds = { 0.05, 0.2, 2 } } },
	.cells = cells,
	.in_table = true,
	.beats = true,
};
