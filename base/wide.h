/* SPDX-License-Identifier: MIT */
/* Products of two 64-bit values, also where the compiler has no integer of 128 bits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The product's upper 64 bits; the lower ones, value * by, into *low. By halves of 32 bits. */
static inline uint64_t wide_product_by_halves(uint64_t value, uint64_t by, uint64_t *low)
{
	uint64_t v0 = (uint32_t)value, v1 = value >> 32, b0 = (uint32_t)by, b1 = by >> 32;
	uint64_t middle = v1 * b0 + (v0 * b0 >> 32);
	uint64_t other = v0 * b1 + (uint32_t)middle;

	*low = value * by;
	return v1 * b1 + (middle >> 32) + (other >> 32);
}

static inline uint64_t wide_scale_by_bits(uint64_t value, uint64_t by, uint64_t over)
{
	uint64_t low, high = wide_product_by_halves(value, by, &low);
	bool carry;
	int bit;

	if (high >= over)
		return UINT64_MAX;
	for (bit = 0; bit < 64; bit++) {
		carry = high >> 63;
		high = high << 1 | low >> 63;
		low <<= 1;
		if (carry || high >= over) {
			high -= over;
			low |= 1;
		}
	}
	return low;
}

/* The upper 64 bits of value * by. */
static inline uint64_t wide_high(uint64_t value, uint64_t by)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)((unsigned __int128)value * by >> 64);
#else
	uint64_t low;

	return wide_product_by_halves(value, by, &low);
#endif
}

/* value * by / over, rounded down; UINT64_MAX where it does not fit, and where over is 0. */
static inline uint64_t wide_scale(uint64_t value, uint64_t by, uint64_t over)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 scaled = over ? (unsigned __int128)value * by / over : UINT64_MAX;

	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
#else
	return wide_scale_by_bits(value, by, over);
#endif
}
