// SPDX-License-Identifier: MIT
/* Ranks, intervals and shifts, against tables and against brute force. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "results/samples.h"
#include "base/stats.h"
#include "tests/support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void quantiles_lie_between_neighbours(void **state)
{
	const double four[] = { 1, 2, 4, 8 };

	(void)state;
	assert_float_equal(stats_quantile(four, 4, 0), 1, 0);
	assert_float_equal(stats_quantile(four, 4, 0.5), 3, 0);
	assert_float_equal(stats_quantile(four, 4, 0.25), 1.75, 1e-12);
	assert_float_equal(stats_quantile(four, 4, 1), 8, 0);
	assert_true(isnan(stats_quantile(four, 0, 0.5)));
}

/* The ranks of the 95 % interval as tables of the sign test give them. */
static void interval_of_the_median_has_the_ranks_of_the_table(void **state)
{
	static const struct {
		size_t count, low, high; /* ranks from 1; 0: none */
	} table[] = {
		{ 5, 0, 0 },	{ 6, 1, 6 },	{ 8, 1, 8 },	{ 9, 2, 8 },
		{ 10, 2, 9 },	{ 15, 4, 12 },	{ 20, 6, 15 },	{ 25, 8, 18 },
		{ 30, 10, 21 }, { 41, 14, 28 }, { 50, 18, 33 },
	};
	struct stats_interval interval;
	double sorted[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(sorted); i++)
		sorted[i] = (double)(i + 1);
	for (i = 0; i < COUNT(table); i++) {
		interval = stats_median(sorted, table[i].count);
		if (!table[i].low) {
			assert_true(isnan(interval.low) && isnan(interval.high));
			continue;
		}
		assert_float_equal(interval.low, (double)table[i].low, 0);
		assert_float_equal(interval.high, (double)table[i].high, 0);
	}
	/* Far tails must not underflow. */
	assert_true(stats_median(sorted, 64).low < 32 && stats_median(sorted, 64).low > 20);
}

/* How many of the ways to choose 5 ranks of 10 have a U as far from the middle. */
static double brute_force(double u)
{
	unsigned int set, i, others, ways = 0, far = 0;
	double its;

	for (set = 0; set < 1u << 10; set++) {
		if (__builtin_popcount(set) != 5)
			continue;
		its = 0;
		others = 0;
		for (i = 0; i < 10; i++) {
			if (set >> i & 1)
				its += others;
			else
				others++;
		}
		ways++;
		far += fabs(its - 12.5) >= fabs(u - 12.5);
	}
	return (double)far / ways;
}

static void exact_test_agrees_with_brute_force(void **state)
{
	unsigned int set, i, a_count, b_count, checked = 0;
	double a[5], b[5], u;

	(void)state;
	for (set = 0; set < 1u << 10; set++) {
		if (__builtin_popcount(set) != 5)
			continue;
		a_count = b_count = 0;
		u = 0;
		for (i = 0; i < 10; i++) {
			if (set >> i & 1) {
				a[a_count++] = i;
				u += b_count;
			} else {
				b[b_count++] = i;
			}
		}
		assert_float_equal(stats_rank_test(a, 5, b, 5), brute_force(u), 1e-12);
		checked++;
	}
	assert_int_equal(checked, 252);
}

/* Greatest U that is significant on two sides: 10 and 10 at 1 %: 16; 20 and 20 at 1 %: 105. */
static void exact_test_agrees_with_the_table(void **state)
{
	static const struct {
		unsigned int count, u;
	} table[] = { { 8, 7 }, { 10, 16 }, { 20, 105 } };
	double a[32], b[32], p[2];
	unsigned int i, k, more, n;

	(void)state;
	for (i = 0; i < COUNT(table); i++) {
		n = table[i].count;
		for (more = 0; more < 2; more++) {
			/* The u last of a beat one more b than the others, in turn, until it is u.
			 */
			unsigned int u = table[i].u + more;

			for (k = 0; k < n; k++)
				b[k] = k + 1;
			for (k = 0; k < n; k++)
				a[k] = u / n + (k < u % n) + 0.25 + 0.5 * k / n;
			p[more] = stats_rank_test(a, n, b, n);
		}
		assert_true(p[0] <= 0.01 && p[1] > 0.01);
	}
}

/* Over many random samples of one source, p is below 5 % in some 5 % of them; of two, in most. */
static void test_has_its_level_and_finds_shifts(void **state)
{
	uint64_t random = 7;
	unsigned int i, j, alarms = 0, found = 0, wide = 0, covered = 0;
	double a[80], b[80];

	(void)state;
	for (i = 0; i < 600; i++) {
		size_t count = i % 2 ? 12 : 80; /* exact, and by the normal approximation */
		struct stats_interval shift;

		for (j = 0; j < count; j++) {
			a[j] = (double)(next_random(&random) % 1000000);
			b[j] = (double)(next_random(&random) % 1000000);
		}
		alarms += stats_rank_test(a, count, b, count) < 0.05;
		for (j = 0; j < count; j++)
			b[j] += 600000;
		found += stats_rank_test(a, count, b, count) < 0.05;
		shift = stats_shift(a, count, b, count);
		covered += shift.low <= 600000 && shift.high >= 600000;
		wide += shift.high - shift.low > 1000000;
	}
	assert_true(alarms >= 600 * 0.02 && alarms <= 600 * 0.08);
	assert_true(found >= 600 * 0.95 && found <= 600);
	assert_true(covered >= 600 * 0.92 && covered <= 600 * 0.99);
	assert_int_equal(wide, 0);
}

static void ties_and_empty_samples_say_nothing(void **state)
{
	const double same[] = { 3, 3, 3, 3, 3, 3, 3, 3 }, one[] = { 1 };
	struct stats_interval shift;

	(void)state;
	assert_float_equal(stats_rank_test(same, 8, same, 8), 1, 0);
	assert_float_equal(stats_rank_test(same, 0, same, 8), 1, 0);
	shift = stats_shift(same, 8, same, 8);
	assert_float_equal(shift.middle, 0, 0);
	assert_float_equal(shift.high - shift.low, 0, 0);
	assert_true(isnan(stats_shift(same, 0, same, 8).middle));
	shift = stats_shift(one, 1, same, 8);
	assert_float_equal(shift.middle, 2, 0);
	assert_true(isnan(shift.low) && isnan(shift.high));
}

/* A ratio is within its own round; a round that lacks one of the two does not count. */
static void ratios_are_within_rounds(void **state)
{
	static const double floors[] = { 10, 20, 0, 40 };
	const struct samples_cell cell = { "x", "steady" }, base = { SAMPLES_FLOOR, "steady" };
	json_t *rows = json_array();
	struct samples samples;
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f}", "row", SAMPLES_FLOOR,
						      "workload", "steady", "repetition_index", i,
						      "ticks", floors[i]));
	for (i = 4; i >= 0; i--)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f}", "row", "x",
						      "workload", "steady", "repetition_index", i,
						      "ticks", 20.0 * (i + 1)));
	samples = samples_collect(rows, &cell, "ticks", &base);
	assert_int_equal(samples.count, 3); /* 20 / 10, 40 / 20, 80 / 40; not 60 / 0, not 100 / - */
	assert_float_equal(samples.value[0], 2, 0);
	assert_float_equal(samples.value[2], 2, 0);
	samples_free(&samples);
	samples = samples_collect(rows, &cell, "cycles", &base);
	assert_int_equal(samples.count, 0);
	samples_free(&samples);
	assert_float_equal(samples_median(rows, &cell, "ticks", NULL).middle, 60, 0);
	json_decref(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_lie_between_neighbours),
		cmocka_unit_test(interval_of_the_median_has_the_ranks_of_the_table),
		cmocka_unit_test(exact_test_agrees_with_brute_force),
		cmocka_unit_test(exact_test_agrees_with_the_table),
		cmocka_unit_test(test_has_its_level_and_finds_shifts),
		cmocka_unit_test(ties_and_empty_samples_say_nothing),
		cmocka_unit_test(ratios_are_within_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
