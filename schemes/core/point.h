/* SPDX-License-Identifier: MIT */
/*
 * Points: the labelled places where a writer touches what it shares with its interrupts.
 *
 * In the timed and the checked build a point is nothing and an access through it is the plain
 * access. In the counting build (STAMPEDE_COUNTING) every point first calls points.hook, which may
 * run a whole nested writer there, and clock reads, atomics and retries are counted. In the explored
 * build they can stop the writer (EXPLORE_POINTS), where stops before each instruction cannot be had.
 */
#ifndef STAMPEDE_SCHEMES_CORE_POINT_H
#define STAMPEDE_SCHEMES_CORE_POINT_H

#include <stdint.h>

#if defined(STAMPEDE_COUNTING) || defined(STAMPEDE_EXPLORED)
struct points {
	void (*hook)(void *arg, const char *label); /* NULL: nobody interrupts */
	void *arg;
	uint64_t clock_reads;
	uint64_t atomics; /* read-modify-write of a shared word, the commit included */
	uint64_t cmpxchgs; /* of these */
	uint64_t retries; /* attempts given up because another writer came between */
};

extern struct points points;
#endif

#ifdef STAMPEDE_COUNTING
static inline void point(const char *label)
{
	if (points.hook)
		points.hook(points.arg, label);
}
#define POINT(label) point(label)
#define POINT_COUNT(what) (points.what++)
#elif defined(EXPLORE_POINTS)
void explore_point(const char *label);
#define POINT(label) explore_point(label)
#define POINT_COUNT(what) ((void)0)
#else
#define POINT(label) ((void)0)
#define POINT_COUNT(what) ((void)0)
#endif

/*
 * In the explored build a name for the instruction that comes next, so that the explorer can tell
 * whether its schedules came there: "plain", before the commit on the plain path, and "switch",
 * behind the opening of a sub-buffer. Costs no instruction. The slow path has a section (scheme.h).
 */
#if defined(STAMPEDE_EXPLORED) && !defined(EXPLORE_POINTS)
#define EXPLORED_PATH(name) __asm__ volatile(".Lexplore_path_" name "_%=:" : :)
#else
#define EXPLORED_PATH(name) ((void)0)
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/*
 * Around a function that uses a variable only where it was set, as gcc 14 cannot follow. To set it
 * to something first would be stores in code that is timed.
 */
#if defined(__GNUC__) && !defined(__clang__)
#define MAYBE_UNSET_BEGIN \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define MAYBE_UNSET_END _Pragma("GCC diagnostic pop")
#else
#define MAYBE_UNSET_BEGIN
#define MAYBE_UNSET_END
#endif

/* Compiler barrier. Writers of one ring run on one CPU, which sees its own accesses in order. */
#define barrier() __asm__ volatile("" : : : "memory")

/*
 * Loads and stores of words shared with interrupts: exactly one access each, in program order.
 * The compiler must neither tear, repeat nor reorder them; the CPU cannot, seen from itself. On
 * 32-bit machines a plain access to 64 bits is two, between which an interrupt would come.
 */
#if UINTPTR_MAX < UINT64_MAX
#define POINT_LOAD(ptr) __atomic_load_n(ptr, __ATOMIC_RELAXED)
#define POINT_STORE(ptr, value) __atomic_store_n(ptr, value, __ATOMIC_RELAXED)
#else
#define POINT_LOAD(ptr) (*(ptr))
#define POINT_STORE(ptr, value) (*(ptr) = (value))
#endif
#define shared_load(label, ptr) \
	(__extension__({ \
		POINT(label); \
		POINT_LOAD((const volatile __typeof__(*(ptr)) *)(ptr)); \
	}))
#define shared_store(label, ptr, value) \
	do { \
		POINT(label); \
		POINT_STORE((volatile __typeof__(*(ptr)) *)(ptr), value); \
	} while (0)
/* The same, and plain accesses stay on their side of it. */
#define ordered_store(label, ptr, value) \
	do { \
		barrier(); \
		shared_store(label, ptr, value); \
		barrier(); \
	} while (0)

#endif
