// SPDX-License-Identifier: MIT
/* steady: events back to back, and nobody interrupts. Its cells are what all ratios are of. */
#include "workloads/engine/thread.h"

#define CHEAP_ROUNDS 21

static const struct workload_engine engine = {
	.sharable = true,
	.timeable = true,
	.record = engine_record,
};

static const struct workload_form forms[] = {
	{ .section = "stress", .seconds = { 0.05, 0.2, 2 } },
	{ .section = NULL },
};

/* One that is measured twice: what it differs from itself by is noise. */
static const char *row_again(const struct workload_cells *plan)
{
	int i;

	for (i = 0; i < plan->count; i++)
		if (!(plan->rows[i]->desc->needs & NEED_MASKED_INTERRUPTS))
			return plan->rows[i]->row;
	return NULL;
}

static struct workload_cell cell_of(const char *row, unsigned int rounds)
{
	return (struct workload_cell){
		.row = row, .workload = workload_steady.name, .threads = 1, .rounds = rounds
	};
}

/* The same rows with a clock that hides nothing; not where there is no time for it. */
static void add_cheap(const struct workload_cells *plan)
{
	unsigned int rounds = plan->rounds < CHEAP_ROUNDS ? plan->rounds : CHEAP_ROUNDS;
	struct workload_cell cell = cell_of(NULL, rounds);
	int i;

	cell.workload = CELLS_CHEAP;
	cell.cheap = true;
	for (i = 0; i <= plan->count; i++) {
		cell.row = i < plan->count ? plan->rows[i]->row : CELL_CLOCK;
		plan->add(plan->arg, &cell);
	}
}

static void cells(const struct workload_cells *plan)
{
	struct workload_cell cell;
	int i;

	for (i = 0; i < plan->count; i++) {
		cell = cell_of(plan->rows[i]->row, plan->rounds);
		plan->add(plan->arg, &cell);
	}
	cell = cell_of(CELL_EMPTY, plan->rounds);
	plan->add(plan->arg, &cell);
	cell = cell_of(CELL_CLOCK, plan->rounds);
	plan->add(plan->arg, &cell);
	cell = cell_of(row_again(plan), plan->rounds);
	cell.workload = CELLS_AGAIN;
	cell.base = workload_steady.name;
	if (cell.row)
		plan->add(plan->arg, &cell);
	if (plan->size != SIZE_QUICK)
		add_cheap(plan);
}

const struct workload workload_steady = {
	.name = "steady",
	.text = "one pinned thread, events back to back, no interrupts",
	.always = true,
	.plot = "choice",
	.engine = &engine,
	.forms = forms,
	.cells = cells,
	.in_table = true,
	.beats = true,
};
