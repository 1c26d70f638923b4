/* SPDX-License-Identifier: MIT */
/*
 * CPU-local atomics: atomic against interrupts of the same CPU, not against other CPUs.
 *
 * No SMP fence is needed anywhere in a writer: all writers of a ring run on one CPU and nest, and
 * a CPU sees its own stores in program order. On x86 one instruction is enough, without LOCK;
 * LOCKED adds the prefix, for the *_locked rows. Elsewhere C11-style atomics take its place,
 * relaxed but for those that add; they are correct and somewhat stronger than needed. The "memory"
 * clobbers, and barriers where there is no asm, keep the compiler from moving record bytes before
 * the reserve or behind the commit, and the accesses of one shared word past those of another.
 *
 * LOCKED rows with shared_promises may also be written from several CPUs, on x86-64 only: there
 * loads and stores keep their order, except that a load may pass an older store; and every claim
 * and every commit is a LOCKed instruction, which nothing passes.
 */
#ifndef STAMPEDE_SCHEMES_CORE_LOCAL_H
#define STAMPEDE_SCHEMES_CORE_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

#include "schemes/core/point.h"

#ifdef LOCKED
#define LOCAL_LOCK "lock; "
#else
#define LOCAL_LOCK ""
#endif

/*
 * Every ring's tail and books have 64 bits: a lock in their place would hang the interrupt that
 * finds it taken. A program for a machine of 32-bit atomics says LOCAL_BITS=32 (extras/mcu); it
 * runs rows whose tail has no more, and brings the __atomic functions that its compiler calls.
 */
#ifndef LOCAL_BITS
#define LOCAL_BITS 64
_Static_assert(__atomic_always_lock_free(sizeof(uint64_t), 0),
	       "this machine has no compare-and-swap of 64 bits, which every row needs");
#endif
#if LOCAL_BITS == 64
typedef uint64_t local_uint;
#else
typedef uint32_t local_uint;
#endif
#ifdef PACKED_WORD32
#define LOCAL_CMPXCHG "cmpxchgl %k3, %1" /* the other half of the word stays 0 */
#else
#define LOCAL_CMPXCHG "cmpxchgq %3, %1"
#endif

/*
 * A word that others add to while it is in use. i386 aligns uint64_t to 4: across two cache lines a
 * locked access stops all CPUs, and Linux makes whoever does that wait.
 */
typedef local_uint local_word __attribute__((aligned(LOCAL_BITS / 8)));

/* Adds `value` to *word and returns what was there before. */
static inline local_uint local_xadd_raw(local_uint *word, local_uint value)
{
#if defined(__x86_64__) && !POINT_TSAN
	__asm__ volatile(LOCAL_LOCK "xaddq %0, %1" : "+r"(value), "+m"(*word) : : "memory", "cc");
	return value;
#else
	barrier();
	value = __atomic_fetch_add(word, value, POINT_ORDER(__ATOMIC_ACQ_REL));
	barrier();
	return value;
#endif
}

/* Stores `next` if *word is still *old; otherwise *old becomes what is there. True if stored. */
static inline bool local_cmpxchg_raw(local_uint *word, local_uint *old, local_uint next)
{
#if defined(__x86_64__) && !POINT_TSAN
	bool stored;

	__asm__ volatile(LOCAL_LOCK LOCAL_CMPXCHG
			 : "=@ccz"(stored), "+m"(*word), "+a"(*old)
			 : "r"(next)
			 : "memory");
	return stored;
#elif defined(__ARM_FEATURE_LDREX) && LOCAL_BITS == 32
	local_uint seen;

	/* An interrupt in between is a lost race, whether it has changed the word or not. */
	__asm__ goto volatile("ldrex %0, [%1]\n\tcmp %0, %2\n\tbne %l[lost]\n\t"
			      "strex %0, %3, [%1]\n\tcmp %0, #0\n\tbne %l[lost]"
			      : "=&r"(seen)
			      : "r"(word), "r"(*old), "r"(next)
			      : "memory", "cc"
			      : lost);
	return true;
lost:
	*old = *(volatile local_uint *)word;
	return false;
#else
	bool stored;

	barrier();
	stored = __atomic_compare_exchange_n(word, old, next, false, POINT_ORDER(__ATOMIC_ACQ_REL),
					     POINT_ORDER(__ATOMIC_ACQUIRE));
	barrier();
	return stored;
#endif
}

/* Two words that change together. */
struct local_pair {
	uint64_t word[2];
} __attribute__((aligned(16)));

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(POINT_C11)
#define LOCAL_HAS_PAIR 1
/*
 * Stores `next` if *pair still is `old`. True if stored. No interrupt sees one word without the
 * other. arm64: a pair read by ldxp is one observation only if the stxp behind it succeeds; where
 * it is not `old` the caller looks again anyway.
 */
static inline bool local_cmpxchg_pair_raw(struct local_pair *pair, struct local_pair old,
					  struct local_pair next)
{
#ifdef __x86_64__
	bool stored;

	__asm__ volatile(LOCAL_LOCK "cmpxchg16b %1"
			 : "=@ccz"(stored), "+m"(*pair), "+a"(old.word[0]), "+d"(old.word[1])
			 : "b"(next.word[0]), "c"(next.word[1])
			 : "memory");
	return stored;
#else
	uint64_t low, high;
	uint32_t differs;

	__asm__ volatile(
		"1:	ldxp %[low], %[high], %[pair]\n"
		"	cmp %[low], %[old0]\n"
		"	ccmp %[high], %[old1], #0, eq\n"
		"	cset %w[differs], ne\n"
		"	b.ne 2f\n"
		"	stxp %w[differs], %[new0], %[new1], %[pair]\n"
		"	cbnz %w[differs], 1b\n"
		"2:\n"
		: [low] "=&r"(low), [high] "=&r"(high), [differs] "=&r"(differs), [pair] "+Q"(*pair)
		: [old0] "r"(old.word[0]), [old1] "r"(old.word[1]), [new0] "r"(next.word[0]),
		  [new1] "r"(next.word[1])
		: "memory", "cc");
	return !differs;
#endif
}
#else
/* A row that calls this has a scheme_unsupported() that says so: it builds here, and never runs. */
static inline bool local_cmpxchg_pair_raw(struct local_pair *pair, struct local_pair old,
					  struct local_pair next)
{
	(void)pair;
	(void)old;
	(void)next;
	__builtin_trap();
}
#endif

/*
 * Adds `value` to *word in one step that no interrupt can split. A commit is one: what was stored
 * before it is there for a reader on another CPU that has seen it (judge/live.h), so elsewhere than
 * on x86-64 it is a release. Machines of LOCAL_BITS=32 have one CPU.
 */
static inline void local_add_raw(local_uint *word, local_uint value)
{
#if defined(__x86_64__) && !POINT_TSAN
	__asm__ volatile(LOCAL_LOCK "addq %1, %0" : "+m"(*word) : "er"(value) : "memory", "cc");
#else
	barrier();
	__atomic_fetch_add(word, value, LOCAL_BITS == 64 ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
	barrier();
#endif
}

#define local_xadd(label, word, value) \
	(__extension__({ \
		POINT(label); \
		POINT_COUNT(atomics); \
		local_xadd_raw(word, value); \
	}))
#define local_cmpxchg(label, word, old, next) \
	(__extension__({ \
		POINT(label); \
		POINT_COUNT(atomics); \
		POINT_COUNT(cmpxchgs); \
		local_cmpxchg_raw(word, old, next); \
	}))
#define local_cmpxchg_pair(label, pair, old, next) \
	(__extension__({ \
		POINT(label); \
		POINT_COUNT(atomics); \
		local_cmpxchg_pair_raw(pair, old, next); \
	}))
#define local_add(label, word, value) \
	do { \
		POINT(label); \
		POINT_COUNT(atomics); \
		local_add_raw(word, value); \
	} while (0)

#endif
