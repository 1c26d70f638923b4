// SPDX-License-Identifier: MIT
#include "runner/timing/rounds.h"

#include <stdio.h>

#include "base/exit.h"
#include "base/rng.h"
#include "base/time.h"

/* Google Benchmark's keys, so that its tools read the record. */
static int book(struct rounds *rounds, const struct rounds_cell *cell, unsigned int round,
		json_t *result)
{
	const struct workload_cell *told = &cell->told;
	char name[128];

	snprintf(name, sizeof(name), "%s/%s", told->row, told->workload);
	json_object_set_new(result, "name", json_string(name));
	json_object_set_new(result, "run_name", json_string(name));
	json_object_set_new(result, "run_type", json_string("iteration"));
	json_object_set_new(result, "repetitions", json_integer(told->rounds));
	json_object_set_new(result, "repetition_index", json_integer(round));
	json_object_set_new(result, "threads", json_integer(told->threads));
	json_object_set_new(result, "time_unit", json_string("ns"));
	json_object_set_new(result, "row", json_string(told->row));
	json_object_set_new(result, "workload", json_string(told->workload));
	if (told->injected.on) {
		json_object_set_new(result, "wrap_share",
				    json_real(cell_share(told->injected.wrap_every)));
		json_object_set_new(result, "nested_share",
				    json_real(cell_share(told->injected.nest_every)));
		json_object_set_new(result, "nested_depth",
				    json_integer((json_int_t)told->injected.nest_depth));
	}
	json_array_append(rounds->rows, result);
	return record_add_row(rounds->record, result);
}

struct cell rounds_cell(const struct rounds *rounds, const struct rounds_cell *cell)
{
	return (struct cell){
		.row = cell->told.row,
		.cheap = cell->told.cheap,
		.injected = cell->told.injected,
		.pairs = cell->told.pairs,
		.instructions = cell->instructions,
		.atomics = cell->atomics,
		.pu = rounds->pu,
		.threads = cell->told.threads,
	};
}

/* Runs and books one slot of a cell. */
static int run_one(struct rounds *rounds, const struct rounds_cell *cell, unsigned int round)
{
	const struct cell told = rounds_cell(rounds, cell);
	json_t *result;
	int error = cell_process_run(&rounds->process, &told, &result);

	if (!error)
		error = book(rounds, cell, round, result);
	json_decref(result);
	return error;
}

/* The cells that take part in a round, in its own order. */
static int run_round(struct rounds *rounds, unsigned int round)
{
	unsigned int order[ROUNDS_CELLS_MAX], i;
	const struct rounds_cell *cell;
	uint64_t state;
	char what[96];
	int error = 0;

	for (i = 0; i < rounds->cells; i++)
		order[i] = i;
	/* Of seed and round, so that a round's order can be had again. */
	state = rounds->seed * RNG_GOLDEN + round;
	rng_shuffle(order, rounds->cells, &state);
	for (i = 0; i < rounds->cells && !error; i++) {
		cell = &rounds->cell[order[i]];
		if (round >= cell->told.rounds)
			continue;
		if (workload_stop)
			return EXIT_INTERRUPTED;
		snprintf(what, sizeof(what), "round %u, %s", round + 1, cell->told.row);
		progress_step(rounds->progress, "timed", what);
		error = run_one(rounds, cell, round);
		progress_done(rounds->progress, ROUNDS_SLOT_SECONDS);
	}
	progress_done(rounds->progress, ROUNDS_PROCESS_SECONDS);
	return error;
}

int rounds_run(struct rounds *rounds)
{
	uint64_t begin = time_ns();
	unsigned int round;
	int error = 0, end;

	for (round = 0; round < rounds->rounds && !error; round++) {
		if (rounds->seconds > 0 && round >= ROUNDS_LEAST &&
		    (double)(time_ns() - begin) > rounds->seconds * 1e9)
			break;
		error = cell_process_start(&rounds->process);
		if (error)
			return error;
		error = run_round(rounds, round);
		end = cell_process_end(&rounds->process);
		error = error ? error : end;
	}
	return error;
}
