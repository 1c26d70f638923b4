// SPDX-License-Identifier: MIT
/* The latency histogram against sorted samples, at its bounds and beyond its range. */
#include "tests/support/test.h"
#include "base/histogram.h"
#include "base/rng.h"

#define SAMPLES 20001

static const double parts[] = { 0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1 };

static uint64_t random_state = 88172645463325252u;

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The sample of rank ceil(part * count), by the definition. */
static uint64_t sorted_percentile(const uint64_t *sorted, uint64_t count, double part)
{
	uint64_t rank = 1;

	while ((double)rank < part * (double)count - 1e-6)
		rank++;
	return sorted[rank - 1];
}

static uint64_t *fill(struct histogram *histogram, uint64_t count, unsigned int bits)
{
	uint64_t *samples = calloc(count, sizeof(*samples)), i;

	assert_non_null(samples);
	memset(histogram, 0, sizeof(*histogram));
	for (i = 0; i < count; i++) {
		/* Evenly over the octaves, as latencies with a long tail are. */
		samples[i] = rng_next(&random_state) &
			     ((UINT64_C(1) << (1 + rng_next(&random_state) % bits)) - 1);
		histogram_add(histogram, samples[i]);
	}
	qsort(samples, count, sizeof(*samples), by_value);
	return samples;
}

static void exact_below_1024(void **state)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));
	uint64_t *samples = fill(histogram, SAMPLES, HISTOGRAM_EXACT_BITS);
	unsigned int i;

	assert_true(samples[SAMPLES - 1] >= HISTOGRAM_EXACT / 2 &&
		    samples[SAMPLES - 1] <= HISTOGRAM_EXACT - 1);
	for (i = 0; i < COUNT(parts); i++)
		assert_int_equal(histogram_percentile(histogram, parts[i]),
				 sorted_percentile(samples, SAMPLES, parts[i]));
	free(samples);
	free(histogram);
}

static void within_a_64th_above(void **state)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));
	uint64_t *samples = fill(histogram, SAMPLES, HISTOGRAM_BITS), truth, said;
	unsigned int i;

	for (i = 0; i < COUNT(parts); i++) {
		truth = sorted_percentile(samples, SAMPLES, parts[i]);
		said = histogram_percentile(histogram, parts[i]);
		assert_true(said >= truth);
		assert_true(said - truth <= truth / 64);
	}
	assert_int_equal(histogram->count, SAMPLES);
	assert_int_equal(histogram->max, samples[SAMPLES - 1]);
	assert_int_equal(histogram_percentile(histogram, 1), samples[SAMPLES - 1]);
	assert_int_equal(histogram->bin[HISTOGRAM_BINS - 1], 0);
	free(samples);
	free(histogram);
}

static void few_samples_have_ranks(void **state)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));
	uint64_t i;

	assert_int_equal(histogram_percentile(histogram, 0.5), 0);
	histogram_add(histogram, 7);
	assert_int_equal(histogram_percentile(histogram, 0), 7);
	assert_int_equal(histogram_percentile(histogram, 0.9999), 7);
	memset(histogram, 0, sizeof(*histogram));
	for (i = 1; i <= 1000; i++)
		histogram_add(histogram, i);
	assert_int_equal(histogram_percentile(histogram, 0.5), 500);
	assert_int_equal(histogram_percentile(histogram, 0.5005), 501);
	assert_int_equal(histogram_percentile(histogram, 0.999), 999);
	assert_int_equal(histogram_percentile(histogram, 0.9991), 1000);
	free(histogram);
}

/* Every bin begins one above the top of the bin before, and its top goes into it. */
static void bins_meet(void **state)
{
	unsigned int bin;

	for (bin = 0; bin < HISTOGRAM_BINS - 1; bin++) {
		assert_int_equal(histogram_bin(histogram_top(bin)), bin);
		assert_int_equal(histogram_bin(histogram_top(bin) + 1), bin + 1);
	}
	assert_int_equal(histogram_top(HISTOGRAM_BINS - 2), (UINT64_C(1) << HISTOGRAM_BITS) - 1);
}

/* What the header says. */
static void worked_examples(void **state)
{
	assert_int_equal(histogram_bin(1023), 1023);
	assert_int_equal(histogram_bin(1024), 1024);
	assert_int_equal(histogram_bin(1039), 1024);
	assert_int_equal(histogram_bin(1040), 1025);
	assert_int_equal(histogram_bin(2048), 1088);
	assert_int_equal(histogram_top(1023), 1023);
	assert_int_equal(histogram_top(1024), 1039);
	assert_int_equal(histogram_top(1088), 2079);
	assert_int_equal(histogram_bin(UINT64_C(3) << (HISTOGRAM_BITS - 1)), HISTOGRAM_BINS - 1);
}

static void beyond_the_range_is_counted(void **state)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));

	histogram_add(histogram, 1);
	histogram_add(histogram, (UINT64_C(1) << HISTOGRAM_BITS) - 1);
	assert_int_equal(histogram->bin[HISTOGRAM_BINS - 1], 0);
	histogram_add(histogram, UINT64_C(1) << HISTOGRAM_BITS);
	histogram_add(histogram, UINT64_MAX);
	assert_int_equal(histogram->bin[HISTOGRAM_BINS - 1], 2);
	assert_int_equal(histogram->count, 4);
	assert_true(histogram->max == UINT64_MAX);
	assert_true(histogram_percentile(histogram, 1) == UINT64_MAX);
	assert_int_equal(histogram_percentile(histogram, 0.25), 1);
	free(histogram);
}

TESTS(exact_below_1024, within_a_64th_above, few_samples_have_ranks, bins_meet, worked_examples,
      beyond_the_range_is_counted)
