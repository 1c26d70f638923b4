/* SPDX-License-Identifier: MIT */
/*
 * The real clock: the TSC on x86-64, the virtual counter on arm64, CLOCK_MONOTONIC elsewhere, or
 * the clock_given() of a header that CLOCK_GIVEN names (extras/mcu). rdtsc
 * is not fenced. Interrupts of the same CPU come between two instructions, and to them the read
 * happens where it stands. Writers of other CPUs see more: the CPU may do rdtsc before the load of
 * the offset that stands in front of it has come back; a claim of theirs in between then gets the
 * later stamp and the earlier place. CLOCK_FENCED waits for that load.
 */
#ifndef STAMPEDE_SCHEMES_CORE_CLOCK_REAL_H
#define STAMPEDE_SCHEMES_CORE_CLOCK_REAL_H

#include <stdint.h>
#include <time.h>

#include "schemes/core/point.h"
#ifdef CLOCK_GIVEN
#include CLOCK_GIVEN
#endif

/* Of a read: behind the loads in front of it, or as the CPU likes. */
#ifdef CLOCK_FENCED
#define CLOCK_ORDER __ATOMIC_ACQUIRE
#else
#define CLOCK_ORDER __ATOMIC_RELAXED
#endif

static inline void clock_wait(void)
{
#ifdef __x86_64__
	/* lfence: without it a stamp may be older than the offset that was loaded before it. */
	if (CLOCK_ORDER == __ATOMIC_ACQUIRE)
		__asm__ volatile("lfence" : : : "memory");
#endif
}

/* The real clock, in ticks. */
static inline uint64_t clock_real(void)
{
#if defined(__x86_64__)
	uint64_t low, high; /* rdtsc clears the upper halves: 64-bit variables save a move */

	clock_wait();
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
#elif defined(__aarch64__)
	uint64_t ticks;

	/* isb: without it the read may be taken before the load of the offset. */
	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
#elif defined(CLOCK_GIVEN)
	return clock_given();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

/* The real clock with everything before it done and nothing after it begun: for oracles only. */
static inline uint64_t clock_real_fenced(void)
{
#if defined(__x86_64__)
	uint64_t low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
	return high << 32 | low;
#else
	uint64_t ticks;

	barrier(); /* what comes before the read is not moved behind it */
	ticks = clock_real();
	barrier(); /* and what comes behind it not before it */
	return ticks;
#endif
}

#endif
