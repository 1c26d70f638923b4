// SPDX-License-Identifier: MIT
#include "base/wall.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/wide.h"

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
