// SPDX-License-Identifier: MIT
/* Which cells are timed, and what those of the injected build say. */
#include <stdio.h>
#include <string.h>

#include "runner/bench.h"
#include "timing/summary.h"

#define FLOOR SAMPLES_FLOOR

/*
 * The cells of wraps and nested. The first of each kind is the base: the same build with nothing
 * injected. What is not `always` is for full runs.
 */
static const struct injected {
	const char *name;
	enum workload workload;
	struct cell_injection plan;
	bool always;
} injected[] = {
	{ "wraps:0", WORKLOAD_wraps, { .on = true }, true },
	{ "wraps:0.00001", WORKLOAD_wraps, { .on = true, .wrap_every = 100000 }, false },
	{ "wraps:0.001", WORKLOAD_wraps, { .on = true, .wrap_every = 1000 }, true },
	{ "wraps:0.01", WORKLOAD_wraps, { .on = true, .wrap_every = 100 }, false },
	{ "wraps:0.1", WORKLOAD_wraps, { .on = true, .wrap_every = 10 }, false },
	{ "wraps:1", WORKLOAD_wraps, { .on = true, .wrap_every = 1 }, false },
	{ "nested:0", WORKLOAD_nested, { .on = true }, true },
	{ "nested:30ppm", WORKLOAD_nested, { .on = true, .nest_every = 33333, .nest_depth = 1 },
	  false },
	{ "nested:2000ppm", WORKLOAD_nested, { .on = true, .nest_every = 500, .nest_depth = 1 },
	  true },
	{ "nested:2000ppm:2deep", WORKLOAD_nested,
	  { .on = true, .nest_every = 500, .nest_depth = 2 }, false },
	{ "nested:100000ppm", WORKLOAD_nested, { .on = true, .nest_every = 10, .nest_depth = 1 },
	  false },
	{ "nested:100000ppm:2deep", WORKLOAD_nested,
	  { .on = true, .nest_every = 10, .nest_depth = 2 }, false },
};

#define INJECTED (sizeof(injected) / sizeof(injected[0]))

static const char *injected_base(const struct injected *cell)
{
	return cell->workload == WORKLOAD_wraps ? "wraps:0" : "nested:0";
}

static void add_cell(struct bench *bench, const char *row, const char *workload,
		     unsigned int threads, unsigned int rounds)
{
	bench->rounds.cell[bench->rounds.cells++] = (struct rounds_cell){
		.row = row, .workload = workload, .threads = threads, .rounds = rounds
	};
}

static unsigned int at_most(unsigned int rounds, unsigned int most)
{
	return rounds < most ? rounds : most;
}

/* The same rows with a clock that hides nothing; not where there is no time for it. */
static void add_cheap(struct bench *bench, const char *row, unsigned int rounds)
{
	add_cell(bench, row, SUMMARY_CHEAP, 1, rounds);
	bench->rounds.cell[bench->rounds.cells - 1].cheap = true;
}

/* One that is measured twice: what it differs from itself by is noise. */
static const char *row_again(const struct bench *bench)
{
	int i;

	for (i = 0; i < bench->rows; i++)
		if (!(bench->row[i]->desc->needs & NEED_MASKED_INTERRUPTS))
			return bench->row[i]->row;
	return FLOOR;
}

/* What stands beside the steady cells of the rows. */
static void add_beside_steady(struct bench *bench)
{
	unsigned int rounds = bench->rounds.rounds;
	int i;

	add_cell(bench, CELL_EMPTY, "steady", 1, rounds);
	add_cell(bench, CELL_CLOCK, "steady", 1, rounds);
	add_cell(bench, row_again(bench), SUMMARY_AGAIN, 1, rounds);
	if (bench->quick)
		return;
	rounds = at_most(rounds, bench_size(bench)->cheap_rounds);
	for (i = 0; i < bench->rows; i++)
		add_cheap(bench, bench->row[i]->row, rounds);
	add_cheap(bench, CELL_CLOCK, rounds);
}

static void add_injected(struct bench *bench, const char *row, unsigned int rounds)
{
	size_t i;

	for (i = 0; i < INJECTED; i++) {
		if (!bench->workload[injected[i].workload] || (!bench->full && !injected[i].always))
			continue;
		add_cell(bench, row, injected[i].name, 1, rounds);
		bench->rounds.cell[bench->rounds.cells - 1].injected = injected[i].plan;
	}
}

void bench_plan_cells(struct bench *bench)
{
	const struct bench_size *size = bench_size(bench);
	struct rounds *rounds = &bench->rounds;
	unsigned int threads = bench->plan.count;
	int i;

	rounds->rounds = bench->repetitions ? (unsigned int)bench->repetitions : size->rounds;
	if (threads > CELL_THREADS_MAX)
		threads = CELL_THREADS_MAX;
	for (i = 0; i < bench->rows; i++) {
		if (bench->workload[WORKLOAD_steady])
			add_cell(bench, bench->row[i]->row, "steady", 1, rounds->rounds);
		if (bench->workload[WORKLOAD_threads] && threads > 1)
			add_cell(bench, bench->row[i]->row, "threads", threads,
				 at_most(rounds->rounds, size->thread_rounds));
		add_injected(bench, bench->row[i]->row,
			     at_most(rounds->rounds, size->injected_rounds));
	}
	if (bench->workload[WORKLOAD_steady])
		add_beside_steady(bench);
	/* A record without any repetition is none: the floor stands in. */
	if (!rounds->cells)
		add_cell(bench, FLOOR, "steady", 1, 1);
	rounds->seed = bench->seed;
	rounds->cell_ns = size->cell_ns;
	/* A quick run has no time to know more. */
	if (bench->quick)
		summary_half_width = 0.05;
	rounds->budget_seconds = bench->budget_set ? (double)bench->budget : size->budget_seconds;
	rounds->topology = bench->topology;
	rounds->pu = bench->plan.pu;
	rounds->record = bench->record;
	rounds->rows = bench->repetitions_json;
	rounds->progress = &bench->progress;
}

bool bench_have_cycles(const struct bench *bench)
{
	unsigned int i;

	for (i = 0; i < bench->rounds.cells; i++)
		if (!strcmp(bench->rounds.cell[i].row, FLOOR) &&
		    summary_median(bench->repetitions_json, FLOOR, bench->rounds.cell[i].workload,
				   "cycles") > 0)
			return true;
	return false;
}

/* Core cycles where the CPU counts them, else ticks. */
static const char *basis(const struct bench *bench)
{
	return bench->have_cycles ? "cycles" : "ticks";
}

static json_t *positive(double value)
{
	return value < 0 ? json_null() : json_real(value);
}

static json_t *injected_line(const struct bench *bench, int row, const struct injected *cell)
{
	const json_t *rows = bench->repetitions_json;
	struct samples_cell own = { bench->row[row]->row, cell->name };
	struct samples_cell calm = { own.row, injected_base(cell) };
	struct samples_cell floor = { FLOOR, cell->name };
	struct samples_cell floor_calm = { FLOOR, calm.workload };
	double median = summary_median(rows, own.row, own.workload, basis(bench));
	double loss = summary_ratio(rows, &own, &calm, basis(bench));
	struct stats_interval interval;
	json_t *line;

	if (median < 0)
		return NULL;
	line = json_pack("{s:s, s:s, s:f, s:f, s:I, s:s, s:f}", "row", own.row, "workload",
			 cell->name, "wrap_share", cell_share(cell->plan.wrap_every),
			 "nested_share", cell_share(cell->plan.nest_every), "nested_depth",
			 (json_int_t)cell->plan.nest_depth, "basis", basis(bench), "median",
			 median);
	json_object_set_new(line, "ratio",
			    positive(summary_ratio(rows, &own, &floor, basis(bench))));
	json_object_set_new(line, "ratio_to_calm_floor",
			    positive(summary_ratio(rows, &own, &floor_calm, basis(bench))));
	interval = samples_median(rows, &own, basis(bench), &floor);
	summary_set_noise(line, &interval);
	json_object_set_new(line, "loss_to_calm", loss < 0 ? json_null() : json_real(loss - 1));
	return line;
}

json_t *bench_injected(const struct bench *bench)
{
	json_t *lines = json_array(), *line;
	size_t i;
	int row;

	for (i = 0; i < INJECTED; i++)
		for (row = 0; row < bench->rows; row++) {
			line = injected_line(bench, row, &injected[i]);
			if (line)
				json_array_append_new(lines, line);
		}
	return lines;
}

/* What follows the colon of a cell's name, and the column that it needs. */
static const char *cell_title(const struct injected *cell, int *width)
{
	const char *title = strchr(cell->name, ':') + 1;

	*width = strlen(title) < 7 ? 7 : (int)strlen(title);
	return title;
}

static bool is_shown(const struct bench *bench, const struct injected *cell, enum workload kind)
{
	return cell->workload == kind && (bench->full || cell->always) &&
	       strcmp(cell->name, injected_base(cell)) != 0;
}

/* What each cell of a kind costs a row beyond the same build with nothing injected. */
static void print_row(const struct bench *bench, enum workload kind, const char *row)
{
	struct samples_cell base = { row, kind == WORKLOAD_wraps ? "wraps:0" : "nested:0" }, own;
	double loss;
	size_t i;
	int width;

	printf("%-29.29s %7.1f", row,
	       summary_median(bench->repetitions_json, row, base.workload, basis(bench)));
	for (i = 0; i < INJECTED; i++) {
		if (!is_shown(bench, &injected[i], kind))
			continue;
		own = (struct samples_cell){ row, injected[i].name };
		cell_title(&injected[i], &width);
		loss = summary_ratio(bench->repetitions_json, &own, &base, basis(bench)) - 1;
		printf(" %+*.1f%%", width - 1, 100 * loss);
	}
	putchar('\n');
}

static void print_kind(const struct bench *bench, enum workload kind)
{
	const char *title;
	size_t i;
	int row, width;

	printf("\n%-29s %7s", workload_name(kind), basis(bench));
	for (i = 0; i < INJECTED; i++) {
		if (!is_shown(bench, &injected[i], kind))
			continue;
		title = cell_title(&injected[i], &width);
		printf(" %*s", width, title);
	}
	putchar('\n');
	for (row = 0; row < bench->rows; row++)
		print_row(bench, kind, bench->row[row]->row);
}

void bench_print_injected(const struct bench *bench)
{
	if (bench->workload[WORKLOAD_wraps])
		print_kind(bench, WORKLOAD_wraps);
	if (bench->workload[WORKLOAD_nested])
		print_kind(bench, WORKLOAD_nested);
}

static void count_noise(const json_t *lines, struct bench_noise *noise)
{
	const json_t *line;
	size_t i;

	json_array_foreach(lines, i, line) {
		if (!strcmp(json_string_value(json_object_get(line, "row")), SAMPLES_FLOOR) ||
		    !json_is_number(json_object_get(line, "ratio")))
			continue;
		noise->cells++;
		noise->noisy += json_is_true(json_object_get(line, "noisy"));
	}
}

struct bench_noise bench_noise(const struct bench *bench)
{
	struct bench_noise noise = { 0 };
	unsigned int i;

	count_noise(bench->table, &noise);
	count_noise(bench->injected, &noise);
	for (i = 0; i < bench->rounds.cells; i++) {
		struct samples_cell cell = { bench->rounds.cell[i].row,
					     bench->rounds.cell[i].workload };
		struct samples samples = samples_collect(bench->repetitions_json, &cell, "ticks",
							 NULL);

		noise.repetitions += samples.count + samples.left_out;
		noise.disturbed += samples.left_out;
		samples_free(&samples);
	}
	return noise;
}
