// SPDX-License-Identifier: MIT
/* Comparisons of made-up runs: what changed is found, what did not is not, and noise is told. */
#include "tests/support/test.h"

#include <math.h>

#include "base/json.h"
#include "results/compare/comparison.h"
#include "tests/support/support.h"

#define ROUNDS 21

/* What a made-up run is like. */
struct made {
	double factor; /* of the row's time, to the other run's */
	double noise; /* relative, uniform */
	double control; /* ticks of the loop without a scheme; 0: not measured */
	double drift; /* of all times: what other work on the machine does */
	double instructions;
	const char *verdict;
	int undisturbed; /* one round in so many, by its probe; 0: nobody probed */
	const char *command; /* of the run; NULL: not known */
};

static double uniform(uint64_t *random)
{
	return (double)(next_random(random) % 1000001) / 1e6 - 0.5;
}

static json_t *add_repetition(json_t *rows, const char *row, int round, double ticks)
{
	json_t *one = json_pack("{s:s, s:s, s:i, s:i, s:f, s:n}", "row", row, "workload", "steady",
				"repetition_index", round, "threads", 1, "ticks", ticks, "cycles");

	json_array_append_new(rows, one);
	return one;
}

static json_t *make_run(const struct made *made, uint64_t seed)
{
	json_t *rows = json_array();
	uint64_t random = seed * 77 + 1;
	double round_drift;
	json_t *one;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		round_drift = made->drift * (1 + 0.3 * uniform(&random));
		add_repetition(rows, "floor", round,
			       28 * round_drift * (1 + made->noise * uniform(&random)));
		if (made->control > 0)
			add_repetition(rows, "loop", round,
				       made->control * round_drift *
					       (1 + made->noise * uniform(&random)));
		one = add_repetition(rows, "x", round,
				     30 * round_drift * made->factor *
					     (1 + made->noise * uniform(&random)));
		if (made->undisturbed)
			json_object_set_new(one, "probe",
					    json_real(round % made->undisturbed ? 1.5 : 0.75));
	}
	return json_pack("{s:o, s:s*, s:[{s:s, s:f, s:f}], s:[{s:s, s:s, s:s}]}", "benchmarks",
			 rows, "command", made->command, "exact", "row", "x", "instructions",
			 made->instructions, "clock_reads", 1.0, "table", "row", "x", "workload",
			 "steady", "verdict", made->verdict);
}

/* The word about cell x/steady, and why its time is in doubt; "": it is not. */
static void assert_word(const struct made *left, const struct made *right, uint64_t seed,
			const char *word, const char *why, const char *quick)
{
	json_t *a = make_run(left, seed), *b = make_run(right, seed + 1000), *one, *of = NULL;
	json_t *result = comparison_make(&(struct comparison_side){ a, NULL },
					 &(struct comparison_side){ b, NULL });
	size_t i;

	json_array_foreach(json_object_get(result, "cells"), i, one)
		if (!strcmp(json_text(one, "row"), "x"))
			of = one;
	assert_string_equal(json_text(of, "word"), word);
	if (why)
		assert_string_equal(json_text(json_object_get(of, "time"), "why"), why);
	assert_string_equal(json_text(result, "quick"), quick);
	json_decref(result);
	json_decref(a);
	json_decref(b);
}

#define PLAIN \
	.factor = 1, .noise = 0.04, .control = 0.8, .drift = 1, .instructions = 35.5, \
	.verdict = "kept"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"

/* To a run of PLAIN: the word, and that of the two runs in the other order. */
static const struct {
	struct made left, right;
	const char *word, *turned; /* NULL: as the first */
	const char *why; /* NULL: whatever */
} pairs[] = {
	/* The same code on a slower day; significant, and too little to matter. */
	{ { PLAIN }, { PLAIN, .drift = 1.5 }, "no change", NULL, NULL },
	{ { PLAIN }, { PLAIN, .drift = 1.5, .factor = 1.02 }, "no change", NULL, NULL },
	{ { PLAIN }, { PLAIN, .factor = 1.1 }, "regressed", "improved", NULL },
	/* Noise is told, and not called the same. */
	{ { PLAIN, .noise = 0.9 }, { PLAIN, .noise = 0.9 }, "too noisy", NULL, NULL },
	/* A busy sibling of the core: the loop takes longer, and so do rows that compute. What is
	 * exact holds all the same, and an older run has no loop to go by. */
	{ { PLAIN },
	  { PLAIN, .control = 1.3, .factor = 1.2 },
	  "too noisy",
	  NULL,
	  "the loop without a scheme moved, too" },
	{ { PLAIN },
	  { PLAIN, .control = 1.3, .factor = 1.2, .instructions = 37.5 },
	  "regressed",
	  "improved",
	  NULL },
	{ { PLAIN }, { PLAIN, .control = 0, .factor = 1.2 }, "regressed", "improved", NULL },
	/* With seven repetitions left alone there is something to say, with two there is not. */
	{ { PLAIN }, { PLAIN, .factor = 1.2, .undisturbed = 3 }, "regressed", "improved", NULL },
	{ { PLAIN },
	  { PLAIN, .factor = 1.2, .undisturbed = 11 },
	  "too noisy",
	  NULL,
	  "of repetitions on shared cores" },
	{ { PLAIN }, { PLAIN, .undisturbed = 11 }, "no change", NULL, NULL },
	/* One instruction is a change, what stepping may leave is none. */
	{ { PLAIN }, { PLAIN, .instructions = 35.5 + 4.0 / 340 }, "no change", NULL, NULL },
	{ { PLAIN }, { PLAIN, .instructions = 36.5 }, "regressed", "improved", NULL },
	/* A broken promise is, too; a need that is not met is the machine's fault. */
	{ { PLAIN }, { PLAIN, .verdict = "broken" }, "regressed", "improved", NULL },
	{ { PLAIN }, { PLAIN, .verdict = "need not met" }, "no change", NULL, NULL },
};

static void words(void **state)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const char *turned = pairs[i].turned ? pairs[i].turned : pairs[i].word;

		for (uint64_t seed = 1; seed <= 20; seed++) {
			assert_word(&pairs[i].left, &pairs[i].right, seed, pairs[i].word,
				    pairs[i].why, "");
			assert_word(&pairs[i].right, &pairs[i].left, seed, turned, pairs[i].why,
				    "");
		}
	}
}

/* A quick run has too few rounds: its times never regress, what is exact does. */
static void a_quick_run_has_no_times_to_compare(void **state)
{
#define WHOLE .command = "make bench"
#define QUICK .command = "make bench QUICK=1"
	const struct made whole = { PLAIN, WHOLE }, quick = { PLAIN, QUICK },
			  slow = { PLAIN, WHOLE, .factor = 1.1 },
			  quick_slow = { PLAIN, QUICK, .factor = 1.1 },
			  more = { PLAIN, QUICK, .factor = 1.1, .instructions = 37.5 };

	assert_word(&whole, &quick_slow, 1, "too noisy", "one run is quick", "B");
	assert_word(&quick, &slow, 1, "too noisy", "one run is quick", "A");
	assert_word(&quick, &quick_slow, 1, "regressed", NULL, "");
	assert_word(&whole, &more, 1, "regressed", NULL, "B");
}

/* However noisy a run is, it is no other than itself. */
static void a_run_is_itself(void **state)
{
	json_t *run = make_run(&(struct made){ PLAIN, .noise = 0.9 }, 1);
	const struct comparison_side side = { run, NULL };
	json_t *result = comparison_make(&side, &side);

	assert_float_equal(json_number(json_object_get(result, "counts"), "no change"),
			   json_array_size(json_object_get(result, "cells")), 0);
	json_decref(result);
	json_decref(run);
}

#pragma GCC diagnostic pop
TESTS(words, a_quick_run_has_no_times_to_compare, a_run_is_itself)
