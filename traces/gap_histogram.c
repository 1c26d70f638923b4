// SPDX-License-Identifier: MIT
#include "traces/gap_histogram.h"

#include <inttypes.h>

void gap_histogram_merge(struct gap_histogram *sum, const struct gap_histogram *one)
{
	unsigned int i;

	for (i = 0; i < GAP_HISTOGRAM_BUCKETS; i++)
		sum->bucket[i] += one->bucket[i];
}

void gap_histogram_print(FILE *text, const struct gap_histogram *gaps)
{
	unsigned int i;

	fputs("log2_bucket,lo_ns,hi_ns,count\n", text);
	for (i = 0; i < GAP_HISTOGRAM_BUCKETS; i++)
		if (gaps->bucket[i])
			fprintf(text, "%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", i,
				i ? UINT64_C(1) << (i - 1) : 0, bits_mask(i), gaps->bucket[i]);
}
