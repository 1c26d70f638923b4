/* SPDX-License-Identifier: MIT */
/* A reader on another CPU beside a ring's writers: it takes what is complete while they record. */
#pragma once

#include "judge/live.h"
#include "workloads/engine/thread.h"

enum live_wake {
	LIVE_POLLS, /* it looks again and again */
	LIVE_SLEEPS, /* on a futex, until a writer says that a sub-buffer is closed */
};

/* Counts of a reader. */
struct live_result {
	uint64_t events; /* taken while the writer recorded */
	uint64_t subbufs;
	uint64_t torn; /* copies that a writer may have overtaken */
	uint64_t looks; /* in vain ones, too */
	uint64_t sleeps; /* on the futex */
	uint64_t wakes; /* by the writer */
	uint64_t wake_ns; /* of the writer's time, for all of them */
	uint64_t flushes; /* of half-full sub-buffers */
	uint64_t stops; /* of the reader, wherever it was */
};

/*
 * Its owner sets `ring`, `writer` and `pu`, and engine_thread.live to it: that thread wakes it,
 * stops it and closes what is half full. At the end of each epoch its result becomes what the
 * workload counts.
 */
struct engine_live {
	struct engine_ring *ring;
	struct engine_thread *writer;
	unsigned int pu;
	enum live_wake wake;
	struct live_result result;

	pthread_t thread;
	struct live live;
	uint32_t command; /* the writer's, and a futex */
	uint32_t closed; /* moves when sub-buffers were closed, and a futex */
	uint32_t asleep; /* the reader is, or goes to sleep */
	uint64_t seen; /* sub-buffers that were closed when the writer last looked */
	uint64_t flushed_ns; /* when a half-full one was last closed */
	uint64_t flushes, stops; /* of the epoch */
	uint64_t last, behind; /* sub-buffers of its last look; of two in a row, at most */
	bool running;
	int error;
};

/*
 * The epoch's ring is new and empty: the reader begins, and is started if it is the first. And:
 * nothing is written any more. Exit codes.
 */
int engine_live_begin(struct engine_live *live);
int engine_live_end(struct engine_live *live);

/* Ends the reader, if there is one. */
void engine_live_close(struct engine_live *live);

/*
 * Behind its end: a ring that discards has lost events, and `rest` sub-buffers were left in it. If
 * it was ever full, the reader had all but one of it before it in two looks in a row, or has them
 * now: else that is an objection.
 */
void engine_live_was_behind(const struct engine_live *live, uint64_t rest);

/* By the writer, now and then: wakes the reader if a sub-buffer was closed since. */
void engine_live_closed(struct engine_live *live);

/* By the writer: the reader stops where it is, for some milliseconds. */
void engine_live_stop(struct engine_live *live);

/*
 * By the writer's thread or its handlers: closes what is open, if that is `ns` ago. A thread that
 * moves does so on the CPU of that ring.
 */
void engine_live_flush(struct engine_live *live, uint64_t ns);
