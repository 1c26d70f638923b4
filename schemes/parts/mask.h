/* SPDX-License-Identifier: MIT */
/*
 * Two ways to keep interrupts (signals) out of a critical section.
 *
 * Hard: sigprocmask of the signals that stand for interrupts, and of no others; SIGTRAP blocked
 * under single-step would kill the process. Two system calls per section.
 *
 * Soft: a flag that each handler looks at. A handler that finds it set only notes that its run is
 * due; the section's owner runs what is due when it leaves the section.
 *
 * Shared words of the soft mask: masked, plain stores by its holder (handlers leave it as they
 * find it); pending[level] and waiting, add by handlers and by the holder.
 *
 * I1 Only the holder clears the mask. What lies inside the section is stored after the mask is set
 *    and before it is cleared: no nested writer sees half of it.
 * I2 No run is forgotten: a handler that comes before the store of 0 is counted, and the load of
 *    waiting after that store sees the count; one that comes after the store runs at once.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_MASK_H
#define STAMPEDE_SCHEMES_PARTS_MASK_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "schemes/core/local.h"

#if SEAM_INTERRUPTS_STOPPED
/* Interrupts are no signals: whoever makes them looks here first. */
extern uint64_t mask_blocked;

static inline void mask_hard_enter(sigset_t *saved)
{
	(void)saved;
	shared_store("block", &mask_blocked, 1); /* I1 */
}

static inline void mask_hard_leave(const sigset_t *saved)
{
	(void)saved;
	shared_store("unblock", &mask_blocked, 0); /* I1 */
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
	local_word waiting; /* runs due, over all levels */
	local_word pending[MASK_LEVELS];
	void *owner; /* for whoever runs them */
};

static inline void mask_soft_enter(struct soft_mask *mask)
{
	ordered_store("mask", &mask->masked, 1); /* I1 */
}

/* In a handler of `level`: true if it has to wait, and is noted. */
static inline bool mask_soft_defer(struct soft_mask *mask, unsigned int level)
{
	if (!shared_load("masked?", &mask->masked))
		return false;
	local_add("defer", &mask->pending[level], 1); /* I2: handlers nest */
	local_add("defer: waiting", &mask->waiting, 1); /* I2 */
	return true;
}

/*
 * Leaves the section. True: runs are due; the caller holds the mask again, runs them and leaves
 * anew.
 */
static inline bool mask_soft_leave(struct soft_mask *mask)
{
	ordered_store("unmask", &mask->masked, 0); /* I1, I2 */
	if (likely(!shared_load("due?", &mask->waiting)))
		return false;
	ordered_store("mask again", &mask->masked, 1); /* I1 */
	return true;
}

/* One due run of `level`, with the mask held; false if there is none. */
static inline bool mask_soft_next(struct soft_mask *mask, unsigned int level)
{
	if (!shared_load("pending", &mask->pending[level]))
		return false;
	local_add("undefer", &mask->pending[level], (local_uint)-1); /* I2 */
	local_add("undefer: waiting", &mask->waiting, (local_uint)-1); /* I2 */
	return true;
}

#endif
