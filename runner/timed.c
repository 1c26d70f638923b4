// SPDX-License-Identifier: MIT
#include "runner/timed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "results/samples.h"

/* ---- the plan ---- */

static void add(void *arg, const struct workload_cell *cell)
{
	struct rounds *rounds = arg;

	if (rounds->cells < ROUNDS_CELLS_MAX)
		rounds->cell[rounds->cells++] = (struct rounds_cell){ *cell, -1, -1 };
}

void timed_plan(struct rounds *rounds, const struct workload_bench *bench, uint64_t repetitions)
{
	static const unsigned int usual[SIZES] = { 9, 21, 41 };
	static const double seconds[SIZES] = { 12, 60, 0 };
	struct workload_cells plan = {
		.rows = bench->rows,
		.count = bench->count,
		.cpus = bench->cpus,
		.size = bench->size,
		.rounds = repetitions ? (unsigned int)repetitions : usual[bench->size],
		.add = add,
		.arg = rounds,
	};
	unsigned int i;

	for (i = 0; workloads[i]; i++)
		if (bench->chosen[i] && workloads[i]->cells)
			workloads[i]->cells(&plan);
	/* A record without any slot is none: the floor stands in. */
	if (!rounds->cells)
		add(rounds, &(struct workload_cell){ .row = SAMPLES_FLOOR,
						     .workload = workloads[0]->name,
						     .threads = 1,
						     .rounds = 1 });
	rounds->rounds = plan.rounds;
	rounds->seconds = repetitions ? 0 : seconds[bench->size];
	rounds->seed = bench->seed;
	rounds->pu = bench->pu;
}

void timed_tell(struct rounds *rounds, const struct workload_bench *bench,
		const struct counted *counted)
{
	struct rounds_cell *cell;
	int i;

	for (cell = rounds->cell; cell < rounds->cell + rounds->cells; cell++)
		for (i = 0; i < bench->count; i++) {
			if (strcmp(bench->rows[i]->row, cell->told.row) != 0)
				continue;
			cell->instructions = counted[i].instructions;
			cell->atomics = counted[i].calm.atomics;
		}
}

double timed_seconds(const struct rounds *rounds)
{
	double seconds = rounds->rounds * ROUNDS_PROCESS_SECONDS;
	unsigned int i;

	for (i = 0; i < rounds->cells; i++)
		seconds += rounds->cell[i].told.rounds * ROUNDS_SLOT_SECONDS;
	return seconds;
}

/* ---- the run ---- */

int timed_library(const struct rounds *rounds, const struct place *place, int argc, char **argv)
{
	struct gbench_cell *cells = calloc(rounds->cells, sizeof(*cells));
	struct cell *told = calloc(rounds->cells, sizeof(*told));
	struct cell_state **state = calloc(rounds->cells, sizeof(struct cell_state *));
	char(*names)[128] = calloc(rounds->cells, sizeof(*names));
	int error = cells && told && state && names ? 0 : fail_memory("cells");
	unsigned int i;

	for (i = 0; i < rounds->cells && !error; i++) {
		told[i] = rounds_cell(rounds, &rounds->cell[i]);
		told[i].place = place;
		snprintf(names[i], sizeof(names[i]), "%s/%s", told[i].row,
			 rounds->cell[i].told.workload);
		state[i] = cell_open(&told[i], names[i], &cells[i]);
		error = state[i] ? 0 : EXIT_RESOURCE;
	}
	if (!error)
		error = gbench_main(argc, argv, cells, rounds->cells);
	for (i = 0; i < rounds->cells && state; i++)
		cell_close(state[i]);
	free(cells);
	free(told);
	free(state);
	free(names);
	return error;
}

/* A slot whose ring fails an oracle is a broken promise, not a time. */
static void judge_slots(struct run *run)
{
	const char *violation, *row;
	const json_t *one;
	size_t index;
	char why[96];
	int i;

	json_array_foreach(run->repetitions, index, one) {
		violation = json_string_value(json_object_get(one, "violation"));
		row = json_string_value(json_object_get(one, "row"));
		for (i = 0; violation && i < run->rows; i++) {
			if (strcmp(run->row[i].row, row))
				continue;
			snprintf(why, sizeof(why), "timed: %s", violation);
			run_broke(run, i, why);
		}
	}
}

int timed_run(struct rounds *rounds, struct run *run)
{
	int error;

	rounds->record = run->record;
	rounds->rows = run->repetitions;
	rounds->progress = &run->progress;
	error = rounds_run(rounds);
	if (!error)
		judge_slots(run);
	return error;
}

/* ---- what came of it ---- */

const char *timed_loop_workload(const struct rounds *rounds)
{
	unsigned int i;

	for (i = 0; i < rounds->cells; i++)
		if (!strcmp(rounds->cell[i].told.row, CELL_EMPTY))
			return rounds->cell[i].told.workload;
	return "";
}

json_t *timed_again(const struct rounds *rounds)
{
	const struct workload_cell *cell;
	json_t *all = json_array();
	double first, again;
	unsigned int i;

	for (i = 0; i < rounds->cells; i++) {
		cell = &rounds->cell[i].told;
		if (strcmp(cell->workload, CELLS_AGAIN) != 0)
			continue;
		first = summary_median(rounds->rows, cell->row, cell->base, "ratio");
		again = summary_median(rounds->rows, cell->row, cell->workload, "ratio");
		if (isfinite(again / first))
			json_array_append_new(all, json_pack("{s:s, s:s, s:f}", "row", cell->row,
							     "workload", cell->workload, "change",
							     again / first - 1));
	}
	return all;
}

static json_t *injected_line(const struct rounds *rounds, const struct workload_cell *cell)
{
	const struct samples_cell own = { cell->row, cell->workload };
	struct stats_interval ratio = samples_median(rounds->rows, &own, "ratio");
	double calm = summary_median(rounds->rows, own.row, own.workload, "ratio_calm");

	if (!strcmp(cell->row, SAMPLES_FLOOR))
		ratio.middle = 1;
	return json_pack(
		"{s:s, s:s, s:f, s:f, s:I, s:o, s:o, s:o, s:o, s:o}", "row", own.row, "workload",
		own.workload, "wrap_share", cell_share(cell->injected.wrap_every), "nested_share",
		cell_share(cell->injected.nest_every), "nested_depth",
		(json_int_t)cell->injected.nest_depth, "cycles",
		json_or_null(summary_median(rounds->rows, own.row, own.workload, "cycles")),
		"ratio", json_or_null(ratio.middle), "ratio_95_low", json_or_null(ratio.low),
		"ratio_95_high", json_or_null(ratio.high), "loss_to_calm", json_or_null(calm - 1));
}

json_t *timed_injected(const struct rounds *rounds)
{
	json_t *lines = json_array();
	unsigned int i;

	for (i = 0; i < rounds->cells; i++)
		if (rounds->cell[i].told.injected.on)
			json_array_append_new(lines, injected_line(rounds, &rounds->cell[i].told));
	return lines;
}

/* ---- noise ---- */

double timed_apart(const struct summary_table *table, const json_t *again)
{
	static const double steps[] = { 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2 };
	double half[4 * DRIVERS_MAX], most = 0, middle;
	const struct summary_line *line;
	const json_t *one;
	size_t i, count = 0;

	for (line = table->line; line < table->line + table->count; line++) {
		/* The floor's ratio to itself is 1, however few slots it has. */
		half[count] = stats_half_width(&line->ratio);
		count += isfinite(half[count]) && strcmp(line->about.row, SAMPLES_FLOOR) != 0;
	}
	stats_sort(half, count);
	middle = stats_quantile(half, count, 0.5);
	json_array_foreach(again, i, one)
		most = fmax(most, fabs(json_known(one, "change")));
	if (isnan(middle))
		return INFINITY;
	most = fmax(most, sqrt(2) * middle);
	/*
	 * Rounded up, so that two runs that differ little have the same ranks; from 0.3 % on, since
	 * where rings and code lie makes that of the same code (docs/measuring.md has the false
	 * alarms).
	 */
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (most <= steps[i])
			return steps[i];
	return INFINITY;
}

json_t *timed_noise_json(const struct rounds *rounds, double apart)
{
	size_t i, slots = json_array_size(rounds->rows), shared = 0;
	const json_t *one;

	json_array_foreach(rounds->rows, i, one)
		shared += json_known(one, "shared") > 0;
	return json_pack("{s:o, s:I, s:I, s:o}", "apart", json_or_null(apart), "slots",
			 (json_int_t)slots, "shared", (json_int_t)shared, "cycle_ticks",
			 json_or_null(samples_cycle_ticks(rounds->rows)));
}
