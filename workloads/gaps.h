/* SPDX-License-Identifier: MIT */
/*
 * Recorded gaps between events: a histogram with a bucket per power of two of nanoseconds, and
 * samples from it.
 *
 * A file is csv with the header log2_bucket,lo_ns,hi_ns,count: gaps of lo_ns to hi_ns (both
 * included) came `count` times. Bucket b > 0 is 2^(b-1) .. 2^b - 1; bucket 0 is the gap of 0.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define GAPS_BUCKETS 51 /* up to 2^50 ns, 13 days */
#define GAPS_NAME_BYTES 64

struct gaps {
	char name[GAPS_NAME_BYTES]; /* of the file, without directory and ending */
	unsigned int buckets;
	uint64_t lo_ns[GAPS_BUCKETS];
	uint64_t until[GAPS_BUCKETS]; /* gaps in this bucket and those before it */
	uint64_t count; /* gaps in all */
};

/* The directory of those that come with Stampede. */
#define GAPS_RECORDED NULL

/* The name of the gaps in a file: its own, without directory and ending. */
void gaps_name(const char *path, char name[GAPS_NAME_BYTES]);

/* Reads a file. Negative errno, after one line on stderr with the file, the line and the reason. */
int gaps_read(const char *path, struct gaps *gaps);

/*
 * A gap in nanoseconds: a bucket by its count, then log-uniform inside it, as the density falls
 * towards longer gaps. `state` is the sampler's (splitmix64) and may start with any seed.
 */
double gaps_sample_ns(const struct gaps *gaps, uint64_t *state);

/*
 * Reads each .csv of `directory` (or of GAPS_RECORDED), in the order of their names, and hands it
 * to `one` until that returns something else than 0. Returns what `one` did; negative errno after a
 * line on stderr if the directory cannot be read, holds no .csv, or a file is refused as by
 * gaps_read().
 */
int gaps_each(const char *directory, int (*one)(void *arg, const struct gaps *gaps), void *arg);
