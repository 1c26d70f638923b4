// SPDX-License-Identifier: MIT
/* Intervals, against scipy. */
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

TESTS_OF(read_scipy, free_scipy, NULL, NULL, quantiles_lie_between_neighbours,
	 a_trimmed_mean_leaves_whole_values_out, the_interval_of_a_median_is_that_of_scipy,
	 a_centre_is_held_and_more_narrowly)
