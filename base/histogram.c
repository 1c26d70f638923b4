// SPDX-License-Identifier: MIT
#include "base/histogram.h"

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
