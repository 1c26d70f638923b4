/* SPDX-License-Identifier: MIT */
/*
 * Beside a trace of either format, so that a long one can be put beside another machine's log: a
 * file `.clock_pairs.csv` of pairs of readings (base/wall.h), in the ticks of the trace's stamps.
 * A rate alone is off by 1 ms after 20 minutes for each ppm that it is off; between two pairs a
 * time is as right as they are. Other readers of CTF skip files whose names begin with a dot, and
 * have the clock's offset in the metadata.
 *
 * Lines of csv: the header ticks,monotonic_ns,realtime_ns,error_ns, then ascending pairs.
 */
#ifndef STAMPEDE_TRACES_CLOCK_PAIRS_H
#define STAMPEDE_TRACES_CLOCK_PAIRS_H

#include <stddef.h>

#include "base/wall.h"

struct clock_pairs {
	struct clock_pair *pair;
	size_t count; /* 0: there is no such file */
};

/* Adds `pair` if it lies behind all others in ticks and in time. False: no memory. */
bool clock_pairs_add(struct clock_pairs *pairs, const struct clock_pair *pair);

/* Writes it, with ticks of 2^cut of the pairs' own. Negative errno. */
int clock_pairs_write(int dirfd, const struct clock_pairs *pairs, unsigned int cut);

/*
 * Of the directory `dir`. An exit code, after a line on stderr with file, line and reason, if it is
 * there and is none.
 */
int clock_pairs_read(const char *dir, struct clock_pairs *pairs);

void clock_pairs_free(struct clock_pairs *pairs);

/*
 * Ticks as ns since 1970: CLOCK_MONOTONIC by the line through the two pairs between which they lie,
 * or the two nearest, and from there as far as CLOCK_REALTIME was at the earlier of them: the clock
 * as it was, if it was set in between. False: fewer than two pairs, or no such time.
 */
bool clock_pairs_realtime(const struct clock_pairs *pairs, uint64_t ticks, struct wall_time *time);

#endif
