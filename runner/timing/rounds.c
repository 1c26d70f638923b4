// SPDX-License-Identifier: MIT
#include "runner/timing/rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/exit.h"
#include "base/rng.h"
#include "base/time.h"
#include "results/samples.h"
#include "workloads/workload.h"
#include "runner/place/ticks.h"

#define TRIAL_ITERATIONS (16 * CELL_BATCH)
#define ITERATIONS_LEAST (8 * CELL_BATCH)

/* How long a repetition may wait for an undisturbed core: neighbours stay for half a second. */
#define WAIT_MOST_NS 2e9
/* So many undisturbed repetitions are waited for before it is known whether more are needed. */
#define UNDISTURBED_PLANNED (SAMPLES_LEAST + 2)

double rounds_cell_ns(const struct rounds *rounds, const struct rounds_cell *cell)
{
	/* Neither is ranked by. */
	return rounds->cell_ns / (cell->told.cheap || cell->told.injected.on ? 3 : 1);
}

/* Of the rounds that are planned. */
static double missing_seconds(const struct rounds *rounds)
{
	const struct rounds_cell *cell;
	double seconds = 0;

	for (cell = rounds->cell; cell < rounds->cell + rounds->cells; cell++)
		if (cell->done < cell->told.rounds)
			seconds += (cell->told.rounds - cell->done) * rounds_cell_ns(rounds, cell) *
				   3e-9;
	return seconds;
}

double rounds_budget_left(const struct rounds *rounds)
{
	double left = ((double)rounds->until_ns - (double)time_ns()) / 1e9;

	return fmax(0, fmin(rounds->budget_seconds - rounds->spent_seconds,
			    left - missing_seconds(rounds)));
}

/* What is known of undisturbed cores. */
static void learn_probe(struct rounds *rounds, bool several_threads, const json_t *result)
{
	double *least = &rounds->least_probe[several_threads];
	double probe = json_number_value(json_object_get(result, "probe"));

	if (probe > 0 && !(*least > 0 && *least <= probe))
		*least = probe;
}

static int run_cell(struct rounds *rounds, const struct rounds_cell *cell, uint64_t iterations,
		    double wait_ns, json_t **result)
{
	struct cell told = {
		.cheap = cell->told.cheap,
		.injected = cell->told.injected,
		.iterations = iterations,
		.pu = rounds->pu,
		.threads = cell->told.threads,
		.probe_limit = rounds->least_probe[cell->told.threads > 1] * SAMPLES_UNDISTURBED,
		.wait_ns = wait_ns,
	};
	int error = cell_process_run(&rounds->process, cell->told.row, &told, result);

	if (error)
		return error;
	learn_probe(rounds, cell->told.threads > 1, *result);
	rounds->spent_seconds += json_number_value(json_object_get(*result, "waited_ns")) / 1e9;
	return 0;
}

/* A time of a few batches that were left alone, if any were: an interrupt does not shorten it. */
static int try_cell(struct rounds *rounds, const struct rounds_cell *cell, double *ns)
{
	json_t *result;
	int error = run_cell(rounds, cell, TRIAL_ITERATIONS, 0, &result);

	if (error)
		return error;
	*ns = json_number_value(json_object_get(result, "ns"));
	json_decref(result);
	return 0;
}

/*
 * How long one takes, and how many of them: as planned, or fewer where an event takes so long, such
 * as two system calls, that one repetition takes much longer.
 */
static void plan_cell(const struct rounds *rounds, struct rounds_cell *cell, double ns)
{
	double planned_ns = rounds_cell_ns(rounds, cell), part;
	unsigned int least = UNDISTURBED_PLANNED;

	cell->iterations = (uint64_t)(planned_ns / ns) / CELL_BATCH * CELL_BATCH;
	if (cell->iterations >= ITERATIONS_LEAST)
		return;
	cell->iterations = ITERATIONS_LEAST;
	part = planned_ns / (ITERATIONS_LEAST * ns);
	if (cell->told.rounds > least)
		cell->told.rounds = least + (unsigned int)((cell->told.rounds - least) * part);
}

static int try_all(struct rounds *rounds)
{
	struct rounds_cell *cell;
	double ns;
	unsigned int i;
	int error;

	for (i = 0; i < rounds->cells && !workload_stop; i++) {
		cell = &rounds->cell[i];
		progress_step(rounds->progress, "trial", cell->told.row);
		error = try_cell(rounds, cell, &ns);
		if (error)
			return error;
		plan_cell(rounds, cell, ns);
	}
	return workload_stop ? EXIT_INTERRUPTED : 0;
}

/* In a process of their own. An exit code: the first that is not fine. */
static int in_process(struct rounds *rounds, int (*run)(struct rounds *rounds))
{
	int error = cell_process_start(&rounds->process, rounds->topology), end;

	if (error)
		return error;
	error = run(rounds);
	end = cell_process_end(&rounds->process);
	return error ? error : end;
}

int rounds_calibrate(struct rounds *rounds)
{
	return in_process(rounds, try_all);
}

/* Google Benchmark's keys, so that its tools read the record. */
static int book(struct rounds *rounds, const struct rounds_cell *cell, unsigned int round,
		json_t *result)
{
	char name[128];
	int error;

	snprintf(name, sizeof(name), "%s/%s", cell->told.row, cell->told.workload);
	json_object_set_new(result, "name", json_string(name));
	json_object_set_new(result, "run_name", json_string(name));
	json_object_set_new(result, "run_type", json_string("iteration"));
	json_object_set_new(result, "repetitions", json_integer(cell->told.rounds));
	json_object_set_new(result, "repetition_index", json_integer(round));
	json_object_set_new(result, "threads", json_integer(cell->told.threads));
	json_object_set_new(result, "time_unit", json_string("ns"));
	json_object_set_new(result, "row", json_string(cell->told.row));
	json_object_set_new(result, "workload", json_string(cell->told.workload));
	if (cell->told.injected.on) {
		json_object_set_new(result, "wrap_share",
				    json_real(cell_share(cell->told.injected.wrap_every)));
		json_object_set_new(result, "nested_share",
				    json_real(cell_share(cell->told.injected.nest_every)));
		json_object_set_new(result, "nested_depth",
				    json_integer((json_int_t)cell->told.injected.nest_depth));
	}
	error = record_add_row(rounds->record, result);
	json_array_append(rounds->rows, result);
	return error;
}

/* One that has enough leaves the time to wait to others; one that is repeated lacks some. */
static double may_wait_ns(const struct rounds *rounds, const struct rounds_cell *cell)
{
	if (cell->undisturbed >= UNDISTURBED_PLANNED && cell->done < cell->told.rounds)
		return 0;
	return fmin(WAIT_MOST_NS, rounds_budget_left(rounds) * 1e9);
}

static void count_in(const struct rounds *rounds, struct rounds_cell *cell, const json_t *result)
{
	double limit = rounds->least_probe[cell->told.threads > 1] * SAMPLES_UNDISTURBED;

	cell->done++;
	cell->undisturbed += json_number_value(json_object_get(result, "probe")) <= limit;
}

/* Runs and books one repetition of a cell. */
static int run_one(struct rounds *rounds, struct rounds_cell *cell, unsigned int round)
{
	json_t *result;
	int error = run_cell(rounds, cell, cell->iterations, may_wait_ns(rounds, cell), &result);

	if (error)
		return error;
	error = book(rounds, cell, round, result);
	if (!error)
		count_in(rounds, cell, result);
	json_decref(result);
	return error;
}

/* The cells that take part in the current round, in its own order. */
static int run_round(struct rounds *rounds)
{
	unsigned int order[ROUNDS_CELLS_MAX], i, round = rounds->round;
	struct rounds_cell *cell;
	char what[96];
	uint64_t state;
	int error;

	for (i = 0; i < rounds->cells; i++)
		order[i] = i;
	/* Of seed and round, so that a round's order can be had again. */
	state = rounds->seed * RNG_GOLDEN + round;
	rng_shuffle(order, rounds->cells, &state);
	for (i = 0; i < rounds->cells; i++) {
		cell = &rounds->cell[order[i]];
		if (!rounds->takes_part[order[i]])
			continue;
		if (workload_stop)
			return EXIT_INTERRUPTED;
		snprintf(what, sizeof(what), "round %u%s, %s", round + 1,
			 cell->done < cell->told.rounds ? "" : " (more, for noise)",
			 cell->told.row);
		progress_step(rounds->progress, "timed", what);
		error = run_one(rounds, cell, round);
		if (error)
			return error;
		progress_done(rounds->progress, cell->done <= cell->told.rounds ?
							rounds_cell_ns(rounds, cell) * 3e-9 :
							0);
	}
	return 0;
}

/* Is the cell's ratio to the floor of its workload known well enough, or not to be known? */
static bool is_settled(const struct rounds *rounds, const struct rounds_cell *cell)
{
	const struct samples_cell own = { cell->told.row, cell->told.workload };
	struct stats_interval ratio;
	struct samples samples;
	const char *basis;
	bool mixed;

	if (!strcmp(cell->told.row, SAMPLES_FLOOR) || !strcmp(cell->told.row, CELL_EMPTY) ||
	    !strcmp(cell->told.row, CELL_CLOCK))
		return true;
	samples = samples_to_floor(rounds->rows, &own, &basis);
	ratio = stats_median(samples.value, samples.count);
	mixed = samples.mixed;
	samples_free(&samples);
	/* A ring that failed its check has no time, and more rounds give it none. */
	return isnan(ratio.middle) || (!mixed && stats_half_width(&ratio) <= rounds->half_width);
}

/* With each cell the floor that it is measured by. */
static void add_floors(const struct rounds *rounds, bool *takes_part)
{
	unsigned int i, j;

	for (i = 0; i < rounds->cells; i++)
		for (j = 0; j < rounds->cells && takes_part[i]; j++)
			if (!strcmp(rounds->cell[j].told.row, SAMPLES_FLOOR) &&
			    !strcmp(rounds->cell[j].told.workload, rounds->cell[i].told.workload))
				takes_part[j] = true;
}

/* Marks the cells whose ratio needs another round. */
static bool choose_noisy(const struct rounds *rounds, bool *takes_part)
{
	unsigned int i;
	bool any = false;

	for (i = 0; i < rounds->cells; i++)
		any |= takes_part[i] = !is_settled(rounds, &rounds->cell[i]);
	add_floors(rounds, takes_part);
	return any;
}

/* Marks the cells that still lack repetitions. */
static bool choose_missing(const struct rounds *rounds, bool *takes_part)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < rounds->cells; i++)
		any |= takes_part[i] = rounds->cell[i].done < rounds->cell[i].told.rounds;
	add_floors(rounds, takes_part);
	return any;
}

int rounds_run(struct rounds *rounds)
{
	double spent, seconds;
	uint64_t begin;
	int error;

	for (rounds->round = 0; choose_missing(rounds, rounds->takes_part); rounds->round++) {
		error = in_process(rounds, run_round);
		if (error)
			return error;
	}
	rounds->progress->total = rounds->progress->done + rounds_budget_left(rounds);
	for (begin = time_ns();
	     rounds_budget_left(rounds) > 0 && choose_noisy(rounds, rounds->takes_part);
	     rounds->round++) {
		spent = rounds->spent_seconds;
		error = in_process(rounds, run_round);
		if (error)
			return error;
		/* What was waited for is in it, and what it took to choose. */
		seconds = (double)(time_ns() - begin) / 1e9;
		begin = time_ns();
		rounds->spent_seconds = spent + seconds;
		progress_done(rounds->progress, seconds);
	}
	return 0;
}
