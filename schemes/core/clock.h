/* SPDX-License-Identifier: MIT */
/*
 * The clocks. A stamp is one 64-bit read of the build's clock, in ticks (core/seam.h: which).
 *
 * Real: core/clock_real.h.
 *
 * Replaced: the real clock, unless a run has put another one in its place.
 *
 * Biased: the real clock plus a bias, for wraps by plan (core/inject.h).
 *
 * Virtual: a word that each read advances by `step`. A test scripts wraps, jumps, start phases and,
 * with a step of 0, equal stamps.
 *
 * Cheap: a counter in memory. The real clock's read takes longer than many a scheme and hides what
 * is done meanwhile, so rows have a price beside this clock too. The loop that records counts in a
 * register and stores the count before each event (CHEAP_TICK); a read is a load. To the compiler
 * it is a clock: the load is asm, so nothing is folded or known before, and header and payload
 * depend on what comes back, as on rdtsc's. To the CPU it is one as well: no read waits for the
 * read before it. A counter that each read adds to would be no clock: its load and store would be a
 * chain from event to event, as long as all that the lowest floor does, and rows would be priced by
 * that chain. The clock gives more with every event and so is strict, unless a beat comes in
 * between: a beat's event has the stamp of the event that it interrupts. A tick per event is slower
 * than any real clock here, so beats by real time are never late.
 */
#ifndef STAMPEDE_SCHEMES_CORE_CLOCK_H
#define STAMPEDE_SCHEMES_CORE_CLOCK_H

#include <stdint.h>

#include "schemes/core/clock_real.h"
#include "schemes/core/local.h"
#include "schemes/core/point.h"
#include "schemes/core/seam.h"
#if SEAM_CLOCK_BIASED || SEAM_INTERRUPTS_AT_CLOCK
#include "schemes/core/inject.h"
#endif

struct virtual_clock {
	uint64_t now;
	uint64_t step; /* ticks that one read takes; 0 makes a coarse clock */
};

/* The cheap clock, in a line of its own. */
struct cheap_clock {
	uint64_t now;
} __attribute__((aligned(64)));

/* A clock in the place of the real one. */
struct clock_replacement {
	uint64_t (*now)(void);
	uint64_t (*fenced)(void); /* as clock_real_fenced(), of that clock */
	const uint64_t *behind; /* ticks behind the real one, by number of the CPU; NULL: none is */
};

extern const struct clock_replacement *clock_replacement; /* NULL: the real one */
extern struct virtual_clock virtual_clock;
extern struct cheap_clock cheap_clock;

#if SEAM_CLOCK_VIRTUAL
#if SEAM_CONSTANTS_APART
extern uint64_t seam_constant_step;
#define VIRTUAL_CLOCK_STEP seam_constant_step
#else
#define VIRTUAL_CLOCK_STEP virtual_clock.step
#endif

static inline uint64_t clock_now(void)
{
	/* One instruction, as a clock read is: an interrupt comes before it or behind it. */
#ifdef POINT_C11
	return __atomic_fetch_add(&virtual_clock.now, VIRTUAL_CLOCK_STEP, CLOCK_ORDER);
#else
	return local_xadd_raw(&virtual_clock.now, VIRTUAL_CLOCK_STEP);
#endif
}

static inline uint64_t clock_fenced(void)
{
	return virtual_clock.now;
}
#elif SEAM_CLOCK_BIASED
static inline uint64_t clock_now(void)
{
	return clock_real() + injection.bias_ticks;
}
#elif SEAM_CLOCK_CHEAP
static inline uint64_t clock_now(void)
{
	uint64_t ticks;

	clock_wait();
#ifdef __x86_64__
	__asm__ volatile("movq %1, %0" : "=r"(ticks) : "m"(cheap_clock.now));
#else
	ticks = *(const volatile uint64_t *)&cheap_clock.now;
#endif
	return ticks;
}
#elif SEAM_CLOCK_REPLACED
static inline uint64_t clock_now(void)
{
	return unlikely(clock_replacement) ? clock_replacement->now() : clock_real();
}

static inline uint64_t clock_fenced(void)
{
	return unlikely(clock_replacement) ? clock_replacement->fenced() : clock_real_fenced();
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

/* Ticks that the clock of `cpu` is behind the real one: for sections that read that. */
static inline uint64_t clock_behind(uint32_t cpu)
{
#if SEAM_CLOCK_REPLACED
	if (unlikely(clock_replacement) && clock_replacement->behind)
		return clock_replacement->behind[cpu];
#endif
	(void)cpu;
	return 0;
}

/* In a loop that records event after event: the count, and one more of it. */
#if SEAM_CLOCK_CHEAP
#define CHEAP_COUNT uint64_t cheap_count = cheap_clock.now
#define CHEAP_TICK() (*(volatile uint64_t *)&cheap_clock.now = ++cheap_count)
#else
#define CHEAP_COUNT
#define CHEAP_TICK() ((void)0)
#endif

#if SEAM_INTERRUPTS_AT_CLOCK
/* The stamp is taken: a nested writer that runs here comes between clock read and claim. */
#define CLOCK_POINT() \
	do { \
		barrier(); /* not before the read */ \
		if (unlikely(injection.armed)) \
			injection.nest(); \
	} while (0)
#else
#define CLOCK_POINT() ((void)0)
#endif

/* The clock read with which a scheme takes a stamp. */
#define clock_read(label) \
	(__extension__({ \
		POINT(label); \
		POINT_COUNT(clock_reads); \
		uint64_t clock_read_ = clock_now(); \
		CLOCK_POINT(); \
		clock_read_; \
	}))

#endif
