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

/* Twenty repetitions, of which those count whose probe was calm: whatever their own time. */
static void probes_choose(void **state)
{
	static const struct {
		int calm_each, until; /* calm: each of so many, up to that round */
		double calm_ticks, busy_ticks;
		size_t count, left_out;
	} cases[] = {
		{ 3, 20, 30, 40, 7, 13 },
		/* A short time is no reason to count, nor a long one not to. */
		{ 2, 20, 30, 20, 10, 10 },
		/* All count where too few are undisturbed. */
		{ 1, SAMPLES_LEAST - 1, 30, 30, 20, 0 },
		{ 1, SAMPLES_LEAST, 30, 30, SAMPLES_LEAST, 20 - SAMPLES_LEAST },
	};
	struct samples samples;

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		json_t *rows = json_array();

		for (int i = 0; i < 20; i++) {
			bool calm = i % cases[k].calm_each == 0 && i < cases[k].until;

			add(rows, "row", i, 1, calm ? cases[k].calm_ticks : cases[k].busy_ticks,
			    calm ? CALM * (1 + i * 0.001) : BUSY);
		}
		samples = samples_collect(rows, &own, "ticks", NULL);
		assert_int_equal(samples.count, cases[k].count);
		assert_int_equal(samples.left_out, cases[k].left_out);
		assert_int_equal(samples.mixed, !cases[k].left_out);
		assert_true(samples.value[0] == 30 && samples.value[samples.count - 1] == 30);
		samples_free(&samples);
		json_decref(rows);
	}
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

/* Of a base or none: probes of other numbers of threads, records without any, a base never calm. */
static void all_of_them_count(void **state)
{
	static const struct {
		int threads;
		double probe, base_probe;
		bool to_base, mixed;
	} cases[] = { { 2, BUSY, CALM, false, false },
		      { 1, 0, 0, true, false },
		      { 1, CALM, BUSY, true, true } };
	struct samples samples;

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		json_t *rows = json_array();

		for (int i = 0; i < 8; i++) {
			add(rows, "row", i, cases[k].threads, 30, cases[k].probe);
			add(rows, SAMPLES_FLOOR, i, 1, 10, cases[k].base_probe);
		}
		samples = samples_collect(rows, &own, "ticks", cases[k].to_base ? &base : NULL);
		assert_int_equal(samples.count, 8);
		assert_int_equal(samples.left_out, 0);
		assert_int_equal(samples.mixed, cases[k].mixed);
		assert_float_equal(samples.value[0], cases[k].to_base ? 3 : 30, 1e-9);
		samples_free(&samples);
		json_decref(rows);
	}
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

TESTS(probes_choose, a_disturbed_base_is_that_of_the_nearest_round, all_of_them_count,
      nothing_known_is_no_value, cycles_go_before_ticks)
