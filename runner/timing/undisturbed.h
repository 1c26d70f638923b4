/* SPDX-License-Identifier: MIT */
/*
 * The part of a repetition in which its thread had a core for itself. Whatever disturbs a thread
 * (another guest's on the same core, an interrupt, the hypervisor) only makes a batch longer. It is
 * known by a probe, a loop around nothing before every window of batches and behind the last, so
 * that what the batches themselves took has no part in the choice.
 */
#ifndef STAMPEDE_RUNNER_TIMING_UNDISTURBED_H
#define STAMPEDE_RUNNER_TIMING_UNDISTURBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Batches that are enough to tell a time from. */
#define UNDISTURBED_ENOUGH 8
/* The quantile of the windows that counts: of what a probe did not see. */
#define UNDISTURBED_PART 0.1

struct undisturbed {
	double *batch; /* ticks of each one, in turn */
	size_t batches;
	double *probe; /* ticks per step; the n-th is before batch n * window */
	size_t probes;
	size_t window; /* batches from one probe to the next; only so many together are alike */
	size_t most; /* batches that there is room for */
};

/*
 * Room for so many batches, touched before anything is timed; false without memory. Who shares a
 * core often stays for less than a millisecond: the shorter the window, the more are left alone.
 */
bool undisturbed_open(struct undisturbed *times, size_t window, size_t most);
void undisturbed_close(struct undisturbed *times);

/* Runs the probe that is due before the next batch, or behind the last. */
void undisturbed_probe(struct undisturbed *times);
static inline bool undisturbed_is_due(const struct undisturbed *times)
{
	return !(times->batches % times->window);
}

/*
 * Repeats the last probe until it is within the limit, so that the window that comes next begins
 * undisturbed. False: the wall's clock came to `end` first.
 */
bool undisturbed_wait(struct undisturbed *times, double limit, uint64_t end_ns);

/* Are there windows enough whose probes at both ends are within the limit? */
bool undisturbed_enough(const struct undisturbed *times, double limit);

struct undisturbed_time {
	double ticks; /* of a batch, by UNDISTURBED_PART; NAN without any */
	double mean; /* of the same batches: what the quantile leaves out is in it */
	double probe; /* ticks per step beside it */
};

/*
 * What a batch took in the windows within the limit; if they are not enough, in all, with a probe
 * that says so.
 */
struct undisturbed_time undisturbed_time(const struct undisturbed *times, double limit);

#endif
