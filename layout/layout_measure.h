/* SPDX-License-Identifier: MIT */
/*
 * The questions that the text of 2007 leaves open, asked of this machine: how far apart are the
 * clocks of two CPUs, how long does a cache line take between them, how close can two events be,
 * how long does a probe take?
 */
#ifndef STAMPEDE_LAYOUT_LAYOUT_MEASURE_H
#define STAMPEDE_LAYOUT_LAYOUT_MEASURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct layout_measured {
	double clock_hz;
	uint64_t events;
	uint64_t spacing_least_ticks; /* between two recorded events, one after the other */
	uint64_t spacing_median_ticks;
	uint64_t probe_median_ticks; /* a whole reserve, between fenced clock reads */
	uint64_t probe_p999_ticks;
	uint64_t probe_longest_ticks; /* without a context switch; interrupts may be in it */
	uint64_t probe_worst_ticks; /* whatever came between */

	bool two_cpus; /* the rest was measured */
	unsigned int cpu[2];
	uint64_t round_trips;
	uint64_t round_trip_least_ticks;
	uint64_t round_trip_median_ticks;
	/* The second CPU's clock is ahead of the first's by something in here; empty if crossed. */
	int64_t offset_low_ticks;
	int64_t offset_high_ticks;
	/* The bound that the shortest round trip alone gives: half of it. */
	uint64_t offset_bound_ticks;
};

/* Measures all that can be; takes half a second. 0, or an exit code after a line on stderr. */
int layout_measure(struct layout_measured *measured);

json_t *layout_measured_json(const struct layout_measured *measured);

#endif
