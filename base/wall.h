/* SPDX-License-Identifier: MIT */
/*
 * Readings of a counter and of the clocks that people read: ns of CLOCK_MONOTONIC, and of
 * CLOCK_REALTIME, which are ns since 1970. Arithmetic only; runner/place/clock_pair.h takes the
 * readings.
 */
#pragma once

#include <stdint.h>

#define WALL_NS_PER_SECOND UINT64_C(1000000000)

enum wall_clock {
	WALL_MONOTONIC,
	WALL_REALTIME,
	WALL_CLOCKS,
};

/* The clocks' times at the counter's value `ticks`. */
struct clock_pair {
	uint64_t ticks;
	uint64_t ns[WALL_CLOCKS];
	uint64_t error_ns; /* none of the clocks is farther off than this */
};

/* Ticks per second of CLOCK_MONOTONIC between two pairs, to the nearest; 0: none. */
uint64_t wall_hz(const struct clock_pair *a, const struct clock_pair *b);

/* "2026-01-02T03:04:05.123456789Z" of ns since 1970. */
#define WALL_DATE_BYTES 40
const char *wall_date(uint64_t realtime_ns, char text[WALL_DATE_BYTES]);
