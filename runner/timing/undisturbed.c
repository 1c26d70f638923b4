// SPDX-License-Identifier: MIT
#include "runner/timing/undisturbed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "schemes/core/clock.h"
#include "base/fail.h"
#include "base/stats.h"
#include "runner/place/ticks.h"

#define PROBE_STEPS 4096

bool undisturbed_open(struct undisturbed *times, size_t window, size_t most)
{
	size_t all = most + most / window + 2, i;

	*times = (struct undisturbed){ .batch = malloc(all * sizeof(double)),
				       .window = window,
				       .most = most };
	if (!times->batch) {
		fail_line("no memory for the times of %zu batches", most);
		return false;
	}
	for (i = 0; i < all; i++)
		times->batch[i] = 0;
	times->probe = times->batch + most;
	return true;
}

void undisturbed_close(struct undisturbed *times)
{
	free(times->batch);
	*times = (struct undisturbed){ .batch = NULL };
}

/* Not inlined: one place in memory, so that all probes are of the same loop. */
__attribute__((noinline)) void undisturbed_probe(struct undisturbed *times)
{
	uint64_t begin = clock_real();
	int i;

	for (i = 0; i < PROBE_STEPS; i++)
		__asm__ volatile("");
	times->probe[times->probes++] = (double)(clock_real() - begin) / PROBE_STEPS;
}

bool undisturbed_wait(struct undisturbed *times, double limit, uint64_t end_ns)
{
	while (times->probe[times->probes - 1] > limit) {
		if (time_ns() >= end_ns)
			return false;
		times->probes--;
		undisturbed_probe(times);
	}
	return true;
}

/* The longer probe of the two at its ends; the last window may lack some of its batches. */
static double window_probe(const struct undisturbed *times, size_t window)
{
	return window + 1 < times->probes ? fmax(times->probe[window], times->probe[window + 1]) :
					    times->probe[window];
}

static size_t windows(const struct undisturbed *times)
{
	return (times->batches + times->window - 1) / times->window;
}

bool undisturbed_enough(const struct undisturbed *times, double limit)
{
	size_t window, count = 0;

	for (window = 0; window < windows(times); window++)
		count += window_probe(times, window) <= limit;
	return count * times->window >= UNDISTURBED_ENOUGH;
}

/* Of a batch, over the whole window. */
static double window_ticks(const struct undisturbed *times, size_t window)
{
	size_t first = window * times->window, end = first + times->window, i;
	double sum = 0;

	if (end > times->batches)
		end = times->batches;
	for (i = first; i < end; i++)
		sum += times->batch[i];
	return sum / (double)(end - first);
}

struct undisturbed_time undisturbed_time(const struct undisturbed *times, double limit)
{
	double *ticks = malloc(2 * (windows(times) + 1) * sizeof(double));
	double *probe = ticks + windows(times) + 1;
	struct undisturbed_time time = { NAN, NAN, NAN };
	size_t window, count = 0;
	double sum = 0;

	if (!undisturbed_enough(times, limit))
		limit = INFINITY;
	for (window = 0; ticks && window < windows(times); window++) {
		if (window_probe(times, window) > limit)
			continue;
		ticks[count] = window_ticks(times, window);
		sum += ticks[count];
		probe[count++] = window_probe(times, window);
	}
	if (count) {
		stats_sort(ticks, count);
		stats_sort(probe, count);
		time.ticks = stats_quantile(ticks, count, UNDISTURBED_PART);
		time.mean = sum / (double)count;
		time.probe = stats_quantile(probe, count, UNDISTURBED_PART);
	}
	free(ticks);
	return time;
}
