// SPDX-License-Identifier: MIT
/* Comparisons of made-up runs: what changed is found, what did not is not, and noise is told. */
#include "tests/support/test.h"

#include "base/json.h"
#include "results/compare/comparison.h"
#include "tests/support/support.h"

#define ROUNDS 21

/* What a made-up run is like. */
struct made {
	double factor; /* of the row's time, to the other run's */
	double noise; /* relative, uniform */
	double instructions;
	const char *verdict;
};

static double uniform(uint64_t *random)
{
	return (double)(next_random(random) % 1000001) / 1e6 - 0.5;
}

/* A ratio of 0: of a row that is compared with none. */
static void add_slot(json_t *rows, const char *row, int round, double ratio)
{
	json_t *one = json_pack("{s:s, s:s, s:i, s:i, s:f}", "row", row, "workload", "steady",
				"repetition_index", round, "threads", 1, "ticks", 30.);

	if (ratio > 0)
		json_object_set_new(one, "ratio", json_real(ratio));
	json_array_append_new(rows, one);
}

static json_t *make_run(const struct made *made, uint64_t seed)
{
	json_t *rows = json_array();
	uint64_t random = seed * 77 + 1;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		add_slot(rows, "floor_published", round, 0);
		add_slot(rows, "other", round, 1 + made->noise * uniform(&random));
		add_slot(rows, "x", round,
			 30. / 28 * made->factor * (1 + made->noise * uniform(&random)));
	}
	return json_pack("{s:o, s:[{s:s, s:f, s:f}], s:[{s:s, s:s, s:s}]}", "benchmarks", rows,
			 "exact", "row", "x", "instructions", made->instructions, "clock_reads",
			 1.0, "table", "row", "x", "workload", "steady", "verdict", made->verdict);
}

static json_t *compare(const struct made *left, const struct made *right, uint64_t seed)
{
	json_t *a = make_run(left, seed), *b = make_run(right, seed + 1000);
	json_t *result = comparison_make(&(struct comparison_side){ a, NULL },
					 &(struct comparison_side){ b, NULL });

	json_decref(a);
	json_decref(b);
	assert_non_null(result);
	return result;
}

/* The word about cell x/steady; *cell is borrowed. */
static const char *word_of(const json_t *result, const json_t **cell)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(result, "cells"), i, one)
		if (!strcmp(json_string_value(json_object_get(one, "row")), "x")) {
			if (cell)
				*cell = one;
			return json_string_value(json_object_get(one, "word"));
		}
	fail_msg("no cell of row x");
	return NULL;
}

static void assert_word(const struct made *left, const struct made *right, const char *word)
{
	json_t *result;
	uint64_t seed;

	for (seed = 1; seed <= 20; seed++) {
		result = compare(left, right, seed);
		assert_string_equal(word_of(result, NULL), word);
		json_decref(result);
	}
}

static const struct made plain = { 1, 0.006, 35.5, "kept" };

static void the_same_code_is_no_change(void **state)
{
	struct made slow = plain;

	assert_word(&plain, &slow, "no change");
	slow.factor = 1.004; /* significant, and too little to matter */
	assert_word(&plain, &slow, "no change");
}

static void two_percent_are_found_both_ways(void **state)
{
	struct made other = plain;

	other.factor = 1.02;
	assert_word(&plain, &other, "regressed");
	assert_word(&other, &plain, "improved");
}

static void noise_is_told_and_not_called_the_same(void **state)
{
	struct made noisy = plain;

	noisy.noise = 0.9;
	assert_word(&noisy, &noisy, "too noisy");
}

static json_t *compare_commands(const struct made *right, const char *a_command,
				const char *b_command)
{
	json_t *a = make_run(&plain, 1), *b = make_run(right, 1001), *result;

	json_object_set_new(a, "command", json_string(a_command));
	json_object_set_new(b, "command", json_string(b_command));
	result = comparison_make(&(struct comparison_side){ a, NULL },
				 &(struct comparison_side){ b, NULL });
	json_decref(a);
	json_decref(b);
	return result;
}

/* A quick run has too few rounds: its times never regress, what is exact does. */
static void a_quick_run_has_no_times_to_compare(void **state)
{
	struct made other = plain;
	const json_t *cell;
	json_t *result;

	other.factor = 1.1;
	result = compare_commands(&other, "make bench", "make bench QUICK=1");
	assert_string_equal(word_of(result, &cell), "too noisy");
	assert_string_equal(json_text(json_object_get(cell, "time"), "why"), "one run is quick");
	assert_string_equal(json_text(result, "quick"), "B");
	json_decref(result);
	result = compare_commands(&other, "make bench QUICK=1", "make bench");
	assert_string_equal(json_text(result, "quick"), "A");
	json_decref(result);
	result = compare_commands(&other, "make bench QUICK=1", "make bench QUICK=1");
	assert_string_equal(word_of(result, NULL), "regressed");
	assert_string_equal(json_text(result, "quick"), "");
	json_decref(result);
	other.instructions += 2;
	result = compare_commands(&other, "make bench", "make bench QUICK=1");
	assert_string_equal(word_of(result, NULL), "regressed");
	json_decref(result);
}

/* However noisy a run is, it is no other than itself. */
static void a_run_is_itself(void **state)
{
	struct made noisy = plain;
	struct comparison_side side;
	json_t *run, *result;

	noisy.noise = 0.9;
	run = make_run(&noisy, 1);
	side = (struct comparison_side){ run, NULL };
	result = comparison_make(&side, &side);
	assert_string_equal(word_of(result, NULL), "no change");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(result, "counts"), "too noisy")),
		0);
	json_decref(result);
	json_decref(run);
}

static void one_instruction_is_a_change(void **state)
{
	struct made more = plain;
	const json_t *cell, *gate;
	json_t *result;

	more.instructions = plain.instructions + 4.0 / 340; /* as stepping may leave */
	assert_word(&plain, &more, "no change");
	more.instructions = plain.instructions + 1;
	assert_word(&plain, &more, "regressed");
	assert_word(&more, &plain, "improved");
	result = compare(&plain, &more, 5);
	word_of(result, &cell);
	gate = json_array_get(json_object_get(cell, "exact"), 0);
	assert_string_equal(json_string_value(json_object_get(gate, "what")), "instructions");
	assert_int_equal(json_array_size(json_object_get(cell, "exact")), 1);
	json_decref(result);
}

static void a_broken_promise_regresses(void **state)
{
	struct made broken = plain;

	broken.verdict = "broken";
	assert_word(&plain, &broken, "regressed");
	assert_word(&broken, &plain, "improved");
	broken.verdict = "need not met"; /* the machine's fault */
	assert_word(&plain, &broken, "no change");
}

TESTS(the_same_code_is_no_change, two_percent_are_found_both_ways,
      noise_is_told_and_not_called_the_same, a_quick_run_has_no_times_to_compare, a_run_is_itself,
      one_instruction_is_a_change, a_broken_promise_regresses)
