/* SPDX-License-Identifier: MIT */
/*
 * Bit arithmetic of short time fields. Every function carries a worked example;
 * tests/schemes/test_bits.c repeats each of them.
 */
#ifndef STAMPEDE_SCHEMES_CORE_BITS_H
#define STAMPEDE_SCHEMES_CORE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Mask of the low `bits` bits, 0 <= bits <= 64.
 * bits_mask(27) == 0x7ffffff, bits_mask(0) == 0, bits_mask(64) == ~0.
 */
static inline uint64_t bits_mask(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/*
 * The time that a reader at `now` decodes from the low `bits` bits of a stamp: the first value
 * at or after `now` that ends in `low`. Right if, and only if, the true stamp is less than
 * 2^bits later than `now`.
 * bits_advance(0x1f0, 0x05, 8) == 0x205; bits_advance(0x1f0, 0xf0, 8) == 0x1f0.
 */
static inline uint64_t bits_advance(uint64_t now, uint64_t low, unsigned int bits)
{
	return now + ((low - now) & bits_mask(bits));
}

/*
 * True if a difference does not fit into a field of `bits` bits, 1 <= bits <= 64. Unsigned, so a
 * predecessor that is newer than the stamp (a nested writer came between) is "too far" as well.
 * bits_overflow(0x7ffffff, 27) is false, bits_overflow(0x8000000, 27) is true.
 */
static inline bool bits_overflow(uint64_t delta, unsigned int bits)
{
	return bits < 64 && delta >> bits;
}

/* `value` with its low `bits` bits cleared. bits_clear(0x1ff, 5) == 0x1e0. */
static inline uint64_t bits_clear(uint64_t value, unsigned int bits)
{
	return value & ~bits_mask(bits);
}

/*
 * Number of the highest set bit, counted from 1; 0 for 0. bits_last_set(800) == 10, where the
 * lowest, which find_first_bit counts from 0, is 5.
 */
static inline unsigned int bits_last_set(uint64_t value)
{
	return value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
}

/* Round `value` up to a multiple of `align`, a power of two. bits_align(13, 4) == 16. */
static inline uint64_t bits_align(uint64_t value, uint64_t align)
{
	return (value + align - 1) & ~(align - 1);
}

#endif
