// SPDX-License-Identifier: MIT
/*
 * The readers of both formats against what is no record: malformed, zero, all ones, random; and
 * against long streams written by the writers, whose times are known.
 */
#include "tests/support/test.h"

#include <inttypes.h>

#include "tests/support/decoding.h"
#include "tests/support/support.h"

/* `next` takes so many events from these bytes, then says `last`. */
static void takes(next_fn *next, const char *hex, unsigned int events, enum decode_result last)
{
	uint8_t bytes[256];
	size_t size = from_hex(hex, bytes, sizeof(bytes));
	struct cursor cursor = cursor_over(guarded_copy(bytes, size), size, 0, 27);
	unsigned int taken = 0;
	enum decode_result result;
	struct event event;

	while ((result = next(&cursor, &event)) == DECODE_EVENT)
		taken++;
	if (taken != events || result != last)
		fail_msg("'%s': %u events, then %d", hex, taken, result);
}

static next_fn *const readers[] = { ctf_compact_next, ctf_wide_next, ctf_full_next, ftrace_next };
static const char *const names[] = { "ctf_compact", "ctf_wide", "ctf_full", "ftrace" };
#define READERS 4

#define ZEROS "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
#define ONES "ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff "
#define PAYLOAD "aa aa aa aa aa aa aa aa aa aa aa aa "

static void table_is_decoded(void **state)
{
	char *all = table_named("decoded"), *line, *rest = all, name[16], last[8], hex[256];
	char full[1024], *at, *to;
	unsigned int events, i;

	while ((line = strsep(&rest, "\n")) && *line) {
		if (*line == '#')
			continue;
		hex[0] = '\0', to = full;
		assert_true(sscanf(line, "%15s %u %7s %255[^\n]", name, &events, last, hex) >= 3);
		for (at = hex; *at; at++)
			to += sprintf(to, "%s",
				      *at == 'P' ? PAYLOAD :
				      *at == 'Z' ? ZEROS :
				      *at == 'F' ? ONES :
						   (char[]){ *at, '\0' });
		*to = '\0';
		for (i = 0; i < READERS && strcmp(names[i], name) != 0; i++)
			;
		takes(readers[i], full, events, strcmp(last, "END") ? DECODE_BAD : DECODE_END);
	}
	free(all);
}

/* Reads to the end, or to what is no record; every event lies inside. Returns how many. */
static unsigned int read_through(next_fn *next, const uint8_t *bytes, size_t size,
				 unsigned int bits)
{
	struct cursor cursor = cursor_over(bytes, size, 0, bits);
	unsigned int events = 0;
	enum decode_result result;
	struct event event;
	const uint8_t *at;

	for (;; events++) {
		at = cursor.at;
		result = next(&cursor, &event);
		if (result != DECODE_EVENT)
			break;
		assert_true(event.header_bytes >= 4);
		assert_ptr_equal(event.payload, at + event.header_bytes);
		assert_true(event.payload + event.payload_bytes <= cursor.end);
		assert_ptr_equal(cursor.at, event.payload + event.payload_bytes);
		assert_int_equal(cursor.time, event.time);
	}
	assert_true(result == DECODE_BAD || cursor.at == cursor.end);
	return events;
}

/* Random bytes; half of the words get an escape or a small size, which pure chance rarely makes. */
static void a_million_random_records(void **state)
{
	static const uint8_t likely_bytes[] = { 0, 1, 3, 28, 29, 30, 31, 0xff };
	uint64_t random = 0x5eed, words[12], events[READERS] = { 0 };
	unsigned int round, i;
	const uint8_t *copy;
	size_t size;

	for (round = 0; round < 1000000; round++) {
		for (i = 0; i < 12; i++) {
			words[i] = next_random(&random);
			if (words[i] >> 63)
				words[i] = (words[i] & UINT64_C(0x0000ffff00ffff00)) |
					   likely_bytes[words[i] >> 48 & 7] |
					   (uint64_t)likely_bytes[words[i] >> 52 & 7] << 32;
		}
		size = next_random(&random) % (sizeof(words) + 1);
		copy = guarded_copy(words, size);
		for (i = 0; i < READERS; i++)
			events[i] += read_through(readers[i], copy, size, 3 + round % 30);
	}
	/* It is not all refused at the first byte. */
	for (i = 0; i < READERS; i++)
		assert_true(events[i] > 10000);
}

/* ---- streams ---- */

#define STREAM_EVENTS 4096

static uint8_t stream[STREAM_EVENTS * 48];
static uint64_t stamps[STREAM_EVENTS];

/* Gaps of all sizes, with those around 2^bits often, from just below 2^64 across it. */
static uint64_t random_gap(uint64_t *random, unsigned int bits, unsigned int most_bits)
{
	uint64_t value = next_random(random);

	switch (value >> 60 & 3) {
	case 0:
		return bits_mask(bits) - 2 + (value & 3);
	case 1:
		return value & bits_mask(bits);
	case 2:
		return value & 7;
	default:
		return (value & bits_mask(60)) >> (60 - most_bits + (value >> 32) % most_bits);
	}
}

static uint8_t *put_ctf(uint8_t *at, uint64_t before, uint64_t stamp, unsigned int bits,
			uint64_t random)
{
	static const uint32_t ids[] = { 0, 1, 27, 28, 500, 600, 65535, 2 };
	uint32_t id = ids[random % 8];
	bool far = bits_overflow(stamp - before, bits);

	if (far && random & 256) {
		ctf_stamp_event_put(at, stamp, bits);
		at += CTF_STAMP_EVENT_BYTES;
		far = false;
	}
	return ctf_compact_put(at, id, FIXED, stamp, bits, far) + FIXED;
}

static uint8_t *put_ftrace(uint8_t *at, uint64_t before, uint64_t stamp, unsigned int bits,
			   uint64_t random)
{
	uint64_t delta = stamp - before;

	if (bits_overflow(delta, bits) || random % 8 == 0) {
		if (random & 256)
			at = ftrace_put_time(at, FTRACE_TYPE_ABSOLUTE, stamp, bits);
		else
			at = ftrace_put_time(at, FTRACE_TYPE_EXTEND, delta, bits);
		delta = 0;
	}
	return ftrace_put(at, FIXED, delta) + FIXED;
}

static void stream_of(bool ctf, unsigned int bits, uint64_t random)
{
	/* The difference that the format can carry at all. */
	unsigned int most_bits = ctf ? 60 : bits + 32 < 60 ? bits + 32 : 60, i;
	uint64_t now = UINT64_MAX - (random & 0xffff), begin = now;
	uint8_t *at = stream;
	struct cursor cursor;
	struct event event;

	for (i = 0; i < STREAM_EVENTS; i++) {
		stamps[i] = now + random_gap(&random, bits, most_bits - 1);
		at = (ctf ? put_ctf : put_ftrace)(at, now, stamps[i], bits, random);
		now = stamps[i];
	}
	assert_true(at <= stream + sizeof(stream));
	cursor = cursor_over(stream, (size_t)(at - stream), begin, bits);
	for (i = 0; i < STREAM_EVENTS;) {
		assert_int_equal((ctf ? ctf_compact_next : ftrace_next)(&cursor, &event),
				 DECODE_EVENT);
		if (event.time != stamps[i])
			fail_msg("%s, T = %u, event %u: %" PRIu64 " is read as %" PRIu64,
				 ctf ? "ctf" : "ftrace", bits, i, stamps[i], event.time);
		assert_int_equal(event.payload_bytes, event.flags & EVENT_STAMP_ONLY ? 0 : FIXED);
		i += !(event.flags & EVENT_STAMP_ONLY);
	}
	assert_int_equal((ctf ? ctf_compact_next : ftrace_next)(&cursor, &event), DECODE_END);
}

static void streams_read_as_written(void **state)
{
	unsigned int bits, seed;

	for (bits = 3; bits <= 27; bits++) {
		for (seed = 1; seed <= 8; seed++) {
			stream_of(true, bits, seed * UINT64_C(0x9e3779b97f4a7c15));
			stream_of(false, bits, seed * UINT64_C(0x9e3779b97f4a7c15));
		}
	}
}

TESTS(table_is_decoded, a_million_random_records, streams_read_as_written)
