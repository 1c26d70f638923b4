// SPDX-License-Identifier: MIT
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAIL 0.025 /* of a 95 % interval */
#define TAIL_NORMAL 1.959963984540054
#define MEDIAN_LEAST 6 /* 2 * 0.5^6 = 3.1 % is the first below 5 % */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *value, size_t count)
{
	if (count)
		qsort(value, count, sizeof(*value), by_value);
}

double stats_quantile(const double *sorted, size_t count, double part)
{
	double at = part * (double)(count ? count - 1 : 0);
	size_t below = (size_t)at;

	if (!count)
		return NAN;
	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* The largest k for which k - 1 or fewer of `count` coins show heads with TAIL at most. */
static size_t median_rank(size_t count)
{
	double log_share = -(double)count * log(2), sum = 0;
	size_t k;

	for (k = 0; k < count; k++) {
		sum += exp(log_share);
		if (sum > TAIL)
			return k;
		log_share += log((double)(count - k)) - log((double)(k + 1));
	}
	return k;
}

double stats_trimmed_mean(const double *sorted, size_t count, double part)
{
	size_t from = count > 2 ? (size_t)ceil((double)count * part) : 0, i;
	double sum = 0;

	if (2 * from >= count)
		return stats_quantile(sorted, count, 0.5);
	for (i = from; i < count - from; i++)
		sum += sorted[i];
	return sum / (double)(count - 2 * from);
}

struct stats_interval stats_median(const double *sorted, size_t count)
{
	struct stats_interval interval = { stats_quantile(sorted, count, 0.5), NAN, NAN };
	size_t rank = count < MEDIAN_LEAST ? 0 : median_rank(count);

	if (rank) {
		interval.low = sorted[rank - 1];
		interval.high = sorted[count - rank];
	}
	return interval;
}

struct stats_interval stats_center(const double *value, size_t count)
{
	struct stats_interval center = { NAN, NAN, NAN };
	size_t means = count * (count + 1) / 2, at = 0, i, j;
	double n = (double)count, rank;
	double *mean = means ? malloc(means * sizeof(double)) : NULL;

	if (!mean)
		return center;
	for (i = 0; i < count; i++)
		for (j = 0; j <= i; j++)
			mean[at++] = (value[i] + value[j]) / 2;
	stats_sort(mean, means);
	center.middle = stats_quantile(mean, means, 0.5);
	rank = floor(n * (n + 1) / 4 - TAIL_NORMAL * sqrt(n * (n + 1) * (2 * n + 1) / 24));
	if (rank >= 1) {
		center.low = mean[(size_t)rank - 1];
		center.high = mean[means - (size_t)rank];
	}
	free(mean);
	return center;
}

double stats_half_width(const struct stats_interval *interval)
{
	return fmax(interval->high - interval->middle, interval->middle - interval->low) /
	       fabs(interval->middle);
}
