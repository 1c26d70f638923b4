// SPDX-License-Identifier: MIT
/*
 * Rounds with cells that take no time: this file stands for their processes and for the record, and
 * says what each repetition has measured.
 */
#include "tests/support/test.h"

#include <math.h>

#include "base/exit.h"
#include "base/time.h"
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

/* What the cells answer with, and where something goes wrong. */
static double (*ns_of)(const char *row, unsigned int nth);
static double probe_of[RUNS_MOST];
static double waited_ns;
static unsigned int fails_at, stops_at, full_at;
static int end_status;

int cell_process_start(struct cell_process *process, const char *topology)
{
	assert_string_equal(topology, "topology");
	assert_int_equal(started++, ended);
	return started == fails_at ? EXIT_RESOURCE : 0;
}

int cell_process_end(struct cell_process *process)
{
	assert_int_equal(++ended, started);
	return end_status;
}

int cell_process_run(struct cell_process *process, const char *row, const struct cell *cell,
		     json_t **result)
{
	unsigned int nth = run_count++;

	assert_true(nth < RUNS_MOST && started == ended + 1);
	runs[nth].row = row;
	runs[nth].cell = *cell;
	runs[nth].process = started;
	workload_stop |= run_count == stops_at;
	*result = NULL;
	if (run_count == fails_at)
		return EXIT_RESOURCE;
	*result = json_pack("{s:f, s:f, s:f, s:f}", "ns", ns_of(row, nth), "ticks", ns_of(row, nth),
			    "probe", probe_of[nth] * cell->threads, "waited_ns", waited_ns);
	return 0;
}

int record_add_row(struct record *record, json_t *row)
{
	assert_ptr_equal(record, &rounds); /* handed on, and never looked into */
	assert_non_null(json_object_get(row, "name"));
	return ++added == full_at ? EXIT_RESOURCE : 0;
}

static double steady_ns(const char *row, unsigned int nth)
{
	return !strcmp(row, "a") ? 20 : 10;
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
			.iterations = 4096 * (i + 1),
		};
	rounds.cells = CELLS;
	rounds.seed = 7;
	rounds.half_width = 0.01;
	rounds.cell_ns = 1e6;
	rounds.until_ns = UINT64_MAX;
	rounds.topology = "topology";
	rounds.pu = pu;
	rounds.record = (struct record *)(void *)&rounds;
	rounds.rows = json_array();
	rounds.progress = &progress;
	for (i = 0; i < RUNS_MOST; i++)
		probe_of[i] = 1;
	ns_of = steady_ns;
	run_count = started = ended = added = fails_at = stops_at = full_at = 0;
	end_status = 0;
	waited_ns = 0;
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

/* A round is one process that runs every cell once that lacks one, and with it its floor. */
static void each_round_runs_each_cell_once(void **state)
{
	unsigned int process;

	rounds.cell[1].told.rounds = 1;
	assert_int_equal(rounds_run(&rounds), 0);
	assert_int_equal(started, 3);
	assert_int_equal(ended, 3);
	for (process = 1; process <= 3; process++) {
		assert_int_equal(count(SAMPLES_FLOOR, process), 1);
		assert_int_equal(count("a", process), 1);
		assert_int_equal(count("b", process), 1);
		assert_int_equal(count(CELL_CLOCK, process), process == 1);
	}
	assert_int_equal(rounds.cell[1].done, 3);
	assert_int_equal(rounds.cell[3].done, 1);
	assert_int_equal(rounds.cell[0].undisturbed, 3);
	assert_int_equal(added, 10);
	/* Three times a cell's time is what it takes; what is more than was planned takes none. */
	assert_float_equal(progress.done, (3 + 3 + 1 + 1) * 3e-3, 1e-12);
}

static void a_cell_is_told_what_it_has_to_do(void **state)
{
	unsigned int i;

	rounds.cell[0].told.cheap = true;
	rounds.cell[2].told.injected.on = true;
	rounds.cell[2].told.injected.nest_depth = 3;
	rounds.cell[2].told.threads = 2;
	rounds.least_probe[0] = 2;
	assert_int_equal(rounds_run(&rounds), 0);
	for (i = 0; i < run_count; i++) {
		const struct cell *cell = &runs[i].cell;
		bool a = !strcmp(runs[i].row, "a"), b = !strcmp(runs[i].row, "b");

		assert_true(cell->cheap == a);
		assert_true(cell->injected.on == b);
		assert_int_equal(cell->injected.nest_depth, b ? 3 : 0);
		assert_int_equal(cell->threads, b ? 2 : 1);
		assert_int_equal(cell->pu[1], 6);
		if (a || b)
			assert_int_equal(cell->iterations, 4096 * (a ? 1 : 3));
	}
	/* The best guess at first, and then the calmest probe with as many threads. */
	assert_float_equal(rounds.least_probe[0], 1, 0);
	assert_float_equal(rounds.least_probe[1], 2, 0);
	for (i = 0; i < run_count; i++)
		if (runs[i].process == 3)
			assert_float_equal(runs[i].cell.probe_limit,
					   runs[i].cell.threads * SAMPLES_UNDISTURBED, 1e-12);
	assert_int_equal(rounds.cell[2].undisturbed, 3);
	assert_float_equal(runs[0].cell.probe_limit,
			   strcmp(runs[0].row, "b") ? 2 * SAMPLES_UNDISTURBED : 0, 1e-12);
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
		const char *row = json_string_value(json_object_get(one, "row"));

		assert_string_equal(json_string_value(json_object_get(one, "workload")), "steady");
		assert_string_equal(json_string_value(json_object_get(one, "time_unit")), "ns");
		assert_string_equal(json_string_value(json_object_get(one, "run_type")),
				    "iteration");
		assert_int_equal(json_integer_value(json_object_get(one, "threads")), 1);
		assert_int_equal(json_integer_value(json_object_get(one, "repetition_index")),
				 runs[i].process - 1);
		assert_int_equal(json_integer_value(json_object_get(one, "repetitions")),
				 strcmp(row, CELL_CLOCK) ? 3 : 1);
		assert_string_equal(row, runs[i].row);
		if (!strcmp(row, "a")) {
			assert_string_equal(json_string_value(json_object_get(one, "name")),
					    "a/steady");
			assert_string_equal(json_string_value(json_object_get(one, "run_name")),
					    "a/steady");
		}
		if (!json_object_get(one, "wrap_share"))
			continue;
		injected++;
		assert_string_equal(row, "b");
		assert_float_equal(json_real_value(json_object_get(one, "wrap_share")), 1. / 8, 0);
		assert_float_equal(json_real_value(json_object_get(one, "nested_share")), 1. / 4,
				   0);
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

/* ---- more, for noise ---- */

static double noisy_ns(const char *row, unsigned int nth)
{
	return strcmp(row, "b") ? steady_ns(row, nth) : 10 + nth % 7;
}

static double noisy_until_40(const char *row, unsigned int nth)
{
	return nth < 40 ? noisy_ns(row, nth) : 13;
}

static void only_what_is_noisy_has_more(void **state)
{
	ns_of = noisy_until_40;
	rounds.cell[0].told.rounds = rounds.cell[2].told.rounds = 8;
	rounds.budget_seconds = 60;
	assert_int_equal(rounds_run(&rounds), 0);
	assert_int_equal(count("a", 0), 8);
	assert_int_equal(count(CELL_CLOCK, 0), 1);
	assert_true(count("b", 0) > 20 && count("b", 0) == count(SAMPLES_FLOOR, 0));
	assert_int_equal(count(NULL, 9), 2);
	assert_true(rounds.spent_seconds > 0 && rounds.spent_seconds < 60);
	/* The time left is that of the budget. */
	assert_float_equal(progress.done, (3 + 8 + 8 + 1) * 3e-3 + rounds.spent_seconds, 1e-9);
	assert_float_equal(progress.total, (3 + 8 + 8 + 1) * 3e-3 + 60, 1e-9);
}

static double slow_ns(const char *row, unsigned int nth)
{
	uint64_t end = time_ns() + 200000;

	while (time_ns() < end)
		;
	return noisy_ns(row, nth);
}

static void more_rounds_end_with_the_budget(void **state)
{
	ns_of = noisy_ns;
	rounds.budget_seconds = 0;
	assert_int_equal(rounds_run(&rounds), 0);
	assert_int_equal(count("b", 0), 3);
	anew(state);
	ns_of = slow_ns;
	rounds.budget_seconds = 2e-3; /* of which b and its floor take 0.4 a round */
	rounds.cell[2].told.rounds = 8;
	waited_ns = 1e3; /* which is in it, and not beside it */
	assert_int_equal(rounds_run(&rounds), 0);
	assert_in_range(count("b", 0), 9, 13);
	assert_true(rounds.spent_seconds >= 2e-3);
	assert_true(rounds.spent_seconds < 1);
}

/* ---- waiting ---- */

static void who_has_enough_does_not_wait(void **state)
{
	unsigned int i, b = 0;

	rounds.budget_seconds = 1;
	rounds.half_width = 1;
	waited_ns = 1e6;
	for (i = 0; i < CELLS; i++)
		rounds.cell[i].told.rounds = 12;
	assert_int_equal(rounds_run(&rounds), 0);
	for (i = 0; i < run_count; i++) {
		const struct cell *cell = &runs[i].cell;

		/* 1 s, less a millisecond for each before; from the ninth on nothing. */
		assert_float_equal(cell->wait_ns, runs[i].process > 8 ? 0 : 1e9 - 1e6 * i, 0.5);
		b += !strcmp(runs[i].row, "b");
	}
	assert_int_equal(b, 12);
	assert_float_equal(rounds.spent_seconds, 48e-3, 1e-9);
	/* Neighbours stay for half a second: two are enough. */
	anew(state);
	rounds.budget_seconds = 100;
	assert_int_equal(rounds_run(&rounds), 0);
	assert_float_equal(runs[0].cell.wait_ns, 2e9, 0);
	/* Who was disturbed has nothing yet. */
	anew(state);
	rounds.budget_seconds = 1;
	rounds.half_width = 1;
	rounds.least_probe[0] = 0.5;
	for (i = 0; i < CELLS; i++)
		rounds.cell[i].told.rounds = 12;
	assert_int_equal(rounds_run(&rounds), 0);
	assert_float_equal(runs[4 * 12 - 1].cell.wait_ns, 1e9, 0);
	assert_int_equal(rounds.cell[0].undisturbed, 0);
}

/* ---- trials ---- */

static double trial_ns(const char *row, unsigned int nth)
{
	return !strcmp(row, "a") ? 10 : !strcmp(row, "b") ? 1e9 : 100;
}

static void trials_find_how_many_events(void **state)
{
	unsigned int i;

	ns_of = trial_ns;
	rounds.cell_ns = 6e6;
	rounds.cell[1].told.cheap = true;
	for (i = 0; i < CELLS; i++)
		rounds.cell[i].told.rounds = i < 3 ? 21 : 3;
	assert_int_equal(rounds_calibrate(&rounds), 0);
	assert_int_equal(started, 1);
	assert_int_equal(ended, 1);
	assert_int_equal(added, 0);
	assert_int_equal(run_count, CELLS);
	for (i = 0; i < CELLS; i++) {
		assert_string_equal(runs[i].row, rounds.cell[i].told.row);
		assert_int_equal(runs[i].cell.iterations, 16 * CELL_BATCH);
		assert_true(runs[i].cell.wait_ns == 0);
	}
	/* Whole batches, at least 8; a third of the time with a cheap clock. */
	assert_int_equal(rounds.cell[1].iterations, 8 * CELL_BATCH);
	assert_int_equal(rounds.cell[0].iterations, 600000 / CELL_BATCH * CELL_BATCH);
	assert_int_equal(rounds.cell[2].iterations, 8 * CELL_BATCH);
	assert_int_equal(rounds.cell[3].iterations, 60000 / CELL_BATCH * CELL_BATCH);
	/* As planned; of the 13 above 8 the part that the time of one is of 8 batches; 8; few. */
	assert_int_equal(rounds.cell[0].told.rounds, 21);
	assert_int_equal(rounds.cell[1].told.rounds, 8 + (int)(13 * 2e6 / (8 * CELL_BATCH * 100)));
	assert_int_equal(rounds.cell[2].told.rounds, 8);
	assert_int_equal(rounds.cell[3].told.rounds, 3);
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
	assert_int_equal(rounds.cell[1].done + rounds.cell[0].done + rounds.cell[2].done +
				 rounds.cell[3].done,
			 1);
	anew(state);
	end_status = EXIT_RESOURCE; /* a process that ended badly is one */
	assert_int_equal(rounds_run(&rounds), EXIT_RESOURCE);
	assert_int_equal(run_count, CELLS);
	anew(state);
	fails_at = 2;
	assert_int_equal(rounds_calibrate(&rounds), EXIT_RESOURCE);
	assert_int_equal(run_count, 2);
	anew(state);
	ns_of = noisy_ns;
	rounds.budget_seconds = 60;
	rounds.cell[2].told.rounds = 8;
	full_at = 21; /* the first round of those for noise */
	assert_int_equal(rounds_run(&rounds), EXIT_RESOURCE);
}

static void a_user_stops_it(void **state)
{
	stops_at = 3;
	assert_int_equal(rounds_run(&rounds), EXIT_INTERRUPTED);
	assert_int_equal(run_count, 3);
	assert_int_equal(added, 3);
	anew(state);
	stops_at = 2;
	assert_int_equal(rounds_calibrate(&rounds), EXIT_INTERRUPTED);
	assert_int_equal(run_count, 2);
}

static int end(void **state)
{
	json_decref(rounds.rows);
	return 0;
}

TESTS_OF(NULL, end, anew, NULL, each_round_runs_each_cell_once, a_cell_is_told_what_it_has_to_do,
	 a_record_says_it_in_these_keys, rounds_are_shuffled, only_what_is_noisy_has_more,
	 more_rounds_end_with_the_budget, who_has_enough_does_not_wait, trials_find_how_many_events,
	 an_error_ends_it, a_user_stops_it)
