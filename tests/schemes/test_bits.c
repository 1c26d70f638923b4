// SPDX-License-Identifier: MIT
/* Bit arithmetic of short time fields: the worked examples of core/bits.h, and the edges. */
#include "tests/support/test.h"
#include "schemes/core/bits.h"
#include "base/wide.h"

#define TOP UINT64_MAX

static void mask_examples(void **state)
{
	assert_int_equal(bits_mask(27), 0x7ffffff);
	assert_int_equal(bits_mask(0), 0);
	assert_int_equal(bits_mask(64), TOP);
}

static void mask_edges(void **state)
{
	unsigned int bits;

	assert_int_equal(bits_mask(1), 1);
	assert_int_equal(bits_mask(31), 0x7fffffff);
	assert_int_equal(bits_mask(32), 0xffffffff);
	assert_int_equal(bits_mask(33), 0x1ffffffff);
	assert_int_equal(bits_mask(63), 0x7fffffffffffffff);
	/* Each mask has one bit more than the one before. */
	for (bits = 1; bits <= 64; bits++) {
		assert_int_equal(__builtin_popcountll(bits_mask(bits)), bits);
		assert_int_equal(bits_mask(bits) >> 1, bits_mask(bits - 1));
	}
}

static void advance_examples(void **state)
{
	assert_int_equal(bits_advance(0x1f0, 0x05, 8), 0x205);
	assert_int_equal(bits_advance(0x1f0, 0xf0, 8), 0x1f0);
}

static void advance_edges(void **state)
{
	/* No bits: nothing is known, the reader stays where it is. */
	assert_int_equal(bits_advance(0x1f0, 0, 0), 0x1f0);
	assert_int_equal(bits_advance(TOP, 0, 0), TOP);
	/* One bit: now, or one later. */
	assert_int_equal(bits_advance(6, 0, 1), 6);
	assert_int_equal(bits_advance(6, 1, 1), 7);
	assert_int_equal(bits_advance(7, 0, 1), 8);
	/* The last tick before, and the first of, the next wrap. */
	assert_int_equal(bits_advance(0x7ffffff, 0x7ffffff, 27), 0x7ffffff);
	assert_int_equal(bits_advance(0x7ffffff, 0, 27), 0x8000000);
	assert_int_equal(bits_advance(0x8000000, 0x7ffffff, 27), 0xfffffff);
	/* 63 and 64 bits. */
	assert_int_equal(bits_advance(5, 4, 63), 0x8000000000000004);
	assert_int_equal(bits_advance(0x8000000000000005, 6, 63), 0x8000000000000006);
	assert_int_equal(bits_advance(5, 0xfedcba9876543210, 64), 0xfedcba9876543210);
	assert_int_equal(bits_advance(5, 4, 64), 4);
}

static void advance_near_2_64(void **state)
{
	assert_int_equal(bits_advance(TOP, 0x7ffffff, 27), TOP);
	assert_int_equal(bits_advance(TOP - 1, 0x7ffffff, 27), TOP);
	/* The clock itself runs over: modulo 2^64 the reader follows. */
	assert_int_equal(bits_advance(TOP, 0, 27), 0);
	assert_int_equal(bits_advance(TOP, 0x7fffffe, 27), 0x7fffffe);
	assert_int_equal(bits_advance(TOP - 0x0f, 0x05, 8), 0x05);
	assert_int_equal(bits_advance(TOP, 0, 64), 0);
	assert_int_equal(bits_advance(TOP, 0, 63), 0);
}

/* All distances below a wrap are decoded right, all others are short by whole wraps. */
static void advance_against_truth(void **state)
{
	static const uint64_t starts[] = {
		0, 1, 5, 0xfffffff8, 0x100000000, TOP - 9, TOP - 1, TOP
	};
	unsigned int bits, i;
	uint64_t gap, now, stamp;

	for (bits = 0; bits <= 6; bits++) {
		for (i = 0; i < COUNT(starts); i++) {
			for (gap = 0; gap < UINT64_C(4) << bits; gap++) {
				now = starts[i];
				stamp = now + gap;
				assert_int_equal(bits_advance(now, stamp & bits_mask(bits), bits),
						 now + (gap & bits_mask(bits)));
			}
		}
	}
}

static void overflow_examples(void **state)
{
	assert_false(bits_overflow(0x7ffffff, 27));
	assert_true(bits_overflow(0x8000000, 27));
}

static void overflow_edges(void **state)
{
	unsigned int bits;

	for (bits = 1; bits < 64; bits++) {
		assert_false(bits_overflow(0, bits));
		assert_false(bits_overflow((UINT64_C(1) << bits) - 1, bits));
		assert_true(bits_overflow(UINT64_C(1) << bits, bits));
		assert_true(bits_overflow((UINT64_C(1) << bits) + 1, bits));
		/* A predecessor that is newer by one tick is too far, not near. */
		assert_true(bits_overflow(UINT64_C(41) - UINT64_C(42), bits));
		assert_true(bits_overflow(TOP, bits));
	}
	assert_false(bits_overflow(0, 64));
	assert_false(bits_overflow(TOP, 64));
}

static void align_examples(void **state)
{
	assert_int_equal(bits_align(13, 4), 16);
}

static void align_edges(void **state)
{
	unsigned int shift;
	uint64_t align;

	for (shift = 0; shift < 64; shift++) {
		align = UINT64_C(1) << shift;
		assert_int_equal(bits_align(0, align), 0);
		assert_int_equal(bits_align(1, align), align);
		assert_int_equal(bits_align(align, align), align);
		if (shift && shift < 63)
			assert_int_equal(bits_align(align + 1, align), 2 * align);
		/* The largest multiple there is stays as it is. */
		assert_int_equal(bits_align(TOP << shift, align), TOP << shift);
		if (shift)
			assert_int_equal(bits_align((TOP << shift) - 1, align), TOP << shift);
	}
	assert_int_equal(bits_align(TOP, 1), TOP);
	assert_int_equal(bits_align(TOP - 7, 8), TOP - 7);
}

static void wide_products(void **state)
{
	static const uint64_t of[] = { 0,	    1,		2,
				       3,	    1000000000, 0xffffffff,
				       0x100000000, 2399987654, UINT64_C(1) << 63,
				       TOP - 1,	    TOP };
	const unsigned int count = COUNT(of);
	unsigned int i, j, k;
	uint64_t low;

	assert_int_equal(wide_high(UINT64_C(1) << 63, 6), 3);
	assert_int_equal(wide_scale(2399987654, 1000000000, 2399987654), 1000000000);
	assert_int_equal(wide_scale(TOP, 1000000000, 1), TOP);
	assert_int_equal(wide_scale(TOP, TOP, TOP), TOP);
	assert_int_equal(wide_scale(1, 1, 0), TOP);
	/* The two ways: where there is only one, against itself. */
	for (i = 0; i < count; i++) {
		for (j = 0; j < count; j++) {
			assert_int_equal(wide_product_by_halves(of[i], of[j], &low),
					 wide_high(of[i], of[j]));
			assert_int_equal(low, of[i] * of[j]);
			for (k = 0; k < count; k++)
				assert_int_equal(wide_scale_by_bits(of[i], of[j], of[k]),
						 wide_scale(of[i], of[j], of[k]));
		}
	}
}

TESTS(mask_examples, mask_edges, advance_examples, advance_edges, advance_near_2_64,
      advance_against_truth, overflow_examples, overflow_edges, align_examples, align_edges,
      wide_products)
