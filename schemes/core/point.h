/* SPDX-License-Identifier: MIT */
/*
 * Points: the labelled places where a writer touches what it shares with its interrupts.
 *
 * In most builds a point is nothing, and an access through it is the plain access. Where interrupts
 * are calls (core/seam.h), every point first calls points.hook, which may run a whole nested writer
 * there, and clock reads, atomics and retries are counted. Where an instrument stops writers and
 * cannot do so before any instruction, it stops them at points. A long copy goes on by pieces of
 * POINT_PIECE(), a point before each.
 */
#ifndef STAMPEDE_SCHEMES_CORE_POINT_H
#define STAMPEDE_SCHEMES_CORE_POINT_H

#include <stdint.h>

#include "schemes/core/seam.h"

#if SEAM_INTERRUPTS_CALLED
#include "schemes/core/points.h"

static inline void point(const char *label)
{
	if (points.hook)
		points.hook(points.arg, label);
}
#define POINT(label) point(label)
#define POINT_COUNT(what) (points.what++)
/* The last 64 in two: a packet's head is not read in one step. */
#define POINT_PIECE(bytes) ((bytes) > 64 ? 64 : (bytes) > 32 ? 32 : (bytes))
#elif SEAM_POINTS_STOP
void point_stop(const char *label);
#define POINT(label) point_stop(label)
#define POINT_COUNT(what) ((void)0)
#define POINT_PIECE(bytes) (bytes)
#else
#define POINT(label) ((void)0)
#define POINT_COUNT(what) ((void)0)
#define POINT_PIECE(bytes) (bytes)
#endif

/*
 * A label at the instruction that comes next, where a build asks for it, so that one can tell
 * whether schedules came there: "plain", before the commit on the plain path, and "switch", behind
 * the opening of a sub-buffer. Costs no instruction. The slow path has a section (core/scheme.h).
 */
#if SEAM_PATHS_LABELLED
#define POINT_PATH(name) __asm__ volatile(".Lpoint_path_" name "_%=:" : :)
#else
#define POINT_PATH(name) ((void)0)
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/*
 * Around a function that uses a variable only where it was set, which gcc 14 does not see. A first
 * value would silence it, and put stores into code that is timed.
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
 * ThreadSanitizer sees neither assembly nor fences. For it alone words are C11's atomics: what a
 * fence orders here is ordered by the loads and stores beside it, LOCK by the orders themselves.
 */
#ifdef __has_feature
#define POINT_TSAN __has_feature(thread_sanitizer)
#elif defined(__SANITIZE_THREAD__)
#define POINT_TSAN 1
#else
#define POINT_TSAN 0
#endif
/* POINT_C11: what machines other than x86-64 run (explore/order). */
#if POINT_TSAN && !defined(POINT_C11)
#define POINT_ORDER(order) order
#define fence(order) ((void)0)
#else
#define POINT_ORDER(order) __ATOMIC_RELAXED
#define fence(order) __atomic_thread_fence(order)
#endif

/*
 * Loads and stores of words shared with interrupts: exactly one access each, in program order.
 * The compiler must neither tear, repeat nor reorder them; the CPU cannot, seen from itself. On
 * 32-bit machines a plain access to 64 bits is two, between which an interrupt would come.
 */
#if POINT_TSAN || UINTPTR_MAX < UINT64_MAX
#define POINT_LOAD(ptr) __atomic_load_n(ptr, POINT_ORDER(__ATOMIC_ACQUIRE))
#define POINT_STORE(ptr, value) __atomic_store_n(ptr, value, POINT_ORDER(__ATOMIC_RELEASE))
#else
#define POINT_LOAD(ptr) (*(ptr))
#define POINT_STORE(ptr, value) (*(ptr) = (value))
#endif
/* One access, of a word that another CPU may use at the same time, where no point is. */
#define once_load(ptr) POINT_LOAD((const volatile __typeof__(*(ptr)) *)(ptr))
#define once_store(ptr, value) POINT_STORE((volatile __typeof__(*(ptr)) *)(ptr), value)
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
/* The same, and plain accesses stay on the side of it where they are. */
#define ordered_store(label, ptr, value) \
	do { \
		barrier(); \
		shared_store(label, ptr, value); \
		barrier(); \
	} while (0)

/*
 * Copies bytes that a writer may overwrite meanwhile. The reader then looks whether one may have,
 * and throws such a copy away; so ThreadSanitizer, which sees the bytes alone, is not asked.
 */
#if POINT_TSAN && !defined(POINT_C11)
__attribute__((noinline, no_sanitize("thread"), unused)) static void
racy_copy(void *to, const void *from, uint64_t bytes)
{
	while (bytes--)
		((volatile uint8_t *)to)[bytes] = ((const volatile uint8_t *)from)[bytes];
}
#else
#define racy_copy(to, from, bytes) memcpy(to, from, bytes)
#endif

#endif
