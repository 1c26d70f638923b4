/* SPDX-License-Identifier: MIT */
/* What two CPUs' clocks that may differ leave unknown when their events are merged by time. */
#ifndef STAMPEDE_LAYOUT_AMBIGUOUS_H
#define STAMPEDE_LAYOUT_AMBIGUOUS_H

#include <jansson.h>
#include <stdio.h>

#include "workloads/gaps.h"

/*
 * The share of a CPU's events, 0 .. 1, that have an event of another CPU so close that the order
 * of the two is not known, where clocks may be `bound_ns` apart: nearer than that before or behind
 * them. Both CPUs have these gaps, and what one does tells nothing of the other: then a window of
 * 2 * bound_ns is free of events with the probability E[max(gap - window, 0)] / E[gap]. Inside a
 * bucket gaps are log-uniform, as gaps_sample_ns() has them.
 *
 * One bucket of 512 .. 1024 ns, bound 64 ns: E[gap] = 512 / ln 2 = 738.7 ns, less the window 610.7,
 * so 17.3 % are ambiguous.
 */
double ambiguous_share(const struct gaps *gaps, double bound_ns);

/* Of each recorded gaps of `directory`, and beside it 1 us. An exit code, after a line on stderr.
 */
int ambiguous_gaps(const char *directory, double bound_ns, json_t *all);

void ambiguous_print(FILE *out, const json_t *all);

#endif
