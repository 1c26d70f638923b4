// SPDX-License-Identifier: MIT
/* compare: did a change help? Two runs, two rows of one run, or several runs side by side. */
#include <errno.h>
#include <unistd.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "results/compare/compare_print.h"
#include "results/compare/comparison.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/options.h"
#include "results/record.h"

#define RUNS_MAX 16

struct compare_request {
	const char *in;
	const char *results;
	bool matrix;
	bool all;
	const char *json;
	double rank; /* percent; 0: not asked for */
};

/* Says what is wrong with the arguments: an exit code. */
static int refuse(const struct compare_request *request, int rest)
{
	if (request->matrix && request->in)
		return fail_with(EXIT_USAGE, "--matrix and --in exclude each other");
	if (request->matrix && (!rest || rest > RUNS_MAX))
		return fail_with(EXIT_USAGE, "--matrix takes 1 to %d runs", RUNS_MAX);
	if (!request->matrix && rest != 2)
		return fail_with(EXIT_USAGE, "compare takes two %s, not %d; see --help",
				 request->in ? "rows" : "runs", rest);
	return EXIT_FINE;
}

static bool parse(int argc, char **argv, struct compare_request *request, int *status)
{
	const struct option_entry entries[] = {
		{ "in", "RUN", "A and B are rows of this run", OPTION_TEXT, .into = &request->in },
		{ "matrix", NULL, "print several runs, such as several machines', side by side",
		  OPTION_FLAG, .into = &request->matrix },
		{ "all", NULL, "print cells without a change, too", OPTION_FLAG,
		  .into = &request->all },
		{ "rank", "PERCENT", "exit with 7 if a time may have moved by PERCENT unseen",
		  OPTION_REAL, .into = &request->rank, .low = 0.001, .high = 1000 },
		{ "json", "FILE", "write the comparison as JSON (- is standard output)", OPTION_OUT,
		  .into = &request->json },
		{ "results", "DIR", "look in DIR for runs named without a '/' (default results)",
		  OPTION_TEXT, .into = &request->results },
		{ .name = NULL },
	};
	const struct option_program program = {
		"usage: compare [options] A B          two runs\n"
		"       compare [options] --in RUN A B two rows of one run\n"
		"       compare [options] --matrix RUN...\n"
		"A run is a directory, a bench.json, a rows.jsonl, or a name inside results/ such "
		"as latest.\n",
		entries,
		"Time is the ratio to the floor in the same slot. A time has regressed or "
		"improved if the\n"
		"rank test gives p < 0.01 and it moved by more than 1 %; an exact figure "
		"(instructions, clock\n"
		"reads, atomics, extended records, header bytes, verdict) if it differs at all. "
		"Too noisy: the\n"
		"95 % interval leaves room for a move of 1 % that the test cannot confirm.\n"
		"exit: 0 nothing regressed, 1 usage or a bad file, 2 something regressed, 3 no "
		"permission to read,\n"
		"      7 --rank PERCENT was asked for, and not reached; noise alone is no error\n"
		"examples:\n"
		"  compare 20260101T120000Z-amd-epyc-2cpu latest\n"
		"  compare --in latest extended_header packed_word\n"
		"  compare --matrix results/*Z-*\n",
		"A B",
	};

	if (!options_parse(&program, argc, argv, status))
		return false;
	*status = refuse(request, argc - optind);
	return !*status;
}

static void warn_incomplete(const struct record_loaded *run)
{
	if (!run->complete)
		fail_line("warning: %s comes from a run that never finished", run->file);
}

static int print_json(const char *path, json_t *json)
{
	int status = json_out(path, json);

	json_decref(json);
	return status;
}

/* Half of the widest 95 % interval of a move, in percent; INFINITY: one is not known. */
static double widest_percent(const json_t *comparison)
{
	const json_t *cell, *time;
	double widest = 0, half;
	size_t i;

	json_array_foreach(json_object_get(comparison, "cells"), i, cell) {
		time = json_object_get(cell, "time");
		if (!json_is_object(time))
			continue;
		half = 50 * (json_known(time, "high") - json_known(time, "low"));
		widest = fmax(widest, isnan(half) ? INFINITY : half);
	}
	return widest;
}

static int exit_code(const struct compare_request *request, const json_t *comparison)
{
	const json_t *counts = json_object_get(comparison, "counts");
	double widest = widest_percent(comparison);

	if (json_integer_value(json_object_get(counts, comparison_word(COMPARISON_REGRESSED))))
		return EXIT_BROKEN;
	if (!(request->rank > 0) || widest <= request->rank)
		return EXIT_FINE;
	return fail_with(EXIT_NOISY,
			 "--rank %g: a move of %.2g %% could be missed; run more rounds",
			 request->rank, widest);
}

static bool has_row(const json_t *run, const char *row)
{
	const json_t *one;
	const char *its;
	size_t i;

	json_array_foreach(json_object_get(run, "benchmarks"), i, one) {
		its = json_string_value(json_object_get(one, "row"));
		if (its && !strcmp(its, row))
			return true;
	}
	return false;
}

static int compare(const struct compare_request *request, const struct comparison_side *a,
		   const struct comparison_side *b)
{
	json_t *comparison = comparison_make(a, b);
	json_t *machines = comparison_machines(a->run, b->run);
	int status =
		comparison && machines ?
			EXIT_FINE :
			fail_with(EXIT_RESOURCE, "out of memory comparing; close other programs");
	int told;

	if (!status && !json_array_size(json_object_get(comparison, "cells")))
		status = fail_with(EXIT_USAGE, "the runs have no cell in common; run both with "
					       "the same rows and workloads");
	if (status) {
		json_decref(comparison);
		json_decref(machines);
		return status;
	}
	status = exit_code(request, comparison);
	json_object_set(comparison, "machines", machines);
	if (request->json) {
		json_decref(machines);
		told = print_json(request->json, comparison);
		return told ? told : status;
	}
	compare_print_machines(stdout, machines);
	compare_print(stdout, comparison, request->all || request->in);
	json_decref(machines);
	json_decref(comparison);
	return status;
}

static int compare_runs(const struct compare_request *request, char **paths)
{
	struct record_loaded run[2] = { 0 };
	int status = record_load(request->results, paths[0], &run[0]), i;

	if (!status)
		status = record_load(request->results, paths[1], &run[1]);
	for (i = 0; !status && i < 2; i++) {
		warn_incomplete(&run[i]);
		if (!request->json)
			compare_print_run(stdout, i ? "B" : "A", run[i].file, run[i].json);
	}
	if (!status)
		status = compare(request, &(struct comparison_side){ run[0].json, NULL },
				 &(struct comparison_side){ run[1].json, NULL });
	record_unload(&run[0]);
	record_unload(&run[1]);
	return status;
}

static int compare_rows(const struct compare_request *request, char **rows)
{
	struct record_loaded run;
	int status = record_load(request->results, request->in, &run), i;

	if (status)
		return status;
	warn_incomplete(&run);
	for (i = 0; i < 2 && !status; i++)
		if (!has_row(run.json, rows[i]))
			status = fail_with(EXIT_USAGE,
					   "%s has no row '%s'; bench --list shows all rows",
					   run.file, rows[i]);
	if (!status && !request->json)
		compare_print_run(stdout, "in", run.file, run.json);
	if (!status)
		status = compare(request, &(struct comparison_side){ run.json, rows[0] },
				 &(struct comparison_side){ run.json, rows[1] });
	record_unload(&run);
	return status;
}

/* Others leave directories in results/ too, such as make verdicts. */
static bool other_record(const char *path)
{
	char file[PATH_MAX];
	struct stat state;

	if (stat(path, &state) || !S_ISDIR(state.st_mode))
		return false;
	snprintf(file, sizeof(file), "%s/bench.json", path);
	return stat(file, &state) && errno == ENOENT;
}

/* Takes out of `paths` what is no bench run, and says so. Returns how many are left. */
static size_t only_runs(char **paths, size_t count)
{
	size_t kept = 0, i;

	for (i = 0; i < count; i++)
		if (other_record(paths[i]))
			fail_line("%s is no bench run: left out", paths[i]);
		else
			paths[kept++] = paths[i];
	return kept;
}

static int matrix(const struct compare_request *request, char **paths, size_t count)
{
	struct record_loaded run[RUNS_MAX] = { 0 };
	const json_t *documents[RUNS_MAX];
	const char *names[RUNS_MAX];
	json_t *json, *files;
	int status = EXIT_FINE;
	size_t i;

	count = only_runs(paths, count);
	if (!count)
		return fail_with(EXIT_USAGE, "--matrix: no bench run among these; make bench "
					     "makes one");
	files = json_array();
	for (i = 0; i < count && !status; i++) {
		status = record_load(request->results, paths[i], &run[i]);
		if (status)
			break;
		warn_incomplete(&run[i]);
		documents[i] = run[i].json;
		names[i] = run[i].file;
		json_array_append_new(files, json_string(run[i].file));
	}
	if (!status) {
		json = comparison_matrix(documents, count);
		json_object_set(json, "runs", files);
		if (request->json) {
			status = print_json(request->json, json);
		} else {
			compare_print_matrix(stdout, json, names, count);
			json_decref(json);
		}
	}
	json_decref(files);
	for (i = 0; i < count; i++)
		record_unload(&run[i]);
	return status;
}

int main(int argc, char **argv)
{
	struct compare_request request = { .in = NULL };
	int status = EXIT_FINE;

	if (!parse(argc, argv, &request, &status))
		return status;
	if (request.matrix)
		return matrix(&request, argv + optind, (size_t)(argc - optind));
	return request.in ? compare_rows(&request, argv + optind) :
			    compare_runs(&request, argv + optind);
}
