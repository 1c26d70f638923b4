// SPDX-License-Identifier: MIT
/* Which repetitions count: the undisturbed ones, by a probe that knows nothing of the scheme. */
#include "tests/support/test.h"

#include <math.h>

#include "results/samples.h"

#define CALM 0.75
#define BUSY 1.5

static void add(json_t *rows, const char *row, int round, int threads, double ticks, double probe)
{
	json_t *one = json_pack("{s:s, s:s, s:i, s:i, s:f}", "row", row, "workload", "steady",
				"repetition_index", round, "threads", threads, "ticks", ticks);

	if (probe > 0)
		json_object_set_new(one, "probe", json_real(probe));
	json_array_append_new(rows, one);
}

static const struct samples_cell own = { "row", "steady" }, base = { SAMPLES_FLOOR, "steady" };

static void disturbed_repetitions_are_left_out(void **state)
{
	json_t *rows = json_array();
	struct samples samples;
	int i;

	for (i = 0; i < 20; i++)
		add(rows, "row", i, 1, i % 3 ? 40 : 30, i % 3 ? BUSY : CALM * (1 + i * 0.001));
	samples = samples_collect(rows, &own, "ticks", NULL);
	assert_int_equal(samples.count, 7);
	assert_int_equal(samples.left_out, 13);
	assert_true(samples.value[0] == 30 && samples.value[6] == 30);
	samples_free(&samples);
	json_decref(rows);
}

/* A short time is no reason to count, nor a long one not to. */
static void the_time_itself_does_not_choose(void **state)
{
	json_t *rows = json_array();
	struct samples samples;
	int i;

	for (i = 0; i < 20; i++)
		add(rows, "row", i, 1, i % 2 ? 20 : 30, i % 2 ? BUSY : CALM);
	samples = samples_collect(rows, &own, "ticks", NULL);
	assert_int_equal(samples.count, 10);
	assert_true(samples.value[0] == 30 && samples.value[9] == 30);
	samples_free(&samples);
	json_decref(rows);
}

static void all_count_where_too_few_are_undisturbed(void **state)
{
	json_t *rows = json_array();
	struct samples samples;
	int i;

	for (i = 0; i < 20; i++)
		add(rows, "row", i, 1, 30, i < SAMPLES_LEAST - 1 ? CALM : BUSY);
	samples = samples_collect(rows, &own, "ticks", NULL);
	assert_int_equal(samples.count, 20);
	assert_int_equal(samples.left_out, 0);
	assert_true(samples.mixed);
	samples_free(&samples);
	add(rows, "row", 20, 1, 30, CALM);
	samples = samples_collect(rows, &own, "ticks", NULL);
	assert_int_equal(samples.count, SAMPLES_LEAST);
	assert_false(samples.mixed);
	samples_free(&samples);
	json_decref(rows);
}

static void a_disturbed_base_is_that_of_the_nearest_round(void **state)
{
	json_t *rows = json_array();
	struct samples samples;
	int i;

	/* The base is 10 up to round 9 and 20 from then on, disturbed in every odd round. */
	for (i = 0; i < 20; i++) {
		add(rows, "row", i, 1, i < 10 ? 10 : 20, CALM);
		add(rows, SAMPLES_FLOOR, i, 1, i % 2 ? 77 : i < 10 ? 10 : 20, i % 2 ? BUSY : CALM);
	}
	samples = samples_collect(rows, &own, "ticks", &base);
	assert_int_equal(samples.count, 20);
	for (i = 0; i < 20; i++)
		assert_true(fabs(samples.value[i] - 1) < 1e-9);
	samples_free(&samples);
	json_decref(rows);
}

/* Several threads share cores: their probes are measured by their own calmest. */
static void probes_are_compared_among_as_many_threads(void **state)
{
	json_t *rows = json_array();
	struct samples samples;
	int i;

	for (i = 0; i < 20; i++) {
		add(rows, "row", i, 2, 30, BUSY);
		add(rows, SAMPLES_FLOOR, i, 1, 10, CALM);
	}
	samples = samples_collect(rows, &own, "ticks", NULL);
	assert_int_equal(samples.count, 20);
	assert_int_equal(samples.left_out, 0);
	assert_false(samples.mixed);
	samples_free(&samples);
	json_decref(rows);
}

static void records_without_probes_count_whole(void **state)
{
	json_t *rows = json_array();
	struct samples samples;
	int i;

	for (i = 0; i < 20; i++) {
		add(rows, "row", i, 1, 30, 0);
		add(rows, SAMPLES_FLOOR, i, 1, 10, 0);
	}
	samples = samples_collect(rows, &own, "ticks", &base);
	assert_int_equal(samples.count, 20);
	assert_true(fabs(samples.value[0] - 3) < 1e-9);
	samples_free(&samples);
	json_decref(rows);
}

static void nothing_known_is_no_value(void **state)
{
	json_t *rows = json_array();
	struct samples samples;

	add(rows, "row", 3, 1, 30, CALM);
	samples = samples_collect(rows, &own, "ticks", &base);
	assert_int_equal(samples.count, 0);
	samples_free(&samples);
	samples = samples_collect(rows, &own, "ticks", NULL);
	assert_int_equal(samples.count, 1);
	assert_false(samples.mixed);
	samples_free(&samples);
	samples = samples_collect(rows, &own, "no such key", NULL);
	assert_int_equal(samples.count, 0);
	samples_free(&samples);
	json_decref(rows);
}

/* A floor that was never calm is of no use to calm repetitions: all count, as they were run. */
static void a_base_that_was_never_calm(void **state)
{
	json_t *rows = json_array();
	struct samples samples;
	int i;

	for (i = 0; i < 8; i++) {
		add(rows, "row", i, 1, 30, CALM);
		add(rows, SAMPLES_FLOOR, i, 1, 10, BUSY);
	}
	samples = samples_collect(rows, &own, "ticks", &base);
	assert_int_equal(samples.count, 8);
	assert_true(samples.mixed);
	samples_free(&samples);
	json_decref(rows);
}

/* Cycles where a CPU counted them, in row and floor; ticks else. */
static void cycles_go_before_ticks(void **state)
{
	json_t *rows = json_array(), *one;
	struct samples samples;
	const char *basis;
	size_t i, counted;

	add(rows, "row", 0, 1, 30, CALM);
	add(rows, SAMPLES_FLOOR, 0, 1, 10, CALM);
	for (counted = 0; counted < 3; counted++) {
		json_array_foreach(rows, i, one)
			if (i < counted)
				json_object_set_new(one, "cycles", json_real(i ? 5 : 20));
		samples = samples_to_floor(rows, &own, &basis);
		assert_string_equal(basis, counted < 2 ? "ticks" : "cycles");
		assert_int_equal(samples.count, 1);
		assert_true(samples.value[0] == (counted < 2 ? 3 : 4));
		samples_free(&samples);
	}
	json_decref(rows);
}

TESTS(disturbed_repetitions_are_left_out, the_time_itself_does_not_choose,
      all_count_where_too_few_are_undisturbed, a_disturbed_base_is_that_of_the_nearest_round,
      probes_are_compared_among_as_many_threads, records_without_probes_count_whole,
      nothing_known_is_no_value, a_base_that_was_never_calm, cycles_go_before_ticks)
