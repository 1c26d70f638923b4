// SPDX-License-Identifier: MIT
/*
 * Comparisons to the last word: made-up series whose figures are known by hand. A series of the
 * ratios of six slots grows by 1 % each. Two of them of which one is f times the other
 * have f - 1 for their change, f * 1.01^-3 - 1 and f * 1.01^3 - 1 for its interval, and 2 / 924 for
 * p if all of one are above all of the other.
 */
#include "tests/support/test.h"

#include <math.h>

#include "results/compare/comparison.h"
#include "tests/support/quoted.h"

/* The lowest floor has no ratio; a ratio of 0 is none. */
static void add(json_t *run, const char *row, const char *workload, int round, double ratio)
{
	json_t *one = json_pack("{s:s, s:s, s:i, s:i, s:f}", "row", row, "workload", workload,
				"repetition_index", round, "threads", 1, "ticks", ratio / 2);

	if (strcmp(row, "floor") != 0)
		json_object_set_new(one, "ratio", json_real(ratio));
	json_array_append_new(json_object_get(run, "benchmarks"), one);
}

static void series(json_t *run, const char *row, const char *workload, double first, double growth)
{
	int round;

	for (round = 0; round < 6; round++, first *= growth)
		add(run, row, workload, round, first);
}

static json_t *make_run(const char *text)
{
	json_t *run = quoted(text);

	json_object_set_new(run, "benchmarks", json_array());
	return run;
}

/* Rows: x gets slower and breaks, y cannot be told, u gets faster, z has no ratio. */
static json_t *run_a(void)
{
	json_t *run = make_run("{'exact': [{'row': 'x', 'instructions': 0, 'clock_reads': 0,"
			       " 'atomics': 1, 'extended': 0.001, 'header_bytes': 4}], 'table': ["
			       "{'row': 'x', 'workload': 'steady', 'verdict': 'kept'},"
			       "{'row': 'floor', 'workload': 'steady', 'verdict': 'kept'}]}");

	series(run, "z", "late", 0, 1);
	series(run, "y", "steady", 10, 1.01);
	series(run, "floor", "steady", 1, 1);
	series(run, "x", "steady", 10, 1.01);
	series(run, "floor", "cheap", 1, 1);
	series(run, "u", "cheap", 10, 1.01);
	series(run, "loop", "steady", 4, 1.01);
	/* A slot without a time is none. */
	add(run, "y", "steady", 6, 0);
	return run;
}

static json_t *run_b(void)
{
	json_t *run = make_run("{'exact': [{'row': 'x', 'instructions': 0.05, 'clock_reads': 0,"
			       " 'extended': 0.0010005, 'header_bytes': 3.5}], 'table': ["
			       "{'row': 'x', 'workload': 'steady', 'verdict': 'broken'},"
			       "{'row': 'y', 'workload': 'steady', 'verdict': 'broken'}]}");

	series(run, "floor", "steady", 1, 1);
	series(run, "x", "steady", 20, 1.01);
	series(run, "y", "steady", 10.4, 1.01);
	series(run, "loop", "steady", 4.24, 1.01);
	series(run, "floor", "cheap", 1, 1);
	series(run, "u", "cheap", 5, 1.01);
	series(run, "floor", "late", 1, 1);
	series(run, "z", "late", 10, 1.01);
	return run;
}

static json_t *compare(const json_t *a, const char *a_row, const json_t *b, const char *b_row)
{
	return comparison_make(&(struct comparison_side){ a, a_row },
			       &(struct comparison_side){ b, b_row });
}

/* Cells in the order of the first run's table, and then by workload. */
static void a_comparison_says_this(void **state)
{
	json_t *a = run_a(), *b = run_b();

	assert_json(
		compare(a, NULL, b, NULL),
		"{'quick': '', 'only_a': [], 'only_b': ['floor/late'],"
		" 'counts': {'no change': 3, 'too noisy': 1, 'improved': 1, 'regressed': 1},"
		" 'cells': ["
		"{'name': 'x/steady', 'row': 'x', 'workload': 'steady', 'word': 'regressed',"
		" 'time': {'word': 'regressed', 'why': null, 'change': 1.0, 'low': 0.9412,"
		" 'high': 1.061, 'p': 0.002165, 'a': 10.25, 'b': 20.5,"
		" 'repetitions_a': 6, 'repetitions_b': 6},"
		" 'exact': [{'what': 'extended', 'a': 0.001, 'b': 0.0010005, 'word': 'regressed'},"
		" {'what': 'header_bytes', 'a': 4.0, 'b': 3.5, 'word': 'improved'},"
		" {'what': 'verdict', 'a': 'kept', 'b': 'broken', 'word': 'regressed'}]},"
		"{'name': 'floor/steady', 'row': 'floor', 'workload': 'steady',"
		" 'word': 'no change', 'time': null, 'exact': []},"
		"{'name': 'floor/cheap', 'row': 'floor', 'workload': 'cheap',"
		" 'word': 'no change', 'time': null, 'exact': []},"
		"{'name': 'u/cheap', 'row': 'u', 'workload': 'cheap', 'word': 'improved',"
		" 'time': {'word': 'improved', 'why': null, 'change': -0.5, 'low': -0.5147,"
		" 'high': -0.4848, 'p': 0.002165, 'a': 10.25, 'b': 5.126,"
		" 'repetitions_a': 6, 'repetitions_b': 6}, 'exact': []},"
		"{'name': 'z/late', 'row': 'z', 'workload': 'late', 'word': 'no change',"
		" 'time': null, 'exact': []},"
		"{'name': 'y/steady', 'row': 'y', 'workload': 'steady', 'word': 'too noisy',"
		" 'time': {'word': 'too noisy', 'why': 'the interval leaves room for a move',"
		" 'change': 0.04, 'low': 0.009414, 'high': 0.07151, 'p': 0.01515, 'a': 10.25,"
		" 'b': 10.66, 'repetitions_a': 6, 'repetitions_b': 6}, 'exact': []}]}");
	json_decref(a);
	json_decref(b);
}

/* Rows of one run beside each other, and what has times on one side alone. */
static void cells_that_are_not_alike(void **state)
{
	json_t *a = run_a(), *b = run_b(), *result, *one;

	result = compare(a, "x", b, "y");
	one = json_array_get(json_object_get(result, "cells"), 0);
	assert_string_equal(json_string_value(json_object_get(one, "name")), "x -> y/steady");
	assert_string_equal(json_string_value(json_object_get(one, "row")), "y");
	assert_int_equal(json_array_size(json_object_get(result, "cells")), 1);
	json_decref(result);
	/* Who ran in one alone is named. */
	add(a, "w", "steady", 0, 10);
	result = compare(a, NULL, b, NULL);
	one = json_object_get(result, "only_a");
	assert_int_equal(json_array_size(one), 1);
	assert_string_equal(json_string_value(json_array_get(one, 0)), "w/steady");
	json_decref(result);
	json_decref(a);
	json_decref(b);
}

/* What a run does not tell apart is within that, and a bit further is not. */
static void noise_is_told_to_the_last_bit(void **state)
{
	json_t *a = run_a(), *b = run_b(), *result, *time = NULL;
	double change = 0;
	int i;

	for (i = 0; i < 3; i++) {
		if (i)
			json_object_set_new(
				a, "noise",
				json_pack("{s:f}", "apart", i == 1 ? change : 0.999 * change));
		result = compare(a, NULL, b, NULL);
		time = json_object_get(json_array_get(json_object_get(result, "cells"), 0), "time");
		change = json_number_value(json_object_get(time, "change"));
		assert_string_equal(json_string_value(json_object_get(time, "word")),
				    i == 1 ? "too noisy" : "regressed");
		json_decref(result);
	}
	json_decref(a);
	json_decref(b);
}

static void machines_differ_in_these(void **state)
{
	json_t *a = quoted("{'context': {'stampede': {'schema': 3, 'cpu': {'model': 'EPYC',"
			   " 'smt': true}, 'tsc': {'hz': 2e9}}}}");
	json_t *b = quoted("{'context': {'stampede': {'schema': 4, 'cpu': {'model': 'Xeon',"
			   " 'smt': true}, 'tsc': {'hz': 2.001e9}, 'build': {'flags': '-O2'}}}}");

	assert_json(comparison_machines(a, b), "[{'what': 'schema', 'a': 3, 'b': 4},"
					       " {'what': 'cpu.model', 'a': 'EPYC', 'b': 'Xeon'},"
					       " {'what': 'build.flags', 'a': null, 'b': '-O2'}]");
	json_decref(a);
	json_decref(b);
}

static void the_matrix_says_this(void **state)
{
	json_t *a = make_run("{}"), *b = make_run("{}");
	const json_t *runs[] = { a, b };

	series(a, "floor", "steady", 1, 1);
	series(a, "x", "steady", 10, 1.01);
	add(b, "y", "steady", 0, 5);
	assert_json(comparison_matrix(runs, 2),
		    "{'cells': ["
		    "{'name': 'floor/steady', 'row': 'floor', 'workload': 'steady', 'values': ["
		    "null, null]},"
		    "{'name': 'x/steady', 'row': 'x', 'workload': 'steady', 'values': ["
		    "{'ratio': 10.25, 'low': 10.0, 'high': 10.51}, null]},"
		    "{'name': 'y/steady', 'row': 'y', 'workload': 'steady', 'values': [null,"
		    "{'ratio': 5.0, 'low': null, 'high': null}]}]}");
	/* And of the first alone. */
	assert_json(comparison_matrix(runs, 1),
		    "{'cells': ["
		    "{'name': 'floor/steady', 'row': 'floor', 'workload': 'steady', 'values': ["
		    "null]},"
		    "{'name': 'x/steady', 'row': 'x', 'workload': 'steady', 'values': ["
		    "{'ratio': 10.25, 'low': 10.0, 'high': 10.51}]}]}");
	json_decref(a);
	json_decref(b);
}

TESTS(a_comparison_says_this, cells_that_are_not_alike, noise_is_told_to_the_last_bit,
      machines_differ_in_these, the_matrix_says_this)
