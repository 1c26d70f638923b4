// SPDX-License-Identifier: MIT
/* Ranks, intervals and shifts, against scipy and against brute force. */
#include "tests/support/test.h"

#include <jansson.h>
#include <math.h>

#include "base/stats.h"
#include "tests/support/support.h"

static void quantiles_lie_between_neighbours(void **state)
{
	const double four[] = { 1, 2, 4, 8 };

	assert_float_equal(stats_quantile(four, 4, 0), 1, 0);
	assert_float_equal(stats_quantile(four, 4, 0.5), 3, 0);
	assert_float_equal(stats_quantile(four, 4, 0.25), 1.75, 1e-12);
	assert_float_equal(stats_quantile(four, 4, 1), 8, 0);
	assert_true(stats_quantile(four, 3, 1) == 4); /* and nothing behind it */
	assert_true(stats_quantile(four, 1, 0.5) == 1);
	assert_true(isnan(stats_quantile(four, 0, 0.5)));
}

static void a_trimmed_mean_leaves_whole_values_out(void **state)
{
	const double nine[] = { -900, 1, 2, 3, 4, 5, 6, 7, 900 };

	assert_float_equal(stats_trimmed_mean(nine, 9, 0.1), 4, 1e-12); /* a tenth of nine: one */
	assert_float_equal(stats_trimmed_mean(nine, 9, 0.2), 4, 1e-12);
	assert_float_equal(stats_trimmed_mean(nine, 8, 0.2), 3.5, 1e-12); /* of eight: two */
	assert_float_equal(stats_trimmed_mean(nine, 9, 0), 28.0 / 9, 1e-12);
	assert_float_equal(stats_trimmed_mean(nine + 1, 3, 0.1), 2, 1e-12);
	assert_float_equal(stats_trimmed_mean(nine + 1, 4, 0.5), 2.5, 1e-12); /* nothing is left */
	assert_float_equal(stats_trimmed_mean(nine, 2, 0.1), -449.5, 1e-12);
	assert_true(isnan(stats_trimmed_mean(nine, 0, 0.1)));
}

static json_t *scipy;

static int read_scipy(void **state)
{
	scipy = json_load_file("tests/data/ranks.json", 0, NULL);
	return scipy ? 0 : -1;
}

static int free_scipy(void **state)
{
	json_decref(scipy);
	return 0;
}

static double *values(const json_t *list)
{
	double *value = malloc((json_array_size(list) + 1) * sizeof(*value));
	size_t i;

	for (i = 0; value && i < json_array_size(list); i++)
		value[i] = json_number_value(json_array_get(list, i));
	return value;
}

static void assert_end(const json_t *end, double is)
{
	if (json_is_null(end))
		assert_true(isnan(is));
	else
		assert_true(is == json_number_value(end));
}

/* test_ranks.py has made them: with ties and without, to both sides of what is counted exactly. */
static void tests_and_shifts_are_those_of_scipy(void **state)
{
	const json_t *one;
	size_t i;

	assert_true(json_array_size(json_object_get(scipy, "cases")) > 10);
	json_array_foreach(json_object_get(scipy, "cases"), i, one) {
		size_t n = json_array_size(json_object_get(one, "a"));
		size_t m = json_array_size(json_object_get(one, "b"));
		double *a = values(json_object_get(one, "a")),
		       *b = values(json_object_get(one, "b"));
		double p = json_number_value(json_object_get(one, "p"));
		struct stats_interval shift = stats_shift(a, n, b, m);

		if (fabs(stats_rank_test(a, n, b, m) / p - 1) > 1e-9)
			fail_msg("%zu and %zu values: p %g", n, m, stats_rank_test(a, n, b, m));
		assert_true(shift.middle == json_number_value(json_object_get(one, "middle")));
		assert_end(json_object_get(one, "low"), shift.low);
		assert_end(json_object_get(one, "high"), shift.high);
		free(a);
		free(b);
	}
}

static void the_interval_of_a_median_is_that_of_scipy(void **state)
{
	json_t *ranks = json_object_get(scipy, "median_ranks"), *rank;
	struct stats_interval interval;
	double sorted[256];
	const char *count;
	size_t i;

	for (i = 0; i < COUNT(sorted); i++)
		sorted[i] = (double)(i + 1);
	assert_true(json_object_size(ranks) > 100);
	json_object_foreach(ranks, count, rank) {
		double low = json_number_value(rank), many = atof(count);

		interval = stats_median(sorted, (size_t)many);
		assert_true(interval.middle == (many + 1) / 2);
		assert_true(low ? interval.low == low : isnan(interval.low));
		assert_true(low ? interval.high == many + 1 - low : isnan(interval.high));
	}
	assert_true(isnan(stats_median(sorted, 0).middle));
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

/* Over many random samples of one source, p is below 5 % in some 5 % of them; of two, in most. */
static void test_has_its_level_and_finds_shifts(void **state)
{
	uint64_t random = 7;
	unsigned int i, j, alarms = 0, found = 0, wide = 0, covered = 0;
	double a[80], b[80];

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

/* Of 1 to 10 and one far off; then of many random samples, beside the median's interval. */
static void a_centre_is_held_and_more_narrowly(void **state)
{
	double value[] = { 9, 2, 7, 4, 100, 1, 8, 3, 10, 6, 5 }, of_center = 0, of_median = 0;
	struct stats_interval center = stats_center(value, 10), median;
	unsigned int i, j, covered = 0;
	uint64_t random = 11;

	/* The 8th of 55 means, as ranks that come to 8 or less are the rarest 5 %. */
	assert_float_equal(stats_center(value + 5, 6).middle, 5.5, 1e-12);
	assert_float_equal(center.middle, 6, 1e-12);
	assert_float_equal(center.low, 3, 1e-12);
	assert_float_equal(center.high, 51.5, 1e-12);
	for (i = 0; i < 1000; i++) {
		double sum[96];

		for (j = 0; j < 96; j++)
			sum[j] =
				(double)(next_random(&random) % 1000 + next_random(&random) % 1000 +
					 next_random(&random) % 1000);
		center = stats_center(sum, 96);
		stats_sort(sum, 96);
		median = stats_median(sum, 96);
		covered += center.low <= 1498.5 && center.high >= 1498.5;
		of_center += center.high - center.low;
		of_median += median.high - median.low;
	}
	assert_true(covered >= 930 && covered <= 970);
	assert_true(of_center < 0.85 * of_median);
	assert_true(isnan(stats_center(value, 5).low) && isnan(stats_center(value, 0).middle));
}

static void ties_and_empty_samples_say_nothing(void **state)
{
	const double same[] = { 3, 3, 3, 3, 3, 3, 3, 3 }, one[] = { 1 };
	const double outer[] = { 1, 4 }, inner[] = { 2, 3 }, steps[] = { 1, 2, 3 };
	const double low[] = { 1, 1 }, high[] = { 1, 2 };
	struct stats_interval shift;

	assert_float_equal(stats_rank_test(same, 8, same, 8), 1, 0);
	assert_float_equal(stats_rank_test(same, 0, same, 8), 1, 0);
	assert_float_equal(stats_rank_test(same, 8, same, 0), 1, 0);
	/* In the middle, without ties and with some; and an approximation with a spread of 1. */
	assert_float_equal(stats_rank_test(outer, 2, inner, 2), 1, 0);
	assert_float_equal(stats_rank_test(steps, 3, steps, 3), 1, 0);
	assert_float_equal(stats_rank_test(low, 2, high, 2), erfc(0.5 / sqrt(2)), 1e-12);
	shift = stats_shift(same, 8, same, 8);
	assert_float_equal(shift.middle, 0, 0);
	assert_float_equal(shift.high - shift.low, 0, 0);
	assert_true(isnan(stats_shift(same, 0, same, 8).middle));
	shift = stats_shift(one, 1, same, 8);
	assert_float_equal(shift.middle, 2, 0);
	assert_true(isnan(shift.low) && isnan(shift.high));
}

TESTS_OF(read_scipy, free_scipy, NULL, NULL, quantiles_lie_between_neighbours,
	 a_trimmed_mean_leaves_whole_values_out, tests_and_shifts_are_those_of_scipy,
	 the_interval_of_a_median_is_that_of_scipy, exact_test_agrees_with_brute_force,
	 test_has_its_level_and_finds_shifts, a_centre_is_held_and_more_narrowly,
	 ties_and_empty_samples_say_nothing)
