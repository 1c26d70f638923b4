/* SPDX-License-Identifier: MIT */
/*
 * Statistics of repetitions: quantiles, and intervals for the middle. Nothing here takes times for
 * normally distributed: all is by rank. Samples are arrays of finite numbers; memory that cannot be
 * had makes a result NAN.
 */
#pragma once

#include <stddef.h>

/* An estimate with its 95 % interval; NAN for ends that the sample is too small for. */
struct stats_interval {
	double middle;
	double low;
	double high;
};

void stats_sort(double *value, size_t count);

/* The part-quantile (0 .. 1) of a sorted sample, between neighbours in proportion. NAN if empty. */
double stats_quantile(const double *sorted, size_t count, double part);

/*
 * Mean of a sorted sample without `part` (0 .. 0.5) of it at either end, rounded up; of 1 or 2
 * values that of all. NAN if empty.
 */
double stats_trimmed_mean(const double *sorted, size_t count, double part);

/*
 * Median of a sorted sample and an interval that holds the true one with 95 % or more, by order
 * statistics: 41 values give the 14th and the 28th. Below 6 values there is none.
 */
struct stats_interval stats_median(const double *sorted, size_t count);

/*
 * Centre of a sample that is about as wide on either side: the median of the means of all two
 * values, each with itself too (Hodges and Lehmann), with the interval of Wilcoxon's signed ranks
 * by the normal approximation. A fifth narrower than stats_median()'s. Below 6 values there is
 * none.
 */
struct stats_interval stats_center(const double *value, size_t count);

/* How far the interval's ends are from its middle, relative, the farther one. NAN: not known. */
double stats_half_width(const struct stats_interval *interval);
