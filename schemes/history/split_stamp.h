/* SPDX-License-Identifier: MIT */
/*
 * A 64-bit stamp on a machine of 32 bits: words of 30 bits, each tagged with the low bits of a
 * counter that every writer moves first. A reader whose tags differ came into a writer and has no
 * stamp; it is not a failure but an answer.
 *
 * Source: Linux's ring buffer on 32-bit machines, 2020-06 to 2023-12 (rb_time_t; removed in 6.8),
 * after the commits named below; the words and their order, not the code.
 *
 * SPLIT_WORDS 2       as of 2020: top and bottom, 60 bits in all
 *             3       as of 2022-04 (f03f2abce4f3): upper too, all 64
 * What a reader compares the tag of top with:
 *   SPLIT_READ_BOTTOM that of bottom (2020, and 2022-04 still, when upper came behind it)
 *   SPLIT_READ_UPPER  that of upper (2023-12, f458a1453424)
 *   otherwise         both (2023-12, Desnoyers: "Fix 32-bit rb_time_read() race")
 * How a cmpxchg tags upper:
 *   SPLIT_UPPER_BARE  not at all (2022-04)
 *   SPLIT_UPPER_STALE with the counter as it was before (2023-12, 0aa0e5289cfe)
 *   otherwise         as the other words
 * SPLIT_COUNT_LATE    cmpxchg reads the value first and the counter later (until 2023-12,
 *                     fff88fa0fbc7)
 *
 * Narrow fields make narrow words, so that small jumps reach every one of them.
 */
#ifndef STAMPEDE_HISTORY_SPLIT_STAMP_H
#define STAMPEDE_HISTORY_SPLIT_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "schemes/core/bits.h"
#include "schemes/core/point.h"

#ifndef SPLIT_WORDS
#define SPLIT_WORDS 3
#endif
#ifndef SPLIT_TAG_BITS
#define SPLIT_TAG_BITS 2
#endif
#define SPLIT_TAG_SHIFT 30
#ifndef SPLIT_BITS
#define SPLIT_BITS 30
#endif

enum split_word {
	SPLIT_TOP,
	SPLIT_BOTTOM,
	SPLIT_UPPER, /* in the order that they are set */
};

struct split {
	uint32_t count;
	uint32_t word[SPLIT_WORDS];
};

/* What a reader got. */
struct split_seen {
	uint64_t value;
	uint32_t tag;
	bool whole; /* nobody was in the middle of writing it */
};

static inline uint32_t split_tag(uint32_t word)
{
	return word >> SPLIT_TAG_SHIFT;
}

/* The part of `value` that `which` holds. */
static inline uint32_t split_part(uint64_t value, enum split_word which)
{
	unsigned int shift = which == SPLIT_BOTTOM ? 0 :
			     which == SPLIT_TOP	   ? SPLIT_BITS :
						     2 * SPLIT_BITS;
	unsigned int bits = which == SPLIT_UPPER ? SPLIT_TAG_SHIFT : SPLIT_BITS;

	return (uint32_t)(value >> shift & bits_mask(bits));
}

/* The same with the tag of `count`. */
static inline uint32_t split_tagged(uint64_t value, enum split_word which, uint32_t count)
{
	return split_part(value, which) |
	       (count & (uint32_t)bits_mask(SPLIT_TAG_BITS)) << SPLIT_TAG_SHIFT;
}

static inline struct split_seen split_read(const struct split *split)
{
	struct split_seen seen;
	uint32_t count, top, bottom, upper;

	do {
		count = shared_load("split: count", &split->count);
		top = shared_load("split: top", &split->word[SPLIT_TOP]);
		bottom = shared_load("split: bottom", &split->word[SPLIT_BOTTOM]);
#if SPLIT_WORDS == 3
		upper = shared_load("split: upper", &split->word[SPLIT_UPPER]);
#else
		upper = top & ~(uint32_t)bits_mask(SPLIT_TAG_SHIFT);
#endif
	} while (count != shared_load("split: count again", &split->count));
	seen.tag = split_tag(top);
	seen.value = (uint64_t)(upper & bits_mask(SPLIT_TAG_SHIFT)) << 2 * SPLIT_BITS |
		     (top & bits_mask(SPLIT_BITS)) << SPLIT_BITS | (bottom & bits_mask(SPLIT_BITS));
	seen.whole = true;
#ifndef SPLIT_READ_UPPER
	seen.whole &= split_tag(bottom) == seen.tag;
#endif
#ifndef SPLIT_READ_BOTTOM
	seen.whole &= split_tag(upper) == seen.tag;
#endif
	return seen;
}

static inline uint32_t split_count(struct split *split)
{
	POINT("split: count up");
	return __atomic_add_fetch(&split->count, 1, __ATOMIC_RELAXED);
}

/* Done again if a nested writer came: whoever was first has its value there last. */
static inline void split_set(struct split *split, uint64_t value)
{
	uint32_t count;

	do {
		count = split_count(split);
		shared_store("split: set top", &split->word[SPLIT_TOP],
			     split_tagged(value, SPLIT_TOP, count));
		shared_store("split: set bottom", &split->word[SPLIT_BOTTOM],
			     split_tagged(value, SPLIT_BOTTOM, count));
#if SPLIT_WORDS == 3
		shared_store("split: set upper", &split->word[SPLIT_UPPER],
			     split_tagged(value, SPLIT_UPPER, count));
#endif
	} while (count != shared_load("split: still?", &split->count));
}

static inline bool split_swap(uint32_t *word, uint32_t old, uint32_t new)
{
	POINT("split: swap");
	return __atomic_compare_exchange_n(word, &old, new, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

static inline bool split_swap_upper(struct split *split, uint64_t old, uint64_t new, uint32_t count)
{
#if SPLIT_WORDS == 3
	uint32_t from = split_tagged(old, SPLIT_UPPER, count);
	uint32_t to = split_tagged(new, SPLIT_UPPER, count + 1);

#ifdef SPLIT_UPPER_BARE
	from = split_part(old, SPLIT_UPPER);
	to = split_part(new, SPLIT_UPPER);
#elif defined(SPLIT_UPPER_STALE)
	to = split_tagged(new, SPLIT_UPPER, count);
#endif
	return split_swap(&split->word[SPLIT_UPPER], from, to);
#else
	(void)split;
	(void)old;
	(void)new;
	(void)count;
	return true;
#endif
}

/* Stores `new` if `old` is there: counter, upper, top, bottom, each by a cmpxchg of its own. */
static inline bool split_cmpxchg(struct split *split, uint64_t old, uint64_t new)
{
	uint32_t count;
	struct split_seen seen;

#ifdef SPLIT_COUNT_LATE
	seen = split_read(split);
	count = shared_load("split: count late", &split->count);
#else
	count = shared_load("split: count first", &split->count);
	seen = split_read(split);
#endif
	if (!seen.whole || seen.value != old ||
	    seen.tag != (count & (uint32_t)bits_mask(SPLIT_TAG_BITS)))
		return false;
	return split_swap(&split->count, count, count + 1) &&
	       split_swap_upper(split, old, new, count) &&
	       split_swap(&split->word[SPLIT_TOP], split_tagged(old, SPLIT_TOP, count),
			  split_tagged(new, SPLIT_TOP, count + 1)) &&
	       split_swap(&split->word[SPLIT_BOTTOM], split_tagged(old, SPLIT_BOTTOM, count),
			  split_tagged(new, SPLIT_BOTTOM, count + 1));
}

#endif
