/* SPDX-License-Identifier: MIT */
/* Gaps between successive events of one CPU, by bit length, as workloads/gap_file.h reads them. */
#ifndef STAMPEDE_TRACES_GAP_HISTOGRAM_H
#define STAMPEDE_TRACES_GAP_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "schemes/core/bits.h"

#define GAP_HISTOGRAM_BUCKETS 65

struct gap_histogram {
	uint64_t bucket[GAP_HISTOGRAM_BUCKETS]; /* bucket[0]: no time between them */
	uint64_t before; /* time of the event before, ns */
	bool any; /* there is one */
};

/* The next event of the CPU. Steps back are no gaps. */
static inline void gap_histogram_add(struct gap_histogram *gaps, uint64_t time_ns)
{
	if (gaps->any && time_ns >= gaps->before)
		gaps->bucket[bits_last_set(time_ns - gaps->before)]++;
	gaps->any = true;
	gaps->before = time_ns;
}

/* Adds what another CPU counted. */
void gap_histogram_merge(struct gap_histogram *sum, const struct gap_histogram *one);

/* The CSV with the columns log2_bucket,lo_ns,hi_ns,count; empty buckets left out. */
void gap_histogram_print(FILE *text, const struct gap_histogram *gaps);

#endif
