// SPDX-License-Identifier: MIT
#include "runner/timed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "base/json.h"
#include "base/time.h"
#include "results/samples.h"

/* ---- the plan ---- */

static void add(void *arg, const struct workload_cell *cell)
{
	struct rounds *rounds = arg;

	if (rounds->cells < ROUNDS_CELLS_MAX)
		rounds->cell[rounds->cells++] = (struct rounds_cell){ .told = *cell };
}

void timed_plan(struct rounds *rounds, const struct workload_bench *bench, uint64_t repetitions,
		double budget)
{
	static const unsigned int usual[SIZES] = { 7, 21, 41 };
	static const double cell_ns[SIZES] = { 2e6, 10e6, 15e6 };
	static const double budgets[SIZES] = { 10, 12, 240 };
	/* Seconds from now: a quick run is to be over in 30 s, the default one in three minutes. */
	static const double ends[SIZES] = { 20, 160, 86400 };
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
	/* A record without any repetition is none: the floor stands in. */
	if (!rounds->cells)
		add(rounds, &(struct workload_cell){ .row = SAMPLES_FLOOR,
						     .workload = workloads[0]->name,
						     .threads = 1,
						     .rounds = 1 });
	rounds->rounds = plan.rounds;
	rounds->seed = bench->seed;
	rounds->cell_ns = cell_ns[bench->size];
	/* A quick run has no time to know more. */
	rounds->half_width =
		bench->size == SIZE_QUICK ? SUMMARY_HALF_WIDTH_QUICK : SUMMARY_HALF_WIDTH;
	rounds->budget_seconds = budget < 0 ? budgets[bench->size] : budget;
	rounds->until_ns =
		budget < 0 ? time_ns() + (uint64_t)(ends[bench->size] * 1e9) : UINT64_MAX;
	rounds->pu = bench->pu;
}

double timed_seconds(const struct rounds *rounds)
{
	double seconds = rounds->budget_seconds;
	unsigned int i;

	for (i = 0; i < rounds->cells; i++)
		seconds += rounds->cell[i].told.rounds * rounds_cell_ns(rounds, &rounds->cell[i]) *
			   3e-9;
	return seconds;
}

/* ---- the run ---- */

/* A timed repetition whose ring fails an oracle is a broken promise, not a time. */
static void judge_repetitions(struct run *run)
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
	error = rounds_calibrate(rounds);
	if (!error)
		error = rounds_run(rounds);
	if (!error)
		judge_repetitions(run);
	return error;
}

/* ---- what came of it ---- */

/* "cycles" if any cell counted them, else "ticks". */
static const char *timed_basis(const struct rounds *rounds)
{
	const struct workload_cell *cell;
	unsigned int i;

	for (i = 0; i < rounds->cells; i++) {
		cell = &rounds->cell[i].told;
		if (!strcmp(cell->row, SAMPLES_FLOOR) &&
		    summary_median(rounds->rows, cell->row, cell->workload, "cycles") > 0)
			return "cycles";
	}
	return "ticks";
}

const char *timed_loop_workload(const struct rounds *rounds)
{
	unsigned int i;

	for (i = 0; i < rounds->cells; i++)
		if (!strcmp(rounds->cell[i].told.row, CELL_EMPTY))
			return rounds->cell[i].told.workload;
	return "";
}

double timed_loop(const struct rounds *rounds, const char *key)
{
	return summary_median(rounds->rows, CELL_EMPTY, timed_loop_workload(rounds), key);
}

json_t *timed_again(const struct rounds *rounds)
{
	const struct workload_cell *cell = NULL;
	struct samples_cell first, again;
	struct stats_interval ratio;
	unsigned int i;

	for (i = 0; i < rounds->cells && !cell; i++)
		if (!strcmp(rounds->cell[i].told.workload, CELLS_AGAIN))
			cell = &rounds->cell[i].told;
	if (!cell)
		return json_null();
	first = (struct samples_cell){ cell->row, cell->base };
	again = (struct samples_cell){ cell->row, cell->workload };
	ratio = samples_median(rounds->rows, &again, timed_basis(rounds), &first);
	if (isnan(ratio.low))
		return json_null();
	return json_pack("{s:s, s:f, s:f, s:f, s:f}", "row", first.row, "ratio", ratio.middle,
			 "ratio_95_low", ratio.low, "ratio_95_high", ratio.high, "noise",
			 fmax(fabs(ratio.low - 1), fabs(ratio.high - 1)));
}

static json_t *positive(double value)
{
	return value < 0 ? json_null() : json_real(value);
}

static json_t *injected_line(const struct rounds *rounds, const struct workload_cell *cell)
{
	const json_t *rows = rounds->rows;
	struct samples_cell own = { cell->row, cell->workload }, calm = { cell->row, cell->base };
	struct samples_cell floor = { SAMPLES_FLOOR, cell->workload };
	struct samples_cell floor_calm = { SAMPLES_FLOOR, cell->base };
	const char *basis = timed_basis(rounds);
	double median = summary_median(rows, own.row, own.workload, basis);
	double loss = summary_ratio(rows, &own, &calm, basis);
	struct stats_interval interval;
	json_t *line;

	if (median < 0)
		return NULL;
	line = json_pack(
		"{s:s, s:s, s:f, s:f, s:I, s:s, s:f, s:o, s:o}", "row", own.row, "workload",
		cell->workload, "wrap_share", cell_share(cell->injected.wrap_every), "nested_share",
		cell_share(cell->injected.nest_every), "nested_depth",
		(json_int_t)cell->injected.nest_depth, "basis", basis, "median", median, "ratio",
		positive(summary_ratio(rows, &own, &floor, basis)), "ratio_to_calm_floor",
		positive(summary_ratio(rows, &own, &floor_calm, basis)));
	interval = samples_median(rows, &own, basis, &floor);
	summary_set_noise(line, &interval, rounds->half_width);
	json_object_set_new(line, "loss_to_calm", loss < 0 ? json_null() : json_real(loss - 1));
	return line;
}

json_t *timed_injected(const struct rounds *rounds)
{
	json_t *lines = json_array(), *line;
	unsigned int i;

	for (i = 0; i < rounds->cells; i++) {
		line = rounds->cell[i].told.injected.on ?
			       injected_line(rounds, &rounds->cell[i].told) :
			       NULL;
		if (line)
			json_array_append_new(lines, line);
	}
	return lines;
}

/* ---- noise ---- */

static void count_noise(const char *row, double ratio, bool noisy, struct timed_noise *noise)
{
	if (!strcmp(row, SAMPLES_FLOOR) || isnan(ratio))
		return;
	noise->cells++;
	noise->noisy += noisy;
}

struct timed_noise timed_noise(const struct rounds *rounds, const struct summary_table *table,
			       const json_t *injected)
{
	struct timed_noise noise = { 0 };
	const struct summary_line *line;
	const json_t *one;
	unsigned int i;
	size_t k;

	for (line = table->line; line < table->line + table->count; line++)
		count_noise(line->about.row, line->ratio.middle, line->noisy, &noise);
	json_array_foreach(injected, k, one)
		count_noise(json_text(one, "row"), json_known(one, "ratio"),
			    json_is_true(json_object_get(one, "noisy")), &noise);
	for (i = 0; i < rounds->cells; i++) {
		struct samples_cell cell = { rounds->cell[i].told.row,
					     rounds->cell[i].told.workload };
		struct samples samples = samples_collect(rounds->rows, &cell, "ticks", NULL);

		noise.repetitions += samples.count + samples.left_out;
		noise.disturbed += samples.left_out;
		samples_free(&samples);
	}
	return noise;
}

json_t *timed_noise_json(const struct rounds *rounds, const struct timed_noise *noise)
{
	return json_pack("{s:I, s:I, s:b, s:f, s:f, s:f, s:I, s:I}", "ratios",
			 (json_int_t)noise->cells, "noisy", (json_int_t)noise->noisy, "too_noisy",
			 timed_too_noisy(noise), "half_width", rounds->half_width, "budget_seconds",
			 rounds->budget_seconds, "spent_seconds", rounds->spent_seconds,
			 "repetitions", (json_int_t)noise->repetitions, "disturbed",
			 (json_int_t)noise->disturbed);
}
