// SPDX-License-Identifier: MIT
#include "runner/place/clock_pair.h"

#include <math.h>
#include <time.h>

#include "base/time.h"
#include "runner/place/ticks.h"
#include "schemes/core/clock.h"

/* The first ones warm up what they run through. */
#define TRIES 8

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * WALL_NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

bool clock_pair_take(struct clock_pair *pair)
{
	uint64_t best = UINT64_MAX, begin, middle, end, ns[WALL_CLOCKS], wider;
	double half_ns = 0.5e9 / ticks_hz();
	int i;

	for (i = 0; i < TRIES; i++) {
		begin = clock_real_fenced();
		ns[WALL_MONOTONIC] = time_ns();
		middle = clock_real_fenced();
		ns[WALL_REALTIME] = realtime_ns();
		end = clock_real_fenced();
		wider = middle - begin > end - middle ? middle - begin : end - middle;
		/* A counter that goes back makes no pair. */
		if (begin > middle || middle > end || wider >= best)
			continue;
		best = wider;
		/* Each was read in the middle of its interval: both as at the reading between. */
		pair->ticks = middle;
		pair->ns[WALL_MONOTONIC] =
			ns[WALL_MONOTONIC] + (uint64_t)((double)(middle - begin) * half_ns);
		pair->ns[WALL_REALTIME] =
			ns[WALL_REALTIME] - (uint64_t)((double)(end - middle) * half_ns);
	}
	if (best == UINT64_MAX)
		return false;
	/* A reading is up to a tick older than it is read: much, of a counter of 24 MHz. */
	pair->error_ns = (uint64_t)ceil((double)(best + 2) * half_ns) + 1;
	return true;
}

int64_t clock_pair_set(const struct clock_pair *a, const struct clock_pair *b)
{
	int64_t set = (int64_t)(b->ns[WALL_REALTIME] - a->ns[WALL_REALTIME] -
				(b->ns[WALL_MONOTONIC] - a->ns[WALL_MONOTONIC]));
	int64_t known = 2 * (int64_t)(a->error_ns + b->error_ns);

	return set > known || set < -known ? set : 0;
}
