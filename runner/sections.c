// SPDX-License-Identifier: MIT
#include "runner/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "judge/verdict.h"
#include "runner/counted.h"
#include "runner/describe.h"
#include "runner/timed.h"
#include "runner/timing/cycles.h"

#define BELOW 0.02 /* what a floor does beyond a row without its commit is less */

/*
 * Sections of other programs' last records, for this record's page: make verdicts, make
 * test-kernel or kernel-bench; often nothing.
 */
static void take_over(struct run *run, const char *key)
{
	char path[4096];
	json_t *found;

	snprintf(path, sizeof(path), "%s/../latest-%s/%s.json", record_dir(run->record), key, key);
	found = json_load_file(path, 0, NULL);
	if (found)
		run_set(run, key, found);
}

static bool table_line(const struct driver *row, const struct run_row *its,
		       const struct counted *counted, const char *workload,
		       const struct rounds *rounds, struct summary_line *line)
{
	bool alone = !strcmp(workload, timed_loop_workload(rounds));
	struct summary_row about = {
		.row = row->row,
		.workload = workload,
		.cheap = alone ? CELLS_CHEAP : NULL,
		.verdict = its->judged ? check_verdict_name(its->verdict) : NULL,
		.why = its->why[0] ? its->why : NULL,
		.worst_error_ticks = its->worst_error,
		.clock_reads = counted->calm.clock_reads,
		.atomics = counted->calm.atomics,
		.extended = counted->calm.extended,
		.floor = driver_floor(row),
		.id_bytes_added = driver_id_bytes_lacking(row),
		.rank = -1,
	};

	return summary_line(rounds->rows, &about, line);
}

/* A line for each row and workload whose cells are the table's. */
static void make_table(const struct workload_bench *bench, const struct counted *counted,
		       const struct rounds *rounds, struct run *run)
{
	struct summary_table *table = &run->table;
	unsigned int i;
	int row;

	for (i = 0; workloads[i]; i++)
		for (row = 0; workloads[i]->in_table && row < bench->count; row++)
			table->count +=
				table_line(bench->rows[row], &run->row[row], &counted[row],
					   workloads[i]->name, rounds, &table->line[table->count]);
}

static json_t *exact_json(const struct workload_bench *bench, const struct counted *counted)
{
	json_t *lines = json_array();
	int i;

	for (i = 0; i < bench->count; i++)
		json_array_append_new(lines, counted_json(bench->rows[i]->row, &counted[i]));
	return lines;
}

/* Lines below the floor of their form, with the whole interval, by more than is told apart. */
static void mark_below_floor(struct summary_table *table, double apart)
{
	double limit = 1 - fmax(BELOW, apart);
	struct summary_line *line;

	for (line = table->line; line < table->line + table->count; line++)
		line->below_floor =
			line->ratio_own.high < limit || line->cheap_ratio_own.high < limit;
}

/* The timed part's sections; those of the rounds first, which others are made from. */
static void record_times(const struct rounds *rounds, struct run *run,
			 double decode_events_per_second)
{
	json_t *again = timed_again(rounds);
	double apart = timed_apart(&run->table, again);
	struct cycles_shown shown = cycles_show();
	size_t i;

	mark_below_floor(&run->table, apart);
	summary_rank(&run->table, isfinite(apart) ? apart : 0);
	run_set(run, "table", json_array());
	for (i = 0; i < run->table.count; i++)
		json_array_append_new(run_section(run, "table"), summary_json(&run->table.line[i]));
	run_set(run, "again", again);
	run_set(run, "injected", timed_injected(rounds));
	run_set(run, "noise", timed_noise_json(rounds, apart));
	run_set(run, "harness",
		json_pack("{s:o, s:o, s:f}", "loop_cycles",
			  json_or_null(summary_median(rounds->rows, CELL_EMPTY,
						      timed_loop_workload(rounds), "cycles")),
			  "cycles", cycles_json(&shown), "decode_events_per_second",
			  decode_events_per_second));
}

/* Those that a workload did not run have their section too, an empty one. */
static void record_missing(struct run *run)
{
	const struct workload_form *form;
	unsigned int i;

	for (i = 0; workloads[i]; i++) {
		for (form = workloads[i]->forms; form->section; form++)
			run_section(run, form->section);
		if (workloads[i]->measure)
			run_section(run, workloads[i]->name);
	}
	run_section(run, "beats");
	run_section(run, "bytes_by_rate");
}

void sections_make(const struct workload_bench *bench, const struct rounds *rounds,
		   const struct counted_all *counted, struct run *run)
{
	record_missing(run);
	make_table(bench, counted->row, rounds, run);
	record_times(rounds, run, counted->decode_events_per_second);
	take_over(run, "explored");
	take_over(run, "in_kernel");
	run_set(run, "not_tried", tried_not(bench));
	run_set(run, "exact", exact_json(bench, counted->row));
	run_set(run, "schemes", describe_rows(bench->rows, bench->count));
	run_set(run, "left_out", describe_left_out());
}
