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

/*
 * share[u]: probability that U is u under the null hypothesis, for u = 0 .. a * b. By the
 * recurrence on whether the largest value of all is one of a's: it then beats every b.
 */
static double *exact_shares(size_t a, size_t b)
{
	size_t size = a * b + 1, i, j, u;
	/* table[j][u] of the current i: ways for i values of a among j of b. */
	double *table = calloc((b + 1) * size, sizeof(double)), *share = NULL, all = 0;

	if (!table)
		return NULL;
	for (j = 0; j <= b; j++)
		table[j * size] = 1;
	for (i = 1; i <= a; i++) {
		for (j = 1; j <= b; j++)
			for (u = i * j + 1; u-- > 0;)
				table[j * size + u] = (u >= j ? table[j * size + u - j] : 0) +
						      table[(j - 1) * size + u];
	}
	share = malloc(size * sizeof(double));
	for (u = 0; u < size; u++)
		all += table[b * size + u];
	for (u = 0; share && u < size; u++)
		share[u] = table[b * size + u] / all;
	free(table);
	return share;
}

/* How many of the sorted differences are outside Moses' interval, on each side. */
static size_t shift_rank(size_t a_count, size_t b_count)
{
	double n = (double)a_count, m = (double)b_count, sum = 0, *share;
	size_t k;

	if (a_count > STATS_EXACT || b_count > STATS_EXACT)
		return (size_t)fmax(
			0, floor(n * m / 2 - TAIL_NORMAL * sqrt(n * m * (n + m + 1) / 12)));
	share = exact_shares(a_count, b_count);
	for (k = 0; share && k <= a_count * b_count / 2; k++) {
		sum += share[k];
		if (sum > TAIL)
			break;
	}
	free(share);
	return share ? k : 0;
}

struct stats_interval stats_shift(const double *a, size_t a_count, const double *b, size_t b_count)
{
	struct stats_interval shift = { NAN, NAN, NAN };
	size_t count = a_count * b_count, rank, i;
	double *difference = count ? malloc(count * sizeof(double)) : NULL;

	if (!difference)
		return shift;
	for (i = 0; i < count; i++)
		difference[i] = b[i % b_count] - a[i / b_count];
	stats_sort(difference, count);
	shift.middle = stats_quantile(difference, count, 0.5);
	rank = shift_rank(a_count, b_count);
	if (rank) {
		shift.low = difference[rank - 1];
		shift.high = difference[count - rank];
	}
	free(difference);
	return shift;
}
