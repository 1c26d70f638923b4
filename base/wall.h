/* SPDX-License-Identifier: MIT */
/*
 * Ticks of a counter as time that people read: ns of CLOCK_MONOTONIC, and of CLOCK_REALTIME, which
 * are ns since 1970. Arithmetic only; place/clock_pair.h takes the readings.
 *
 * Three ways, all exact to the ns that they round off, and none better than what it is given:
 *   one pair and a rate    off by the pair's error, and by the rate's error times the distance
 *   a line through two     off by the two pairs' errors, as long as the rate between them is steady
 *   mult and shift         as the first, and by what the rate loses in 32 bits
 *
 * Ticks may lie before a pair as well as behind it. All that fail say so by false (or 0) and leave
 * what they were to fill as it was: a rate of 0, pairs that are not in order, a time that lies
 * before the clock's 0 or does not fit 64 bits.
 */
#ifndef STAMPEDE_BASE_WALL_H
#define STAMPEDE_BASE_WALL_H

#include <stdbool.h>
#include <stdint.h>

#define WALL_NS_PER_SECOND UINT64_C(1000000000)

enum wall_clock {
	WALL_MONOTONIC,
	WALL_REALTIME,
	WALL_CLOCKS,
};

/* What the clocks said when the counter said `ticks`. */
struct clock_pair {
	uint64_t ticks;
	uint64_t ns[WALL_CLOCKS];
	uint64_t error_ns; /* none of the clocks is farther off than this */
};

struct wall_time {
	uint64_t ns;
	/* Not off by more, given what is said at each function. */
	uint64_t error_ns;
};

/*
 * By one pair and `hz`, ticks per second. The error is the pair's and 1 ns of rounding; it does not
 * count what `hz` is off by, which is 1 ns per ms for each ppm.
 */
bool wall_by_rate(const struct clock_pair *pair, enum wall_clock clock, uint64_t hz, uint64_t ticks,
		  struct wall_time *time);

/*
 * By the line through two pairs, a before b in ticks and not behind it in time. The error is that
 * of the farther-off pair between them and grows outside of them in proportion to the distance; it
 * does not count a rate that changes, nor CLOCK_REALTIME being set.
 */
bool wall_by_line(const struct clock_pair *a, const struct clock_pair *b, enum wall_clock clock,
		  uint64_t ticks, struct wall_time *time);

/* Ticks per second of CLOCK_MONOTONIC between two pairs, to the nearest; 0: none. */
uint64_t wall_hz(const struct clock_pair *a, const struct clock_pair *b);

/* A rate as kernels keep it: ns are ticks * mult >> shift, within 64 bits up to range_ticks. */
struct wall_rate {
	uint32_t mult;
	uint32_t shift; /* 0 .. 32 */
	uint64_t range_ticks;
	uint64_t error_ns; /* at range_ticks, the last ns that is rounded off included */
};

/*
 * The largest shift with which `mult` fits its 32 bits and a product its 64. False: a rate of 0, or
 * one so high or a range so long that nothing is left of mult.
 */
bool wall_rate_for(uint64_t hz, uint64_t range_ticks, struct wall_rate *rate);

/*
 * By one pair and such a rate; farther from the pair than range_ticks is refused. The error is the
 * pair's and the rate's, in proportion to the distance; it does not count what `hz` was off by.
 */
bool wall_by_shift(const struct clock_pair *pair, enum wall_clock clock,
		   const struct wall_rate *rate, uint64_t ticks, struct wall_time *time);

/* "2026-01-02T03:04:05.123456789Z" of ns since 1970. */
#define WALL_DATE_BYTES 40
const char *wall_date(uint64_t realtime_ns, char text[WALL_DATE_BYTES]);

#endif
