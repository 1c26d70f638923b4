// SPDX-License-Identifier: MIT
/*
 * Rows as their sources have them: what a few events look like, byte for byte as written down by
 * hand from the source's layout, and what a reader makes of them.
 */
#include "tests/support/test.h"
#include "base/rng.h"
#include "judge/driver.h"
#include "tests/support/play.h"
#include "tests/support/support.h"

#define EVENTS_MOST 8
#define BEGIN UINT64_C(0x123456789a)

static struct play play;

struct worked_event {
	uint64_t gap; /* ticks since the event before */
	const char *around; /* bytes of its record around the payload */
	uint64_t late; /* decoded so many ticks after the stamp */
	bool extended; /* it says more than the short field */
};

struct worked {
	const char *row;
	struct worked_event events[EVENTS_MOST]; /* ends where there are no bytes */
};

static const struct worked examples[] = {
	/* A difference of 0, of one byte, of two; of 64 bits with the top bit. */
	{ "varint_delta",
	  { { 0, "01 00", 0, false },
	    { 127, "01 7f", 0, false },
	    { 128, "01 80 01", 0, false },
	    { UINT64_C(1) << 35, "01 80 80 80 80 80 01", 0, false } } },
	/* Units of 128 ticks; the begin stamp is in unit 0x2468acf1, 26 ticks in. */
	{ "varint_delta_go",
	  { { 0, "01 01", 102, false },
	    { 128, "01 01", 102, false },
	    { 0, "01 01", 102 + 128, false },
	    { 1, "01 01", 102 + 255, false },
	    { 127 + 128 * 130, "01 80 01", -26, false } } },
	/* Behind the payload; 32 bits of it. */
	{ "delta_behind",
	  { { 0, "01 00", 0, false },
	    { 300, "01 ac 02", 0, false },
	    { 0xffffffff, "01 ff ff ff ff 0f", 0, false },
	    { UINT64_C(1) << 32, "01 00", -(UINT64_C(1) << 32), false } } },
	{ "dts_xts",
	  { { 0, "01 00 00 00", 0, false },
	    { 0xffff, "01 00 ff ff", 0, false },
	    { 0x10000, "f0 00 01 00 01 00 00 00", 0, true },
	    { 0xfedcba98, "f0 00 dc fe 01 00 98 ba", 0, true },
	    { UINT64_C(1) << 32, "f0 00 00 00 01 00 00 00", -(UINT64_C(1) << 32), true } } },
	{ "dts_xts_8",
	  { { 0, "01 00 00 00", 0, false },
	    { 0xff, "01 ff 00 00", 0, false },
	    { 0x100, "f0 00 01 00 01 00 00 00", 0, true },
	    { 0xfedcba98, "f0 fe ba dc 01 98 00 00", 0, true } } },
	/* The type is in the lowest nibble; from 2^31 on the whole stamp stands before it. */
	{ "fdr_delta32",
	  { { 0, "10 00 00 00 00 00 00 00", 0, false },
	    { 0x7fffffff, "10 00 00 00 ff ff ff 7f", 0, false },
	    { 0x80000000,
	      "01 00 00 00 00 00 00 00  99 78 56 34 13 00 00 00  10 00 00 00 00 00 00 00", 0,
	      true } } },
	{ "incremental_abs",
	  { { 0, "01 00", 0, false },
	    { 300, "01 ac 02", 0, false },
	    { -UINT64_C(1), "81 c5 79 56 34 12 00 00 00", 0, false },
	    { 2, "01 01", 0, false } } },
	/* The id above five bits of 31, then the stamp, whatever it is; also if it goes back. */
	{ "restartable_full",
	  { { 0, "3f 00 00 00 9a 78 56 34 12 00 00 00", 0, true },
	    { 1, "3f 00 00 00 9b 78 56 34 12 00 00 00", 0, true },
	    { UINT64_C(1) << 40, "3f 00 00 00 9b 78 56 34 12 01 00 00", 0, true },
	    { -(UINT64_C(1) << 40), "3f 00 00 00 9b 78 56 34 12 00 00 00", 0, true } } },
	/* 14 low bits of the stamp; 21 where the event before is 2^14 ticks away. */
	{ "varint_low",
	  { { 0, "01 9a 71", 0, false },
	    { 1, "01 9b 71", 0, false },
	    { 1 << 14, "01 9b f1 5a", 0, true } } },
};

/* ---- reading back ---- */

static struct reading {
	const struct worked *worked;
	const uint8_t *at; /* the record that comes next */
	uint64_t stamp;
	unsigned int seen;
} reading;

static void check_bytes(void *arg, const struct event *event)
{
	const struct worked_event *expected = &reading.worked->events[reading.seen];
	size_t front = (size_t)(event->payload - reading.at), bytes;
	uint8_t around[64], hand[64];

	if (reading.seen == EVENTS_MOST || !expected->around)
		fail_msg("%s: more events than were recorded", reading.worked->row);
	bytes = from_hex(expected->around, hand, sizeof(hand));
	reading.stamp += expected->gap;
	if (event->header_bytes != bytes)
		fail_msg("%s, event %u: %u bytes, not %zu", reading.worked->row, reading.seen,
			 event->header_bytes, bytes);
	memcpy(around, reading.at, front);
	memcpy(around + front, event->payload + event->payload_bytes, bytes - front);
	if (memcmp(around, hand, bytes)) {
		for (size_t i = 0; i < bytes; i++)
			print_message("%02x ", around[i]);
		fail_msg("%s, event %u: other bytes", reading.worked->row, reading.seen);
	}
	if (event->time - reading.stamp != expected->late)
		fail_msg("%s, event %u: %lld ticks late", reading.worked->row, reading.seen,
			 (long long)(event->time - reading.stamp));
	if (!(event->flags & EVENT_EXTENDED) == expected->extended)
		fail_msg("%s, event %u: extended, or not", reading.worked->row, reading.seen);
	reading.at += bytes + event->payload_bytes;
	reading.seen++;
}

static void bytes_and_times(void **state)
{
	const struct stage stage = {
		.bits = 64, .subbuf_shift = 12, .count_shift = 1, .now = BEGIN
	};
	const struct worked *worked;
	const struct ring *ring;
	unsigned int events;

	for (worked = examples; worked < examples + sizeof(examples) / sizeof(*examples);
	     worked++) {
		play_open(&play, driver_find(drivers_counting, worked->row), 13);
		play_start(&play, &stage);
		for (events = 0; events < EVENTS_MOST && worked->events[events].around; events++) {
			virtual_clock.now += worked->events[events].gap;
			play.driver->run(play.buffer.scheme, &play.buffer.writer, 1);
		}
		play.driver->flush(play.buffer.scheme);
		ring = buffer_ring(&play.buffer);
		reading = (struct reading){
			.worked = worked,
			.at = ring_subbuf_base(ring, ring_start_number(ring)) +
			      ring_header_bytes(ring),
			.stamp = BEGIN,
		};
		play.driver->walk(play.buffer.scheme, check_bytes, NULL);
		assert_int_equal(reading.seen, events);
		play_close(&play);
	}
}

/* Go's row promises no times; that its batches are whole is owed by all. */
static void assert_whole(void)
{
	unsigned int oracle;

	for (oracle = ORACLE_CONSERVATION; oracle < ORACLES; oracle++)
		assert_int_equal(play.check.violations[oracle], 0);
}

static void batches_of_go(void **state)
{
	struct stage stage = { .bits = 64, .subbuf_shift = 10, .count_shift = 2, .now = BEGIN };
	uint64_t random = 7;
	unsigned int i;

	play_open(&play, driver_find(drivers_counting, "varint_delta_go"), 12);
	for (stage.high_every = 0; stage.high_every < 8; stage.high_every += 3) {
		stage.extra_bytes = 120;
		play_start(&play, &stage);
		for (i = 0; i < 20000; i++) {
			virtual_clock.now += UINT64_C(1) << next_random(&random) % 40;
			play_event(&play);
			if (i % 16 == 15)
				play_drain(&play);
		}
		play_end(&play);
		assert_true(play.check.events >= 20000 && play.check.subbufs > 1250);
		assert_whole();
	}
	play_close(&play);
}

/*
 * A batch's two clocks may be any time apart, so there has to be room for the longest form: what
 * fills a batch with that is recorded, and a byte more is refused, however short its form would be.
 */
static void room_in_a_batch_of_go(void **state)
{
	struct stage stage = { .bits = 64, .subbuf_shift = 9, .count_shift = 2, .now = BEGIN };
	const uint32_t header = 1 + 10 + 2 + 2; /* id, difference, high id, size */
	uint32_t fills;

	play_open(&play, driver_find(drivers_counting, "varint_delta_go"), 11);
	for (stage.step = 0; stage.step <= 56; stage.step += 56) {
		struct stage here = stage;

		here.step = stage.step ? UINT64_C(1) << stage.step : 0;
		play_start(&play, &here);
		fills = (uint32_t)ring_max_record(buffer_ring(&play.buffer)) - header -
			play.driver->payload_bytes;
		play_event_of(&play, fills);
		assert_int_equal(buffer_ring(&play.buffer)->refused, 0);
		play_event_of(&play, fills + 1);
		assert_int_equal(buffer_ring(&play.buffer)->refused, 1);
		play_event_of(&play, fills);
		play_end(&play);
		assert_int_equal(play.check.events, 2);
		assert_whole();
	}
	play_close(&play);
}

TESTS(bytes_and_times, batches_of_go, room_in_a_batch_of_go)
