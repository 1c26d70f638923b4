// SPDX-License-Identifier: MIT
#include "base/wall.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/wide.h"

#define SHIFT_MOST 32u

static uint64_t distance(const struct clock_pair *pair, uint64_t ticks)
{
	return ticks < pair->ticks ? pair->ticks - ticks : ticks - pair->ticks;
}

/* `ns` from the pair, to the side on which `ticks` lies. */
static bool moved(const struct clock_pair *pair, enum wall_clock clock, uint64_t ticks, uint64_t ns,
		  uint64_t *to)
{
	uint64_t from = pair->ns[clock];

	/* What wide_scale() says of all that does not fit, and of a rate of 0. */
	if (ns == UINT64_MAX)
		return false;
	if (ticks < pair->ticks ? ns > from : ns > UINT64_MAX - from)
		return false;
	*to = ticks < pair->ticks ? from - ns : from + ns;
	return true;
}

bool wall_by_rate(const struct clock_pair *pair, enum wall_clock clock, uint64_t hz, uint64_t ticks,
		  struct wall_time *time)
{
	uint64_t ns = wide_scale(distance(pair, ticks), WALL_NS_PER_SECOND, hz);

	if (!moved(pair, clock, ticks, ns, &time->ns))
		return false;
	time->error_ns = pair->error_ns + 1;
	return true;
}

bool wall_by_line(const struct clock_pair *a, const struct clock_pair *b, enum wall_clock clock,
		  uint64_t ticks, struct wall_time *time)
{
	uint64_t span, both = a->error_ns + b->error_ns, outside = 0, ns, grown;
	uint64_t worse = a->error_ns > b->error_ns ? a->error_ns : b->error_ns;

	if (b->ticks <= a->ticks || b->ns[clock] < a->ns[clock])
		return false;
	span = b->ticks - a->ticks;
	if (ticks < a->ticks)
		outside = a->ticks - ticks;
	else if (ticks > b->ticks)
		outside = ticks - b->ticks;
	ns = wide_scale(distance(a, ticks), b->ns[clock] - a->ns[clock], span);
	grown = wide_scale(outside, both, span);
	if (grown >= UINT64_MAX - worse - 2 || !moved(a, clock, ticks, ns, &time->ns))
		return false;
	/* Both quotients are rounded down. */
	time->error_ns = worse + 1 + (outside ? grown + 1 : 0);
	return true;
}

uint64_t wall_hz(const struct clock_pair *a, const struct clock_pair *b)
{
	uint64_t ns = b->ns[WALL_MONOTONIC] - a->ns[WALL_MONOTONIC], hz, rest, ticks;

	if (b->ticks <= a->ticks || b->ns[WALL_MONOTONIC] <= a->ns[WALL_MONOTONIC])
		return 0;
	ticks = b->ticks - a->ticks;
	hz = wide_scale(ticks, WALL_NS_PER_SECOND, ns);
	if (hz == UINT64_MAX)
		return 0;
	/* Less than `ns`, so that 64 bits of the two products tell it. */
	rest = ticks * WALL_NS_PER_SECOND - hz * ns;
	return hz + (rest > (ns - 1) / 2);
}

bool wall_rate_for(uint64_t hz, uint64_t range_ticks, struct wall_rate *rate)
{
	uint64_t scaled, rest, mult;
	uint32_t shift = SHIFT_MOST + 1;

	if (!hz)
		return false;
	do {
		if (!shift--)
			return false;
		scaled = (uint64_t)WALL_NS_PER_SECOND << shift;
		rest = scaled % hz;
		mult = scaled / hz;
		if (rest > (hz - 1) / 2) {
			rest = hz - rest;
			mult++;
		}
		if (!mult)
			return false;
	} while (mult > UINT32_MAX || range_ticks > UINT64_MAX / mult);
	*rate = (struct wall_rate){
		.mult = (uint32_t)mult,
		.shift = shift,
		.range_ticks = range_ticks,
		/* mult is off by rest / hz, of 2^shift; and twice something is rounded off. */
		.error_ns = (wide_scale(range_ticks, rest, hz) >> shift) + 2,
	};
	return true;
}

bool wall_by_shift(const struct clock_pair *pair, enum wall_clock clock,
		   const struct wall_rate *rate, uint64_t ticks, struct wall_time *time)
{
	uint64_t apart = distance(pair, ticks), range = rate->range_ticks;

	if (apart > range ||
	    !moved(pair, clock, ticks, apart * rate->mult >> rate->shift, &time->ns))
		return false;
	/* Of the rate's, 2 ns are the same everywhere. */
	time->error_ns =
		pair->error_ns + 2 + (apart ? wide_scale(rate->error_ns - 1, apart, range) + 1 : 0);
	return true;
}

const char *wall_date(uint64_t realtime_ns, char text[WALL_DATE_BYTES])
{
	time_t seconds = (time_t)(realtime_ns / WALL_NS_PER_SECOND);
	struct tm date;
	size_t length;

	if (!gmtime_r(&seconds, &date))
		return "no date";
	length = strftime(text, WALL_DATE_BYTES, "%Y-%m-%dT%H:%M:%S", &date);
	snprintf(text + length, WALL_DATE_BYTES - length, ".%09" PRIu64 "Z",
		 realtime_ns % WALL_NS_PER_SECOND);
	return text;
}
