// SPDX-License-Identifier: MIT
/* Byte strings that are kept once (table.h), and long ones in pieces (interned.h). */
#include "tests/support/test.h"
#include "explore/engine/interned.h"

#define STRINGS 20000
#define LONGEST 1900

/* The n-th string: long ones differ in one byte, short ones in their length too. */
static size_t make(uint32_t n, uint8_t *to)
{
	size_t bytes = LONGEST - n % 3 * 128 - n % 5;

	memset(to, 0x5a, bytes);
	memcpy(to + n % 1500, &n, sizeof(n));
	return bytes;
}

static void numbers_are_by_content(void **state)
{
	static const uint32_t likes[] = { PIECES_NONE, 0, 1 };
	uint8_t bytes[LONGEST + PIECE_BYTES];
	struct interned pieces = { .piece = { .count = 0 } };
	uint32_t n, like;
	const uint8_t *again;
	size_t count, got;

	for (n = 0; n < STRINGS; n++) {
		count = make(n, bytes);
		assert_int_equal(interned_number(&pieces, bytes, count, n ? n - 1 : PIECES_NONE),
				 n);
	}
	for (n = 0; n < STRINGS; n++) {
		count = make(n, bytes);
		for (like = 0; like < COUNT(likes); like++)
			assert_int_equal(interned_number(&pieces, bytes, count, likes[like]), n);
		assert_int_equal(interned_number(&pieces, bytes, count, n), n);
		again = interned_get(&pieces, n, &got);
		assert_int_equal(got, count);
		assert_memory_equal(again, bytes, count);
		assert_memory_equal(interned_first(&pieces, n), bytes, PIECE_BYTES);
	}
	assert_int_equal(pieces.string.count, STRINGS);
	/* What all have in common is there once. */
	assert_true(interned_memory(&pieces) < (uint64_t)STRINGS * LONGEST / 3);
	interned_end(&pieces);
}

/* What lies behind a string is no part of it, in the last piece either. */
static void ends_count(void **state)
{
	uint8_t bytes[2 * PIECE_BYTES];
	struct interned pieces = { .piece = { .count = 0 } };
	uint32_t shorter, longer;

	memset(bytes, 0, sizeof(bytes));
	shorter = interned_number(&pieces, bytes, 65, PIECES_NONE);
	longer = interned_number(&pieces, bytes, 66, shorter);
	assert_int_not_equal(shorter, longer);
	memset(bytes, 0xff, sizeof(bytes));
	memset(bytes, 0, 65);
	assert_int_equal(interned_number(&pieces, bytes, 65, longer), shorter);
	interned_end(&pieces);
}

static void cleared_and_filled_again(void **state)
{
	struct table table = { .count = 0 };
	static const uint32_t counts[] = { 3, 5000, 2, 100, 5000, 0, 1 };
	uint32_t round, i, count;
	char text[32];
	int length;

	/* In the end often enough to fill the table, if anything stayed in it. */
	for (round = 0; round < 20000; round++) {
		count = round < COUNT(counts) ? counts[round] : 2;
		for (i = 0; i < count; i++) {
			length = snprintf(text, sizeof(text), "%u of round %u", i, round);
			assert_int_equal(table_number(&table, text, (size_t)length), i);
			assert_int_equal(table_number(&table, text, (size_t)length), i);
		}
		for (i = 0; i < count; i++) {
			length = snprintf(text, sizeof(text), "%u of round %u", i, round);
			assert_memory_equal(table_get(&table, i, NULL), text, (size_t)length);
		}
		table_clear(&table);
		/* Nothing is left of it. */
		assert_int_equal(table_number(&table, "0 of round 0", 12), 0);
		table_clear(&table);
	}
	table_free(&table);
}

TESTS(numbers_are_by_content, ends_count, cleared_and_filled_again)
