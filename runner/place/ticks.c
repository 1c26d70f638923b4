// SPDX-License-Identifier: MIT
#include "runner/place/ticks.h"

#include "base/stats.h"
#include "base/time.h"
#include "schemes/core/clock.h"

#define PARTS 5
#define PART_NS 10000000u

/* A pair of readings taken as close together as can be had: the tightest of several. */
static void pair(uint64_t *ns, uint64_t *ticks)
{
	uint64_t best = UINT64_MAX, before, after, now;
	int i;

	for (i = 0; i < 16; i++) {
		before = clock_real_fenced();
		now = time_ns();
		after = clock_real_fenced();
		if (after - before < best) {
			best = after - before;
			*ns = now;
			*ticks = before + (after - before) / 2;
		}
	}
}

static double hz;

void ticks_set_hz(double measured)
{
	hz = measured;
}

double ticks_hz(void)
{
	double part[PARTS];
	uint64_t ns[2], ticks[2];
	int i;

	if (hz)
		return hz;
	for (i = 0; i < PARTS; i++) {
		pair(&ns[0], &ticks[0]);
		while (time_ns() - ns[0] < PART_NS)
			nanosleep(&(struct timespec){ .tv_nsec = PART_NS }, NULL);
		pair(&ns[1], &ticks[1]);
		part[i] = (double)(ticks[1] - ticks[0]) * 1e9 / (double)(ns[1] - ns[0]);
	}
	stats_sort(part, PARTS);
	return hz = part[PARTS / 2];
}

const char *ticks_source(void)
{
#if defined(__x86_64__)
	return "TSC against CLOCK_MONOTONIC, median of 5 x 10 ms";
#elif defined(__aarch64__)
	return "CNTVCT against CLOCK_MONOTONIC, median of 5 x 10 ms";
#else
	return "CLOCK_MONOTONIC itself";
#endif
}
