// SPDX-License-Identifier: MIT
/* What is compressed is what a ring held, each payload replaced. */
#include "tests/support/test.h"

#include <zstd.h>

#include "base/json.h"
#include "schemes/core/bytes.h"
#include "tests/support/play.h"
#include "workloads/sent.h"
#include "workloads/workload.h"

static struct play play;
static struct sent *sent;

/* `events` of a row, each `gap` ticks behind the one before. */
static void record(const char *row, unsigned int events, uint64_t gap)
{
	const struct stage stage = {
		.bits = 64, .subbuf_shift = 14, .count_shift = 6, .now = 1 << 20
	};

	play_open(&play, driver_find(drivers_counting, row), 20);
	play_start(&play, &stage);
	for (; events; events--) {
		virtual_clock.now += gap;
		play.driver->run(play.buffer.scheme, &play.buffer.writer, 1);
	}
	play.driver->flush(play.buffer.scheme);
	sent_begin(sent, buffer_ring(&play.buffer), play.driver->payload_bytes);
}

/* Two events, the second with a whole stamp: as CTF has them, with numbers for payloads. */
static void what_is_compressed(void **state)
{
	uint8_t expected[256], room[1024];
	size_t used = 0;

	record("extended_header", 1, 0);
	virtual_clock.now += UINT64_C(1) << 30;
	play.driver->run(play.buffer.scheme, &play.buffer.writer, 1);
	play.driver->flush(play.buffer.scheme);
	play.driver->walk(play.buffer.scheme, sent_event, sent);

	memcpy(expected, ring_subbuf_base(buffer_ring(&play.buffer), 0), 64);
	put_u32(expected + 64, 1u | 1u << 20 << 5);
	put_u64(expected + 68, 0);
	/* The flush in between: the second is in a sub-buffer of its own, and needs no whole stamp.
	 */
	put_u32(expected + 76, 1u | 1u << 20 << 5);
	put_u64(expected + 80, 1);
	used = 88;
	assert_int_equal(sent->used, used);
	assert_memory_equal(sent->bytes, expected, used);
	assert_int_equal(sent_end(sent), 0);
	assert_int_equal(sent->raw_total, used);
	assert_int_equal(sent->zstd_total, ZSTD_compress(room, sizeof(room), expected, used, 1));
	assert_int_equal(sent->events, 2);
	play_close(&play);
}

/* By zstd's level 1, and not by another that finds more. */
static void level(void **state)
{
	static uint8_t bytes[SENT_BYTES], room[2 * SENT_BYTES];
	size_t used, i;

	record("varint_low", 1, 0);
	for (i = 0; i < 3000; i++) {
		virtual_clock.now += 100 + i * i % 97;
		play.driver->run(play.buffer.scheme, &play.buffer.writer, 1);
	}
	play.driver->flush(play.buffer.scheme);
	play.driver->walk(play.buffer.scheme, sent_event, sent);
	used = sent->used;
	memcpy(bytes, sent->bytes, used);
	assert_int_equal(sent_end(sent), 0);
	assert_int_equal(sent->raw_total, used);
	assert_int_equal(sent->zstd_total, ZSTD_compress(room, sizeof(room), bytes, used, 1));
	assert_int_not_equal(sent->zstd_total, ZSTD_compress(room, sizeof(room), bytes, used, 3));
	play_close(&play);
}

/* Whatever the sub-buffers, all of 64 KiB but the last are full, and nothing is there twice. */
static void many(void **state)
{
	const unsigned int events = 20000;
	uint64_t chunks;

	record("packed_word", events, 100);
	play.driver->walk(play.buffer.scheme, sent_event, sent);
	assert_int_equal(sent_end(sent), 0);
	chunks = (events * UINT64_C(12) + SENT_BYTES - 65) / (SENT_BYTES - 64);
	assert_int_equal(sent->events, events);
	assert_int_equal(sent->raw_total, events * UINT64_C(12) + chunks * 64);
	assert_true(sent->zstd_total < sent->raw_total);
	play_close(&play);
}

/* Aligned rows: what lies between a record's end and the next one belongs to it. */
static void alignment(void **state)
{
	record("full_tsc_aligned", 100, 100);
	play.driver->walk(play.buffer.scheme, sent_event, sent);
	assert_int_equal(sent_end(sent), 0);
	assert_int_equal(sent->raw_total, 64 + 100 * 24);
	play_close(&play);
}

/* By the section itself: fewer bytes than replay counts, and none in a quick run. */
static void the_section(void **state)
{
	const struct driver *rows[] = { driver_find(drivers_checked, "varint_low") };
	struct workload_bench bench = { .rows = rows, .count = 1, .size = SIZE_STANDARD };
	json_t *lines = json_array(), *line;
	size_t i;

	assert_int_equal(workload_replay.sections->measure(&bench, lines), 0);
	assert_true(json_array_size(lines) >= 8);
	json_array_foreach(lines, i, line) {
		assert_true(json_number(line, "zstd_bytes") > 0);
		assert_true(json_number(line, "zstd_bytes") < json_number(line, "bytes"));
	}
	json_array_clear(lines);
	bench.size = SIZE_QUICK;
	assert_int_equal(workload_replay.sections->measure(&bench, lines), 0);
	assert_null(json_object_get(json_array_get(lines, 0), "zstd_bytes"));
	json_decref(lines);
}

static int setup(void **state)
{
	sent = malloc(sizeof(*sent));
	return !sent;
}

static int teardown(void **state)
{
	free(sent);
	return 0;
}

TESTS_OF(setup, teardown, NULL, NULL, what_is_compressed, level, many, alignment, the_section)
