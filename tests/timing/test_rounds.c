// SPDX-License-Identifier: MIT
/*
 * Rounds with cells that take no time: this file stands for their processes and for the record, and
 * says what each repetition has measured.
 */
#include "tests/support/test.h"

#include <math.h>

#include "base/exit.h"
#include "base/json.h"
#include "results/samples.h"
#include "runner/timing/rounds.h"

#define CELLS 4
#define RUNS_MOST 512

static struct rounds rounds;
static struct progress progress;

/* What was asked for, in turn. */
static struct {
	const char *row;
	struct cell cell;
	unsigned int process;
} runs[RUNS_MOST];
static unsigned int run_count, started, ended, added;

/* Where something goes wrong. */
static unsigned int fails_at, stops_at, full_at;
static int end_status;

int cell_process_start(struct cell_process *process)
{
	assert_int_equal(started++, ended);
	return started == fails_at ? EXIT_RESOURCE : 0;
}

int cell_process_end(struct cell_process *process)
{
	assert_int_equal(++ended, started);
	return end_status;
}

int cell_process_run(struct cell_process *process, const struct cell *cell, json_t **result)
{
	const char *row = cell->row;
	unsigned int nth = run_count++;

	assert_true(nth < RUNS_MOST && started == ended + 1);
	runs[nth].row = row;
	runs[nth].cell = *cell;
	runs[nth].process = started;
	workload_stop |= run_count == stops_at;
	*result = NULL;
	if (run_count == fails_at)
		return EXIT_RESOURCE;
	*result = json_pack("{s:f}", "ticks", 10.);
	return 0;
}

int record_add_row(struct record *record, json_t *row)
{
	assert_ptr_equal(record, &rounds); /* handed on, and never looked into */
	assert_non_null(json_object_get(row, "name"));
	return ++added == full_at ? EXIT_RESOURCE : 0;
}

/* Cells: a, its floor and b of 3 rounds, and the clock of 1, which is compared with nothing. */
static int anew(void **state)
{
	static const char *const rows[CELLS] = { "a", SAMPLES_FLOOR, "b", CELL_CLOCK };
	static const unsigned int pu[2] = { 5, 6 };
	unsigned int i;

	json_decref(rounds.rows);
	memset(&rounds, 0, sizeof(rounds));
	memset(&progress, 0, sizeof(progress));
	for (i = 0; i < CELLS; i++)
		rounds.cell[i] = (struct rounds_cell){
			.told = { .row = rows[i],
				  .workload = "steady",
				  .threads = 1,
				  .rounds = i < 3 ? 3 : 1 },
			.instructions = i + 1,
			.atomics = -1,
		};
	rounds.cells = CELLS;
	rounds.seed = 7;
	rounds.rounds = 3;
	rounds.pu = pu;
	rounds.record = (struct record *)(void *)&rounds;
	rounds.rows = json_array();
	rounds.progress = &progress;
	run_count = started = ended = added = fails_at = stops_at = full_at = 0;
	end_status = 0;
	workload_stop = 0;
	progress_begin(&progress, 100);
	progress.terminal = false;
	progress.printed_percent = 0;
	return 0;
}

static unsigned int count(const char *row, unsigned int process)
{
	unsigned int i, found = 0;

	for (i = 0; i < run_count; i++)
		found += (!row || !strcmp(runs[i].row, row)) &&
			 (!process || runs[i].process == process);
	return found;
}

/* A round is one process that runs every cell once that lacks one. */
static void each_round_runs_each_cell_once(void **state)
{
	unsigned int process;

	assert_int_equal(rounds_run(&rounds), 0);
	assert_int_equal(started, 3);
	assert_int_equal(ended, 3);
	for (process = 1; process <= 3; process++) {
		assert_int_equal(count(SAMPLES_FLOOR, process), 1);
		assert_int_equal(count("a", process), 1);
		assert_int_equal(count("b", process), 1);
		assert_int_equal(count(CELL_CLOCK, process), process == 1);
	}
	assert_int_equal(added, 10);
	assert_float_equal(progress.done, 10 * ROUNDS_SLOT_SECONDS + 3 * ROUNDS_PROCESS_SECONDS,
			   1e-12);
}

static void a_cell_is_told_what_it_has_to_do(void **state)
{
	unsigned int i;

	rounds.cell[0].told.cheap = true;
	rounds.cell[2].told.injected.on = true;
	rounds.cell[2].told.injected.nest_depth = 3;
	rounds.cell[2].told.threads = 2;
	rounds.cell[2].told.pairs = 24;
	assert_int_equal(rounds_run(&rounds), 0);
	for (i = 0; i < run_count; i++) {
		const struct cell *cell = &runs[i].cell;
		bool a = !strcmp(runs[i].row, "a"), b = !strcmp(runs[i].row, "b");

		assert_true(cell->cheap == a);
		assert_true(cell->injected.on == b);
		assert_int_equal(cell->injected.nest_depth, b ? 3 : 0);
		assert_int_equal(cell->threads, b ? 2 : 1);
		assert_int_equal(cell->pairs, b ? 24 : 0);
		assert_int_equal(cell->pu[1], 6);
		assert_true(cell->atomics < 0);
		if (a || b)
			assert_int_equal(cell->instructions, a ? 1 : 3);
	}
}

static void a_record_says_it_in_these_keys(void **state)
{
	json_t *one;
	size_t i;
	unsigned int injected = 0;

	rounds.cell[2].told.injected = (struct cell_injection){
		.on = true, .wrap_every = 8, .nest_every = 4, .nest_depth = 2
	};
	assert_int_equal(rounds_run(&rounds), 0);
	json_array_foreach(rounds.rows, i, one) {
		const char *row = json_text(one, "row");

		assert_string_equal(json_text(one, "workload"), "steady");
		assert_string_equal(json_text(one, "time_unit"), "ns");
		assert_string_equal(json_text(one, "run_type"), "iteration");
		assert_int_equal(json_integer_value(json_object_get(one, "threads")), 1);
		assert_int_equal(json_integer_value(json_object_get(one, "repetition_index")),
				 runs[i].process - 1);
		assert_int_equal(json_integer_value(json_object_get(one, "repetitions")),
				 strcmp(row, CELL_CLOCK) ? 3 : 1);
		assert_string_equal(row, runs[i].row);
		if (!strcmp(row, "a")) {
			assert_string_equal(json_text(one, "name"), "a/steady");
			assert_string_equal(json_text(one, "run_name"), "a/steady");
		}
		if (!json_object_get(one, "wrap_share"))
			continue;
		injected++;
		assert_string_equal(row, "b");
		assert_float_equal(json_number(one, "wrap_share"), 1. / 8, 0);
		assert_float_equal(json_number(one, "nested_share"), 1. / 4, 0);
		assert_int_equal(json_integer_value(json_object_get(one, "nested_depth")), 2);
	}
	assert_int_equal(i, 10);
	assert_int_equal(injected, 3);
}

/* Every order is as likely as any other, and the same for the same seed and round. */
static void rounds_are_shuffled(void **state)
{
	unsigned int first[CELLS][CELLS] = { { 0 } }, seed, i, k, again, other = 0;
	const char *order[CELLS];

	for (seed = 1; seed <= 400; seed++)
		for (again = 0; again < 2; again++) {
			anew(state);
			rounds.seed = seed;
			rounds.rounds = 2;
			for (i = 0; i < CELLS; i++)
				rounds.cell[i].told.rounds = 2;
			assert_int_equal(rounds_run(&rounds), 0);
			assert_int_equal(run_count, 2 * CELLS);
			for (i = 0; i < CELLS; i++) {
				for (k = 0; strcmp(runs[i].row, rounds.cell[k].told.row); k++)
					;
				first[i][k] += again;
				if (again)
					assert_string_equal(order[i], runs[i].row);
				order[i] = runs[i].row;
				other += again && strcmp(runs[i].row, runs[CELLS + i].row);
			}
		}
	/* 100 each are expected; 50 more or less are six times the spread. */
	for (i = 0; i < CELLS; i++)
		for (k = 0; k < CELLS; k++)
			assert_in_range(first[i][k], 50, 150);
	assert_in_range(other, 1000, 1400);
}

/* ---- a machine that is slow ---- */

static void rounds_end_where_time_does(void **state)
{
	unsigned int i;

	for (i = 0; i < CELLS; i++)
		rounds.cell[i].told.rounds = 20;
	rounds.rounds = 20;
	rounds.seconds = 1e-9;
	assert_int_equal(rounds_run(&rounds), 0);
	assert_int_equal(started, ROUNDS_LEAST);
	anew(state);
	for (i = 0; i < CELLS; i++)
		rounds.cell[i].told.rounds = 20;
	rounds.rounds = 20;
	rounds.seconds = 3600;
	assert_int_equal(rounds_run(&rounds), 0);
	assert_int_equal(started, 20);
}

/* ---- what goes wrong ---- */

static void an_error_ends_it(void **state)
{
	fails_at = 1; /* the process itself */
	assert_int_equal(rounds_run(&rounds), EXIT_RESOURCE);
	assert_int_equal(run_count + ended, 0);
	anew(state);
	fails_at = 5; /* a cell of the second round, or of the first's process */
	assert_int_equal(rounds_run(&rounds), EXIT_RESOURCE);
	assert_int_equal(run_count, 5);
	assert_int_equal(ended, 2);
	assert_int_equal(added, 4);
	anew(state);
	full_at = 2;
	assert_int_equal(rounds_run(&rounds), EXIT_RESOURCE);
	assert_int_equal(run_count, 2);
	assert_int_equal(json_array_size(rounds.rows), 2);
	anew(state);
	end_status = EXIT_RESOURCE; /* a process that ended badly is one */
	assert_int_equal(rounds_run(&rounds), EXIT_RESOURCE);
	assert_int_equal(run_count, CELLS);
}

static void a_user_stops_it(void **state)
{
	stops_at = 3;
	assert_int_equal(rounds_run(&rounds), EXIT_INTERRUPTED);
	assert_int_equal(run_count, 3);
	assert_int_equal(added, 3);
}

static int end(void **state)
{
	json_decref(rounds.rows);
	return 0;
}

TESTS_OF(NULL, end, anew, NULL, each_round_runs_each_cell_once, a_cell_is_told_what_it_has_to_do,
	 a_record_says_it_in_these_keys, rounds_are_shuffled, rounds_end_where_time_does,
	 an_error_ends_it, a_user_stops_it)
