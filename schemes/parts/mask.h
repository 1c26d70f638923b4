/* SPDX-License-Identifier: MIT */
/*
 * Two ways to keep interrupts (signals) out of a critical section.
 *
 * Hard: sigprocmask of the signals that stand for interrupts, and of no others; SIGTRAP blocked
 * under single-step would kill the process. Two system calls per section.
 *
 * Soft: a flag that the handler looks at. A handler that finds it set only notes that its run is
 * due; the section's owner runs what is due when it leaves. Nobody else ever clears the flag.
 * Shared words of the soft mask: masked, plain stores by whoever holds it (handlers find it as they
 * leave it); pending[level], single-instruction add by handlers, exchange by the holder.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_MASK_H
#define STAMPEDE_SCHEMES_PARTS_MASK_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "schemes/core/local.h"

#ifdef STAMPEDE_EXPLORED
/* The explorer's interrupts are not signals; it looks here before it makes one. */
extern uint64_t explore_blocked;

static inline void mask_hard_enter(sigset_t *saved)
{
	(void)saved;
	shared_store("block", &explore_blocked, 1);
}

static inline void mask_hard_leave(const sigset_t *saved)
{
	(void)saved;
	shared_store("unblock", &explore_blocked, 0);
}
#else
/* The signals that stand for interrupts. Filled by whoever raises them; empty: nothing to mask. */
extern sigset_t mask_signals;

static inline void mask_hard_enter(sigset_t *saved)
{
	if (unlikely(pthread_sigmask(SIG_BLOCK, &mask_signals, saved)))
		abort();
}

static inline void mask_hard_leave(const sigset_t *saved)
{
	if (unlikely(pthread_sigmask(SIG_SETMASK, saved, NULL)))
		abort();
}
#endif

#define MASK_LEVELS 5

struct soft_mask {
	uint64_t masked;
	uint64_t waiting; /* runs due, over all levels */
	uint64_t pending[MASK_LEVELS];
	void *owner; /* for whoever runs them */
};

static inline void mask_soft_enter(struct soft_mask *mask)
{
	ordered_store("mask", &mask->masked, 1);
}

/* In a handler of `level`: true if it has to wait, and is noted. */
static inline bool mask_soft_defer(struct soft_mask *mask, unsigned int level)
{
	if (!shared_load("masked?", &mask->masked))
		return false;
	local_add("defer", &mask->pending[level], 1);
	local_add("defer: waiting", &mask->waiting, 1);
	return true;
}

/*
 * Leaves the section. True: runs are due; the caller holds the mask again, runs them and leaves
 * once more. A handler that comes before the store of 0 is seen by the load behind it; one that
 * comes after it runs at once.
 */
static inline bool mask_soft_leave(struct soft_mask *mask)
{
	ordered_store("unmask", &mask->masked, 0);
	if (likely(!shared_load("due?", &mask->waiting)))
		return false;
	ordered_store("mask again", &mask->masked, 1);
	return true;
}

/* One due run of `level`, with the mask held; false if there is none. */
static inline bool mask_soft_next(struct soft_mask *mask, unsigned int level)
{
	if (!shared_load("pending", &mask->pending[level]))
		return false;
	local_add("undefer", &mask->pending[level], UINT64_MAX);
	local_add("undefer: waiting", &mask->waiting, UINT64_MAX);
	return true;
}

#endif
