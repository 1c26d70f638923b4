// SPDX-License-Identifier: MIT
/* What is compressed is what a ring held, each payload replaced; and its sizes are those found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lz4.h>
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

	(void)state;
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
	assert_int_equal(sent->lz4_total, LZ4_compress_default((const char *)expected, (char *)room,
							       (int)used, sizeof(room)));
	assert_int_equal(sent->events, 2);
	play_close(&play);
}

/* Of 200 sizes 110 are the least, and one is the largest: no two of the figures are alike. */
static void sizes(void **state)
{
	unsigned int i;

	(void)state;
	record("varint_delta", 1, 0);
	for (i = 1; i < 1000; i++) {
		virtual_clock.now += i % 200 == 199 ? 1 << 15 : i % 200 < 110 ? 100 : 1000;
		play.driver->run(play.buffer.scheme, &play.buffer.writer, 1);
	}
	play.driver->flush(play.buffer.scheme);
	play.driver->walk(play.buffer.scheme, sent_event, sent);
	assert_int_equal(sent_end(sent), 0);
	assert_int_equal(sent->events, 1000);
	assert_true(sent->median == 10 && sent->p99 == 11 && sent->most == 12);
	play_close(&play);
}

/* By zstd's level 1, and not by another that finds more. */
static void level(void **state)
{
	static uint8_t bytes[SENT_BYTES], room[2 * SENT_BYTES];
	size_t used, i;

	(void)state;
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

	(void)state;
	record("packed_word", events, 100);
	play.driver->walk(play.buffer.scheme, sent_event, sent);
	assert_int_equal(sent_end(sent), 0);
	chunks = (events * UINT64_C(12) + SENT_BYTES - 65) / (SENT_BYTES - 64);
	assert_int_equal(sent->events, events);
	assert_int_equal(sent->raw_total, events * UINT64_C(12) + chunks * 64);
	assert_true(sent->zstd_total < sent->lz4_total && sent->lz4_total < sent->raw_total);
	play_close(&play);
}

/* Aligned rows: what lies between a record's end and the next one belongs to it. */
static void alignment(void **state)
{
	(void)state;
	record("full_tsc_aligned", 100, 100);
	play.driver->walk(play.buffer.scheme, sent_event, sent);
	assert_int_equal(sent_end(sent), 0);
	assert_true(sent->median == 24);
	assert_int_equal(sent->raw_total, 64 + 100 * 24);
	play_close(&play);
}

/* The first may have to go last, equal times stay as they came, and who moved is counted. */
static void sorting(void **state)
{
	static const uint64_t times[] = { 7, 3, 3, 9, 3, 1, 1, 8, 9, 0 };
	static const uint64_t sorted[] = { 9, 5, 6, 1, 2, 4, 0, 7, 3, 8 }; /* places */
	struct sent_time events[10];
	unsigned int i;

	(void)state;
	for (i = 0; i < 10; i++)
		events[i] = (struct sent_time){ times[i], i };
	assert_int_equal(sent_sort(events, 10), 7);
	for (i = 0; i < 10; i++)
		assert_true(events[i].place == sorted[i] && events[i].time == times[sorted[i]]);
	assert_int_equal(sent_sort(events, 10), 0);
	assert_int_equal(sent_sort(events, 0), 0);
}

/* By the section itself: as many bytes as replay counts, and only who has no order has to sort. */
static void the_section(void **state)
{
	const struct driver *rows[] = { driver_find(drivers_checked, "unordered_full"),
					driver_find(drivers_checked, "varint_low"),
					driver_find(drivers_checked, "heartbeat_compact") };
	const struct workload_bench bench = { .rows = rows, .count = 3, .seed = 7 };
	json_t *lines = json_array(), *line, *other = json_array();
	double bytes, replayed, median, p99, most;
	bool above_median = false, above_p99 = false;
	size_t i;

	(void)state;
	assert_int_equal(workload_sent.sections->measure(&bench, lines), 0);
	assert_int_equal(workload_replay.sections->measure(&bench, other), 0);
	assert_true(json_array_size(lines) >= 3 * 8);
	assert_int_equal(json_array_size(lines), json_array_size(other));
	json_array_foreach(lines, i, line) {
		bytes = json_number(line, "bytes");
		replayed = json_number(json_array_get(other, i), "bytes");
		assert_string_equal(
			json_string_value(json_object_get(line, "gaps")),
			json_string_value(json_object_get(json_array_get(other, i), "gaps")));
		/* Its events have beats beside them there; here there are headers of sub-buffers.
		 */
		if (i % 3 < 2)
			assert_true(bytes > replayed && bytes < replayed * 1.01);
		assert_true(json_number(line, "zstd_bytes") < json_number(line, "lz4_bytes"));
		assert_true(json_number(line, "lz4_bytes") < bytes);
		median = json_number(line, "bytes_median");
		p99 = json_number(line, "bytes_p99");
		most = json_number(line, "bytes_most");
		assert_true(median <= p99 && p99 <= most);
		above_median |= median < p99;
		above_p99 |= p99 < most;
		assert_true(json_number(line, "read_ns") > 0);
		assert_true((json_number(line, "moved_per_million") > 1000) == (i % 3 == 0));
		assert_true((json_number(line, "sort_ns") > 0) == (i % 3 == 0));
	}
	assert_true(above_median && above_p99);
	json_decref(lines);
	json_decref(other);
}

static int setup(void **state)
{
	(void)state;
	sent = malloc(sizeof(*sent));
	return !sent;
}

static int teardown(void **state)
{
	(void)state;
	free(sent);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_compressed),
		cmocka_unit_test(sizes),
		cmocka_unit_test(level),
		cmocka_unit_test(many),
		cmocka_unit_test(alignment),
		cmocka_unit_test(sorting),
		cmocka_unit_test(the_section),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
