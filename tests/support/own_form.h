/* SPDX-License-Identifier: MIT */
/*
 * For tests of rows that have a format of their own: what their writers make of ids and sizes that
 * no run has, and what their readers make of damage. Include it behind the scheme's header.
 */
#pragma once

#include "tests/support/test.h"
#include "schemes/core/ring.h"
#include "tests/support/support.h"

#define OWN_SHIFT 12
#define OWN_FIXED 12u /* payload of events whose header says nothing of it */

static inline struct cursor own_cursor(const uint8_t *bytes, size_t size, unsigned int bits)
{
	return (struct cursor){
		.at = guarded_copy(bytes, size),
		.end = guarded_copy(bytes, size) + size,
		.stamp_bits = bits,
		.fixed_bytes = OWN_FIXED,
	};
}

/* The first record of a sub-buffer: writes it, compares, and reads it whole and cut short. */
static inline void own_writes(char words[3][200], unsigned int bits)
{
	uint32_t id, len;
	static uint8_t memory[2 << OWN_SHIFT] __attribute__((aligned(4096)));
	const struct ring_config config = { .subbuf_shift = OWN_SHIFT,
					    .count_shift = 1,
					    .stamp_bits = bits,
					    .counter_bits = 64,
					    .fixed_bytes = OWN_FIXED };
	uint8_t expected[1 << OWN_SHIFT];
	size_t front = from_hex(words[1], expected, 64), size;
	struct scheme_ring s = { .last = 0 };
	struct subbuf subbufs[2] = { { .commits = 0 } };
	struct reservation rsv;
	struct event event = { .header_bytes = 0 };
	struct cursor cursor;
	const uint8_t *at;

	assert_int_equal(sscanf(words[0], "%u %u", &id, &len), 2);
	memset(memory, 0, sizeof(memory));
	memset(expected + front, 0xa5, len);
	size = front + len + from_hex(words[2], expected + front + len, 64);
	ring_init(&s.ring, &config, memory, subbufs, RING_TAIL_OFFSET, FORMAT_HEADER_BYTES);
	rsv = reserve(&s, id, len);
	assert_non_null(rsv.payload);
	assert_int_equal(rsv.size, size);
	memset(rsv.payload, 0xa5, len);
	at = rsv.payload - front;
	assert_int_equal((uintptr_t)at % (1 << OWN_SHIFT), CTF_PACKET_HEADER_BYTES);
	assert_int_equal(ring_room(&s.ring, s.ring.tail),
			 (1 << OWN_SHIFT) - CTF_PACKET_HEADER_BYTES - size);
	assert_memory_equal(at, expected, size);
	cursor = own_cursor(expected, size, bits);
	assert_int_equal(decode_next(&cursor, &event), DECODE_EVENT);
	assert_int_equal(event.id, id);
	assert_int_equal(event.time, 0);
	assert_true(event.payload_bytes >= len && event.payload_bytes < len + 4);
	assert_int_equal(event.header_bytes + event.payload_bytes, size);
	assert_int_equal(decode_next(&cursor, &event), DECODE_END);
	while (--size) {
		cursor = own_cursor(expected, size, bits);
		assert_int_equal(decode_next(&cursor, &event), DECODE_BAD);
	}
}

static inline void own_reads(char words[3][200], unsigned int bits)
{
	uint8_t bytes[256];
	unsigned int wanted;
	char end[8];
	struct cursor cursor;
	enum decode_result result;
	unsigned int events = 0;
	struct event event;

	assert_int_equal(sscanf(words[0], "%u %7s", &wanted, end), 2);
	cursor = own_cursor(bytes, from_hex(words[1], bytes, sizeof(bytes)), bits);
	while ((result = decode_next(&cursor, &event)) == DECODE_EVENT)
		events++;
	if (events != wanted || result != (strcmp(end, "end") ? DECODE_BAD : DECODE_END))
		fail_msg("'%s': %u events, then %d", words[1], events, result);
}

/*
 * The lines of table `name` of tests/data/tables.txt: "id bytes|front|behind" of what is written,
 * "events end|hex|damaged" ("bad" in place of "end") of what is read.
 */
static inline void own_table(const char *name, unsigned int bits, unsigned int cases,
			     unsigned int damaged)
{
	char line[300], words[3][200] = { "" }, *text = table_named(name);
	FILE *file = fmemopen(text, strlen(text), "r");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		words[2][0] = 0;
		if (sscanf(line, "%199[^|#]|%199[^|]|%199[^|\n]", words[0], words[1], words[2]) < 2)
			continue;
		if (strcmp(words[2], "damaged")) {
			own_writes(words, bits);
			cases--;
		} else {
			own_reads(words, bits);
			damaged--;
		}
	}
	fclose(file);
	free(text);
	assert_int_equal(cases, 0);
	assert_int_equal(damaged, 0);
}

#define OWN_MAIN(name, bits, cases, damaged) \
	static void a_form_of_its_own(void **state) \
	{ \
		own_table(name, bits, cases, damaged); \
	} \
	TESTS(a_form_of_its_own)
