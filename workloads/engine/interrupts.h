/* SPDX-License-Identifier: MIT */
/*
 * Real signals on a pinned thread, in place of its CPU's interrupts.
 *
 * Four sources: three storm levels and the beat. Level n's handler masks the levels up to n, so a
 * higher level nests inside a lower one; the beat masks only itself. Levels 1 and 2 come by paced
 * tgkill from a sender on another CPU, level 3 and the beat from timers of the thread; without a
 * CPU for the sender, all levels come from timers.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "schemes/core/local.h"

#define INTERRUPT_LEVELS 3
#define INTERRUPT_BEAT (INTERRUPT_LEVELS + 1)
#define INTERRUPT_SOURCES (INTERRUPT_BEAT + 1) /* 0 is nobody: the thread itself */

/* Below this a timer starves its thread on a virtual machine. */
#define INTERRUPT_TIMER_LEAST_NS 60000u

struct interrupts {
	/* Set by the owner before interrupts_attach(). */
	void (*handle)(void *arg, unsigned int source);
	void *arg;
	const char *section_begin; /* of the code in which a hit counts; NULL: none */
	const char *section_end;

	/* Written by the thread's own handlers. */
	uint64_t delivered[INTERRUPT_SOURCES];
	bool hit; /* the signal that is being handled came inside the section */
	/* Set by handle(): no more of the storm until interrupts_unblock_storm() is called again */
	bool enough;
	uint64_t pauses; /* how often that was */
	/* Signals whose saved program counter was inside the section */
	local_word hits;
	/* Deliveries by nesting depth, from 1 */
	local_word at_depth[INTERRUPT_SOURCES + 1];
	unsigned int depth;
	uint64_t beat_last_ticks; /* clock when the last beat began */
	uint64_t beat_worst_ticks; /* longest from one beat's begin to the next one's end */

	pid_t tid;
	timer_t timer[INTERRUPT_SOURCES];
	bool has_timer[INTERRUPT_SOURCES];
};

/* Installs the handlers, once per process. Negative errno on failure, after a line on stderr. */
int interrupts_install(void);

/* Makes `interrupts` those of the calling thread; all sources are blocked at first. */
void interrupts_attach(struct interrupts *interrupts);

/*
 * A periodic timer of `period_ns` for `source` on the calling thread, which is attached; once if
 * `once`. Negative errno, after a line on stderr that says what to do.
 */
int interrupts_timer(struct interrupts *interrupts, unsigned int source, uint64_t period_ns,
		     bool once);

/* Ends the thread's timers, takes what is still pending, and detaches. */
void interrupts_detach(struct interrupts *interrupts);

/* Blocks or unblocks the three levels, or the beat, on the calling thread. */
void interrupts_block_storm(void);
void interrupts_unblock_storm(void);
void interrupts_block_beat(void);
void interrupts_unblock_beat(void);

/* Tells the beat's clock that a new stretch of recording begins now, or has ended. */
void interrupts_beat_begin(struct interrupts *interrupts);
void interrupts_beat_end(struct interrupts *interrupts);

/* One signal of `level` to thread `tid` of this process; negative errno. */
int interrupts_send(pid_t tid, unsigned int level);

/* A sender of levels 1 and 2. */
struct interrupt_sender {
	pid_t target; /* tid in this process */
	uint64_t period_ns[INTERRUPT_LEVELS + 1]; /* 0: the level is not sent; may be changed */
	bool stop;
	uint64_t sent;
	int error; /* errno of a tgkill that failed */
};

/* Sends until `stop` is set or `limit_ns` have gone by; runs on the calling thread. */
void interrupt_sender_run(struct interrupt_sender *sender, uint64_t limit_ns);
