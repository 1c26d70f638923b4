// SPDX-License-Identifier: MIT
#include "undisturbed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/clock.h"
#include "stats.h"

#define PROBE_STEPS 4096

bool undisturbed_open(struct undisturbed *times, size_t most)
{
	size_t all = most + most / UNDISTURBED_WINDOW + 2, i;

	*times = (struct undisturbed){ .batch = malloc(all * sizeof(double)), .most = most };
	if (!times->batch) {
		fprintf(stderr, "stampede: no memory for the times of %zu batches\n", most);
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

/* The longer probe of the two at its ends; the last window may lack some of its batches. */
static double window_probe(const struct undisturbed *times, size_t window)
{
	return window + 1 < times->probes ? fmax(times->probe[window], times->probe[window + 1]) :
					    times->probe[window];
}

static size_t windows(const struct undisturbed *times)
{
	return (times->batches + UNDISTURBED_WINDOW - 1) / UNDISTURBED_WINDOW;
}

size_t undisturbed_windows(const struct undisturbed *times, double limit)
{
	size_t window, count = 0;

	for (window = 0; window < windows(times); window++)
		count += window_probe(times, window) <= limit;
	return count;
}

/* The batches of a window, or their mean; how many numbers that is. */
static size_t take_window(const struct undisturbed *times, size_t window, bool whole, double *to)
{
	size_t first = window * UNDISTURBED_WINDOW, count = times->batches - first, i;
	double sum = 0;

	if (count > UNDISTURBED_WINDOW)
		count = UNDISTURBED_WINDOW;
	for (i = 0; i < count; i++)
		sum += to[i] = times->batch[first + i];
	if (!whole)
		return count;
	to[0] = sum / (double)count;
	return 1;
}

struct undisturbed_time undisturbed_time(const struct undisturbed *times, double limit,
					 bool whole_windows)
{
	double *ticks = malloc((times->batches + UNDISTURBED_WINDOW) * sizeof(double));
	double *probe = malloc((windows(times) + 1) * sizeof(double));
	struct undisturbed_time time = { NAN, NAN };
	size_t window, count = 0, taken = 0;

	if (undisturbed_windows(times, limit) < UNDISTURBED_ENOUGH)
		limit = INFINITY;
	for (window = 0; ticks && probe && window < windows(times); window++) {
		if (window_probe(times, window) > limit)
			continue;
		count += take_window(times, window, whole_windows, ticks + count);
		probe[taken++] = window_probe(times, window);
	}
	if (taken) {
		stats_sort(ticks, count);
		stats_sort(probe, taken);
		time.ticks = stats_quantile(ticks, count, UNDISTURBED_PART);
		time.probe = stats_quantile(probe, taken, UNDISTURBED_PART);
	}
	free(ticks);
	free(probe);
	return time;
}
