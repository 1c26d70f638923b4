/* SPDX-License-Identifier: MIT */
/*
 * Recorded gaps between successive events of one CPU: a histogram in a CSV file with the columns
 * log2_bucket,lo_ns,hi_ns,count, and gaps drawn from it.
 */
#ifndef STAMPEDE_WORKLOADS_GAP_FILE_H
#define STAMPEDE_WORKLOADS_GAP_FILE_H

#include <stdint.h>

#define GAP_BUCKETS 65

struct gap_bucket {
	uint64_t low_ns;
	uint64_t high_ns;
	uint64_t below; /* gaps in all buckets before it */
};

struct gap_file {
	struct gap_bucket bucket[GAP_BUCKETS];
	unsigned int buckets;
	uint64_t gaps; /* in all */
};

/* 0, or an exit code after a line on stderr with file, line and reason. */
int gap_file_read(const char *path, struct gap_file *file);

/* A gap in ns, as the histogram has it, evenly inside its bucket. `random` is any state but 0. */
uint64_t gap_file_draw(const struct gap_file *file, uint64_t *random);

#endif
