// SPDX-License-Identifier: MIT
/* bench: is it right, what does it cost, which one do I take - for all rows, in one run. */
#include <limits.h>
#include <signal.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/signals.h"
#include "judge/products.h"
#include "runner/plan.h"
#include "runner/counted.h"
#include "runner/timed.h"
#include "runner/where.h"
#include "runner/timing/beat_cost.h"
#include "runner/timing/cell_process.h"

/* ---- begin ---- */

static struct workload_bench bench_of(const struct plan *plan, const struct where *where)
{
	return (struct workload_bench){
		.rows = plan->rows,
		.count = plan->count,
		.place = &where->place,
		.pu = where->cpus.pu,
		.cpus = where->cpus.count,
		.seed = plan->seed,
		.size = plan->size,
		.chosen = plan->chosen,
	};
}

static double expected_seconds(const struct workload_bench *bench, const struct rounds *rounds)
{
	double seconds = timed_seconds(rounds);
	unsigned int i;

	for (i = 0; workloads[i]; i++) {
		if (bench->chosen[i] || workloads[i]->always)
			seconds += checked_forms_seconds(workloads[i], bench);
		if (bench->chosen[i] && workloads[i]->seconds)
			seconds += workloads[i]->seconds(bench);
	}
	return seconds;
}

/* ---- measure ---- */

static int run_workloads(struct workload_bench *bench, struct run *run)
{
	unsigned int i;
	int error = 0;

	for (i = 0; workloads[i] && !error; i++) {
		if (bench->chosen[i] || workloads[i]->always)
			error = checked_forms(workloads[i], bench, run);
		if (!error && bench->chosen[i] && workloads[i]->measure)
			error = checked_section(workloads[i], bench, run);
	}
	return error;
}

static int run_counts(const struct workload_bench *bench, struct run *run, struct counted *counted)
{
	int i, error = 0;

	for (i = 0; i < bench->count && !error; i++) {
		progress_step(&run->progress, "counts", bench->rows[i]->row);
		error = counted_row(bench->rows[i], &counted[i], run_section(run, "bytes_by_rate"));
	}
	return error;
}

/* The cost of a beat, in addition to the cells of workloads that want it. */
static int run_beats(const struct workload_bench *bench, struct run *run)
{
	static const double seconds[SIZES] = { 0.05, 0.1, 0.3 };
	json_t *beats = run_section(run, "beats");
	const struct driver *timed;
	struct beat_cost cost;
	bool wanted = false;
	int i, error = 0;

	for (i = 0; workloads[i]; i++)
		wanted |= bench->chosen[i] && workloads[i]->beats;
	for (i = 0; wanted && i < bench->count && !error; i++) {
		if (!(bench->rows[i]->desc->needs & NEED_BEAT))
			continue;
		progress_step(&run->progress, "beats", bench->rows[i]->row);
		timed = driver_find(drivers_timed, bench->rows[i]->row);
		error = beat_cost_measure(timed, bench->place, bench->pu[0], seconds[bench->size],
					  &cost);
		if (!error)
			json_array_append_new(beats, beat_cost_json(timed, &cost));
	}
	return error;
}

static int measure(struct workload_bench *bench, struct rounds *rounds, struct run *run,
		   struct counted_all *counted)
{
	int error = tried_rows(bench, run);

	if (!error)
		error = run_workloads(bench, run);
	if (!error)
		error = run_counts(bench, run, counted->row);
	if (!error)
		error = place_bind_self(bench->place, bench->pu[0]);
	if (!error)
		error = counted_decoding(bench->rows, bench->count, &run->progress,
					 &counted->decode_events_per_second);
	if (!error)
		error = run_beats(bench, run);
	/* Storms and decoding were pinned; the cells' processes choose for themselves. */
	if (!error)
		error = place_unbind_self(bench->place);
	timed_tell(rounds, bench, counted->row);
	if (!error)
		error = timed_run(rounds, run);
	if (error)
		return error;
	return run->broken ? EXIT_BROKEN : EXIT_FINE;
}

/* ---- end ---- */

/* The program plots, which reads only the record, with up to two words. Its exit code, or -1. */
static int run_plots(const char *word, const char *other)
{
	char path[PATH_MAX];
	const struct child_program plots = {
		.argv = (const char *const[]){ file_data("plots", path), word, other, NULL },
	};
	int status = child_run(&plots, NULL);

	if (status <= EXIT_NOISY)
		return status;
	child_ended_early("plots", status);
	return status == 128 + SIGKILL ? EXIT_RESOURCE : EXIT_USAGE;
}

static int make_plots(const char *directory, bool quiet)
{
	int status = run_plots(directory, quiet ? "--quiet" : NULL);

	return status >= 0 ? status :
			     fail_with(EXIT_USAGE, "the results are complete without plots");
}

/* The record as it was written. */
static int finish_as_json(const char *file, const char *directory)
{
	char path[4200];
	json_t *record;
	int error;

	snprintf(path, sizeof(path), "%s/" RECORD_BENCH, directory);
	record = json_load_file(path, 0, NULL);
	error = record ? json_out(file, record) : fail_file("read", path, errno);
	json_decref(record);
	return error;
}

/* Finished rows stay; a lacking resource, or a fault of ours, ends the run as Ctrl-C does. */
static int abandon(struct run *run, int status)
{
	progress_end(&run->progress);
	if (status == EXIT_INTERRUPTED)
		fail_line(record_row_count(run->record) ?
				  "interrupted; %s keeps what was measured, and build/plots shows "
				  "it; the same command measures all anew" :
				  "interrupted before any time was measured; %s is removed",
			  record_dir(run->record));
	record_abort(run->record);
	return status;
}

static int finish(const struct plan *plan, struct run *run)
{
	double apart = json_known(json_object_get(run->sections, "noise"), "apart");
	bool screen = !plan->json || strcmp(plan->json, "-");
	char directory[4096];
	int error = run_record(run), end;

	/* plots takes "-..." for an option. */
	snprintf(directory, sizeof(directory), "%s%s", *record_dir(run->record) == '-' ? "./" : "",
		 record_dir(run->record));
	end = record_finish(run->record);
	progress_end(&run->progress);
	if (error || end)
		return error ? error : end;
	if (plan->json)
		error = finish_as_json(plan->json, directory);
	if (!error) {
		error = make_plots(directory, !screen || !plan->all);
		/* A line has named what pictures lack. */
		error = error == EXIT_UNSUPPORTED ? EXIT_FINE : error;
		if (screen && run_plots(plan->all ? "--all" : "--screen", directory))
			printf("results  %s/bench.json\n", directory);
	}
	run_complain(run);
	if (run->broken || error)
		return run->broken ? EXIT_BROKEN : error;
	if (!(plan->rank > 0) || 100 * apart <= plan->rank)
		return EXIT_FINE;
	return fail_with(EXIT_NOISY, "--rank %g: not reached; the screen says what is told apart",
			 plan->rank);
}

/* The machine, and what disturbs times on it. */
static void describe_machine(struct where *where, struct run *run, FILE *out, bool all)
{
	json_t *warnings = json_object_get(where->told, "warnings");
	json_t *context = where_context(where);

	fputs(json_text(where->told, all ? "all" : "named"), out);
	run_set(run, "warnings", json_incref(warnings));
	/* At once, so that a killed run still knows its machine; at the end with the load after. */
	record_set(run->record, "warnings", warnings);
	record_set(run->record, "context", context);
	json_decref(context);
}

static int bench(const struct plan *plan, struct where *where, struct run *run)
{
	struct workload_bench seen = bench_of(plan, where);
	static struct counted_all counted;
	static struct rounds rounds;
	int status;

	describe_machine(where, run, plan->json ? stderr : stdout, plan->all);
	timed_plan(&rounds, &seen, plan->repetitions);
	progress_begin(&run->progress, expected_seconds(&seen, &rounds));
	status = measure(&seen, &rounds, run, &counted);
	if (status && status != EXIT_BROKEN)
		return abandon(run, status);
	sections_make(&seen, &rounds, &counted, run);
	run_set(run, "command", plan_command(plan));
	run_set(run, "context", where_context(where));
	return finish(plan, run);
}

/* ---- as a program of Google Benchmark's ---- */

#define LIBRARY "--benchmark_"

/* Words of either kind, each with the program's name in front. */
static int part(int argc, char **argv, bool library, char **into)
{
	int i, count = 1;

	into[0] = argv[0];
	for (i = 1; i < argc; i++)
		if (!strncmp(argv[i], LIBRARY, strlen(LIBRARY)) == library)
			into[count++] = argv[i];
	into[count] = NULL;
	return count;
}

/* Every timed cell is one of its benchmarks; no storm, no record. An exit code. */
static int run_library(struct plan *plan, int argc, char **argv)
{
	static struct rounds rounds;
	static struct counted_all counted;
	struct where where = { .place = { .topology = NULL } };
	struct workload_bench seen;
	json_t *by_rate = json_array();
	int i, status = plan_choose(plan);

	if (!status)
		status = where_open(&where, plan->cpus, argv[0], plan->seed);
	seen = bench_of(plan, &where);
	if (!status)
		timed_plan(&rounds, &seen, plan->repetitions);
	for (i = 0; i < seen.count && !status; i++)
		status = counted_row(seen.rows[i], &counted.row[i], by_rate);
	timed_tell(&rounds, &seen, counted.row);
	if (!status)
		status = timed_library(&rounds, &where.place, argc, argv);
	json_decref(by_rate);
	where_close(&where);
	return status;
}

int main(int argc, char **argv)
{
	static char **words; /* the plan points into them to the end */
	static struct plan plan;
	struct where where = { .place = { .topology = NULL } };
	static struct run run;
	struct record *record = NULL;
	int status;

	if (argc > 1 && !strcmp(argv[1], CELL_PROCESS_OPTION))
		return cell_process_main(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	plan = plan_usual;
	words = calloc(2 * (size_t)argc + 2, sizeof(*words));
	if (!words)
		return fail_memory("the command line");
	if (!plan_parse(part(argc, argv, false, words), words, &plan, &status))
		return status;
	words += argc + 1;
	if (part(argc, argv, true, words) > 1)
		return run_library(&plan, part(argc, argv, true, words), words);
	if (plan.used_by)
		return products_list(stdout, plan.used_by);
	if (plan.which || plan.why) {
		char last[4096];

		snprintf(last, sizeof(last), "%s/latest", plan.results);
		status =
			run_plots(plan.which ? "--which" : "--why", plan.which ? plan.which : last);
		return status >= 0 ? status : EXIT_UNSUPPORTED;
	}
	if (plan.list)
		return plan_list(), EXIT_FINE;
	status = signals_stop(workload_interrupt) ? EXIT_RESOURCE : plan_choose(&plan);
	if (!status)
		status = where_open(&where, plan.cpus, argv[0], plan.seed);
	if (!status)
		status = record_create(plan.results, where_alias(&where), &record);
	if (!status) {
		run_open(&run, record, plan.rows, plan.count);
		status = bench(&plan, &where, &run);
		run_close(&run);
	}
	where_close(&where);
	return status;
}
