/* SPDX-License-Identifier: MIT */
/*
 * Beside raw ftrace sub-buffers, whose format has no place for it: a file `clock` of ours that says
 * what their stamps are in CLOCK_REALTIME. Lines of a name and a number: hz, ticks, monotonic_ns,
 * realtime_ns, error_ns; '#' begins a comment.
 */
#ifndef STAMPEDE_TRACES_FTRACE_CLOCK_H
#define STAMPEDE_TRACES_FTRACE_CLOCK_H

#include "base/wall.h"

struct ftrace_clock {
	uint64_t hz; /* 0: there was no such file */
	struct clock_pair pair;
};

/* Writes it. Negative errno. */
int ftrace_clock_write(int dirfd, const struct clock_pair *pair, uint64_t hz);

/* Of the directory `dir`. An exit code, after a line on stderr, if it is there and is none. */
int ftrace_clock_read(const char *dir, struct ftrace_clock *clock);

#endif
