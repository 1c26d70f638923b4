/* SPDX-License-Identifier: MIT */
/*
 * The part of a repetition in which its thread had a core for itself. Whatever disturbs a thread
 * (another guest's on the same core, an interrupt, the hypervisor) only makes a batch longer. It is
 * known by a probe, a loop around nothing before every few batches and behind the last, so that
 * what the batches themselves took has no part in the choice.
 */
#ifndef STAMPEDE_RUNNER_UNDISTURBED_H
#define STAMPEDE_RUNNER_UNDISTURBED_H

#include <stdbool.h>
#include <stddef.h>

/* Batches from one probe to the next: who shares a core often stays for less than a millisecond. */
#define UNDISTURBED_WINDOW 4
/* The quantile of the batches that counts: of what a probe did not see. */
#define UNDISTURBED_PART 0.1
/* Windows that are enough to tell a time from. */
#define UNDISTURBED_ENOUGH 2

struct undisturbed {
	double *batch; /* ticks of each one, in turn */
	size_t batches;
	double *probe; /* ticks per step; the n-th is before batch n * UNDISTURBED_WINDOW */
	size_t probes;
	size_t most; /* batches that there is room for */
};

/* Room for so many batches, touched before anything is timed; false without memory. */
bool undisturbed_open(struct undisturbed *times, size_t most);
void undisturbed_close(struct undisturbed *times);

/* Runs the probe that is due before the next batch, or behind the last. */
void undisturbed_probe(struct undisturbed *times);
static inline bool undisturbed_is_due(const struct undisturbed *times)
{
	return !(times->batches % UNDISTURBED_WINDOW);
}

/* Windows whose probes at both ends are within the limit. */
size_t undisturbed_windows(const struct undisturbed *times, double limit);

struct undisturbed_time {
	double ticks; /* of a batch; NAN without any */
	double probe; /* ticks per step beside it */
};

/*
 * What a batch took in the windows within the limit; if they are not enough, in all, with a probe
 * that says so. whole_windows: batches differ by plan, and only some together are alike.
 */
struct undisturbed_time undisturbed_time(const struct undisturbed *times, double limit,
					 bool whole_windows);

#endif
