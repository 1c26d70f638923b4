// SPDX-License-Identifier: MIT
#include "base/histogram.h"

#include <stdbool.h>

uint64_t histogram_top(unsigned int bin)
{
	unsigned int above = bin - HISTOGRAM_EXACT, shift;

	if (bin < HISTOGRAM_EXACT)
		return bin;
	if (bin >= HISTOGRAM_BINS - 1)
		return UINT64_MAX;
	shift = above / HISTOGRAM_PARTS + HISTOGRAM_EXACT_BITS - HISTOGRAM_PART_BITS;
	return ((uint64_t)(HISTOGRAM_PARTS + above % HISTOGRAM_PARTS + 1) << shift) - 1;
}

static uint64_t top_seen(const struct histogram *histogram, unsigned int bin)
{
	uint64_t top = histogram_top(bin);

	return top < histogram->max ? top : histogram->max;
}

uint64_t histogram_percentile(const struct histogram *histogram, double part)
{
	double wanted = part * (double)histogram->count;
	uint64_t rank = (uint64_t)wanted, seen = 0;
	unsigned int bin;

	/* Rounded up, but for what the product alone is off by: 0.999 * 1000 is rank 999. */
	if (wanted - (double)rank > 1e-6)
		rank++;
	if (!rank)
		rank = 1;
	for (bin = 0; bin < HISTOGRAM_BINS; bin++) {
		seen += histogram->bin[bin];
		if (seen >= rank)
			return top_seen(histogram, bin);
	}
	return histogram->max;
}

unsigned int histogram_ecdf(const struct histogram *histogram, struct histogram_point *points,
			    unsigned int most)
{
	unsigned int bin, filled = 0, index = 0, count = 0;
	uint64_t seen = 0;
	bool wanted;

	for (bin = 0; bin < HISTOGRAM_BINS; bin++)
		filled += histogram->bin[bin] > 0;
	for (bin = 0; bin < HISTOGRAM_BINS; bin++) {
		if (!histogram->bin[bin])
			continue;
		seen += histogram->bin[bin];
		/* Point number `count` of `most` stands for bin count / (most - 1) of them. */
		wanted = filled <= most ||
			 (uint64_t)index * (most - 1) >= (uint64_t)count * (filled - 1);
		index++;
		if (!wanted || count == most)
			continue;
		points[count++] = (struct histogram_point){
			.value = top_seen(histogram, bin),
			.share = (double)seen / (double)histogram->count,
		};
	}
	return count;
}
