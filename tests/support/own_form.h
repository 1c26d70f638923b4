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

/* The first record of a sub-buffer, whose stamp is that of the packet. */
struct own_case {
	uint32_t id;
	uint32_t len;
	const char *front; /* before the payload */
	const char *behind; /* behind it, padding too */
};

struct own_damage {
	const char *hex;
	unsigned int events; /* that are read from it; then there is none, or the end */
	bool ends;
};

static inline struct cursor own_cursor(const uint8_t *bytes, size_t size, unsigned int bits)
{
	return (struct cursor){
		.at = guarded_copy(bytes, size),
		.end = guarded_copy(bytes, size) + size,
		.stamp_bits = bits,
		.fixed_bytes = OWN_FIXED,
	};
}

/* Writes it, compares, and reads it whole and cut short. */
static inline void own_writes(const struct own_case *one, unsigned int bits)
{
	static uint8_t memory[2 << OWN_SHIFT] __attribute__((aligned(4096)));
	const struct ring_config config = { .subbuf_shift = OWN_SHIFT,
					    .count_shift = 1,
					    .stamp_bits = bits,
					    .counter_bits = 64,
					    .fixed_bytes = OWN_FIXED };
	uint8_t expected[1 << OWN_SHIFT];
	size_t front = from_hex(one->front, expected, 64), size;
	struct scheme_ring s = { .last = 0 };
	struct subbuf subbufs[2] = { { .commits = 0 } };
	struct reservation rsv;
	struct event event = { .header_bytes = 0 };
	struct cursor cursor;
	const uint8_t *at;

	memset(memory, 0, sizeof(memory));
	memset(expected + front, 0xa5, one->len);
	size = front + one->len + from_hex(one->behind, expected + front + one->len, 64);
	ring_init(&s.ring, &config, memory, subbufs, RING_TAIL_OFFSET, FORMAT_HEADER_BYTES);
	rsv = reserve(&s, one->id, one->len);
	assert_non_null(rsv.payload);
	assert_int_equal(rsv.size, size);
	memset(rsv.payload, 0xa5, one->len);
	at = rsv.payload - front;
	assert_int_equal((uintptr_t)at % (1 << OWN_SHIFT), CTF_PACKET_HEADER_BYTES);
	assert_int_equal(ring_room(&s.ring, s.ring.tail),
			 (1 << OWN_SHIFT) - CTF_PACKET_HEADER_BYTES - size);
	assert_memory_equal(at, expected, size);
	cursor = own_cursor(expected, size, bits);
	assert_int_equal(decode_next(&cursor, &event), DECODE_EVENT);
	assert_int_equal(event.id, one->id);
	assert_int_equal(event.time, 0);
	assert_true(event.payload_bytes >= one->len && event.payload_bytes < one->len + 4);
	assert_int_equal(event.header_bytes + event.payload_bytes, size);
	assert_int_equal(decode_next(&cursor, &event), DECODE_END);
	while (--size) {
		cursor = own_cursor(expected, size, bits);
		assert_int_equal(decode_next(&cursor, &event), DECODE_BAD);
	}
}

static inline void own_reads(const struct own_damage *one, unsigned int bits)
{
	uint8_t bytes[256];
	struct cursor cursor;
	enum decode_result result;
	unsigned int events = 0;
	struct event event;

	cursor = own_cursor(bytes, from_hex(one->hex, bytes, sizeof(bytes)), bits);
	while ((result = decode_next(&cursor, &event)) == DECODE_EVENT)
		events++;
	if (events != one->events || result != (one->ends ? DECODE_END : DECODE_BAD))
		fail_msg("'%s': %u events, then %d", one->hex, events, result);
}

/* A test program of a row's `cases` and of `damaged` ones. */
#define OWN_MAIN(bits) \
	static void writes(void **state) \
	{ \
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) \
			own_writes(&cases[i], bits); \
	} \
	static void damage(void **state) \
	{ \
		for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) \
			own_reads(&damaged[i], bits); \
	} \
	TESTS(writes, damage)

#define OWN_PAYLOAD "a5 a5 a5 a5 a5 a5 a5 a5 a5 a5 a5 a5 "
