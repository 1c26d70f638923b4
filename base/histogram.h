/* SPDX-License-Identifier: MIT */
/*
 * A histogram of fixed bins and bounded memory for latencies: exact to one tick below 1024, from
 * there 64 bins per power of two, so that a percentile is high by at most 1/64 of itself. Values of
 * 2^HISTOGRAM_BITS and more are counted together; the greatest of all is kept exactly.
 */
#pragma once

#include <stdint.h>

#define HISTOGRAM_EXACT_BITS 10
#define HISTOGRAM_PART_BITS 6
#define HISTOGRAM_BITS 40
#define HISTOGRAM_EXACT (1u << HISTOGRAM_EXACT_BITS)
#define HISTOGRAM_PARTS (1u << HISTOGRAM_PART_BITS)
#define HISTOGRAM_BINS \
	(HISTOGRAM_EXACT + (HISTOGRAM_BITS - HISTOGRAM_EXACT_BITS) * HISTOGRAM_PARTS + 1)

struct histogram {
	uint64_t count;
	uint64_t max;
	uint64_t bin[HISTOGRAM_BINS]; /* the last one: beyond the range */
};

/*
 * The bin of `value`.
 * histogram_bin(1023) == 1023, histogram_bin(1024) == histogram_bin(1039) == 1024,
 * histogram_bin(1040) == 1025, histogram_bin(2048) == 1088.
 */
static inline unsigned int histogram_bin(uint64_t value)
{
	unsigned int octave;

	if (value < HISTOGRAM_EXACT)
		return (unsigned int)value;
	if (value >> HISTOGRAM_BITS)
		return HISTOGRAM_BINS - 1;
	octave = 63 - (unsigned int)__builtin_clzll(value);
	return HISTOGRAM_EXACT + (octave - HISTOGRAM_EXACT_BITS) * HISTOGRAM_PARTS +
	       (unsigned int)((value >> (octave - HISTOGRAM_PART_BITS)) & (HISTOGRAM_PARTS - 1));
}

/*
 * The greatest value that goes into `bin`.
 * histogram_top(1023) == 1023, histogram_top(1024) == 1039, histogram_top(1088) == 2079.
 */
uint64_t histogram_top(unsigned int bin);

static inline void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->count++;
	if (value > histogram->max)
		histogram->max = value;
	histogram->bin[histogram_bin(value)]++;
}

/*
 * The least value that at least `part` (0 to 1) of all samples stay at or below, as the top of its
 * bin and never above the greatest sample; 0 without samples.
 */
uint64_t histogram_percentile(const struct histogram *histogram, double part);
