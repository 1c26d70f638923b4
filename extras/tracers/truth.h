/* SPDX-License-Identifier: MIT */
/*
 * What happened, as an adapter in C records it (docs/tracers/README.md): each event's number and
 * the tracer's own clock before and after the call that records it. A stream is a thread, or any
 * other source whose events the tracer keeps in order. Signal handlers of the stream's thread may
 * call everything except open and write. An event costs two clock reads, an addition and three
 * stores; with every == 16 the clock is read for one event in 16, and the others are only counted.
 */
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct truth_window {
	uint64_t entry, exit; /* both 0: not read */
};

struct truth {
	unsigned int stream;
	unsigned int every;
	uint64_t most, next;
	struct truth_window *window;
};

/* Room for `most` events, touched now to avoid page faults later. Returns 0, or -1. */
static inline int truth_open(struct truth *truth, unsigned int stream, uint64_t most,
			     unsigned int every)
{
	uint64_t i;

	*truth = (struct truth){ stream, every ? every : 1, most, 0, NULL };
	truth->window = (struct truth_window *)malloc(most * sizeof(*truth->window));
	for (i = 0; truth->window && i < most; i++)
		truth->window[i] = (struct truth_window){ 0, 0 };
	return truth->window ? 0 : -1;
}

/* Records an event by record(stream, number), between two reads of clock(). Its number, or most.
 */
#define truth_event(truth, clock, record) \
	({ \
		uint64_t seq_ = __atomic_fetch_add(&(truth)->next, 1, __ATOMIC_RELAXED); \
		if (seq_ < (truth)->most && seq_ % (truth)->every) { \
			record((truth)->stream, seq_); \
		} else if (seq_ < (truth)->most) { \
			struct truth_window window_; \
			window_.entry = clock(); \
			record((truth)->stream, seq_); \
			window_.exit = clock(); \
			(truth)->window[seq_] = window_; \
		} \
		seq_; \
	})

/* Appends the stream's lines, and frees it. */
static inline void truth_write(struct truth *truth, FILE *out)
{
	uint64_t i, count = truth->next < truth->most ? truth->next : truth->most;

	for (i = 0; i < count; i++)
		fprintf(out, "event %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", truth->stream, i,
			truth->window[i].entry, truth->window[i].exit);
	free(truth->window);
}
