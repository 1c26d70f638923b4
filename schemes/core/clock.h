/* SPDX-License-Identifier: MIT */
/*
 * The clock seam. A stamp is one 64-bit read of the clock, in ticks.
 *
 * Real: TSC on x86-64, the virtual counter on arm64, CLOCK_MONOTONIC elsewhere. rdtsc is not
 * fenced: seen from interrupts of the same CPU, which come between two instructions, it happens
 * where it stands. Writers of other CPUs see more: rdtsc may be done before the load of the offset
 * that stands before it has come back, and a claim of theirs in between then gets the later stamp
 * and the earlier place. CLOCK_FENCED waits for that load. Virtual (STAMPEDE_COUNTING): a word that
 * advances by `step` with each read, so that a test scripts wraps, jumps, equal stamps (step 0) and
 * start phases; the explorer's writers (STAMPEDE_EXPLORED) have the same one, with the step where
 * stops.py knows it for a constant. Injected (STAMPEDE_INJECTED): the real one plus a bias, for wraps by plan
 * (core/inject.h).
 */
#ifndef STAMPEDE_CORE_CLOCK_H
#define STAMPEDE_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "local.h"
#include "point.h"
#ifdef STAMPEDE_INJECTED
#include "inject.h"
#endif

/* The real clock, unfenced, in ticks. */
static inline uint64_t clock_real(void)
{
#if defined(__x86_64__)
	uint64_t low, high; /* rdtsc clears the upper halves: 64-bit variables save a move */

#ifdef CLOCK_FENCED
	/* lfence: without it a stamp may be older than the offset that was loaded before it. */
	__asm__ volatile("lfence" : : : "memory");
#endif
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
#elif defined(__aarch64__)
	uint64_t ticks;

	/* isb: without it the read may be taken before the load of the offset. */
	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
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

	barrier();
	ticks = clock_real();
	barrier();
	return ticks;
#endif
}

struct virtual_clock {
	uint64_t now;
	uint64_t step; /* ticks that one read takes; 0 makes a coarse clock */
};

#if defined(STAMPEDE_COUNTING) || defined(STAMPEDE_EXPLORED)

extern struct virtual_clock virtual_clock;
#ifdef STAMPEDE_EXPLORED
extern uint64_t explore_constant_step;
#define VIRTUAL_CLOCK_STEP explore_constant_step
#else
#define VIRTUAL_CLOCK_STEP virtual_clock.step
#endif

static inline uint64_t clock_now(void)
{
	return local_xadd_raw(&virtual_clock.now, VIRTUAL_CLOCK_STEP);
}

static inline uint64_t clock_fenced(void)
{
	return virtual_clock.now;
}
#elif defined(STAMPEDE_INJECTED)
static inline uint64_t clock_now(void)
{
	return clock_real() + injection.bias_ticks;
}
#else
static inline uint64_t clock_now(void)
{
	return clock_real();
}

static inline uint64_t clock_fenced(void)
{
	return clock_real_fenced();
}
#endif

#ifdef STAMPEDE_INJECTED
/* The stamp is taken; whoever comes here does so between the clock read and the claim. */
#define CLOCK_POINT() \
	do { \
		barrier(); \
		if (unlikely(injection.armed)) \
			injection.nest(); \
	} while (0)
#else
#define CLOCK_POINT() ((void)0)
#endif

/* What a scheme takes a stamp with. */
#define clock_read(label) \
	(__extension__({ \
		POINT(label); \
		POINT_COUNT(clock_reads); \
		uint64_t clock_read_ = clock_now(); \
		CLOCK_POINT(); \
		clock_read_; \
	}))

#endif
