// SPDX-License-Identifier: MIT
/*
 * Seeking a time by the begin stamps of sub-buffers, for every row, in its ring and in the files
 * that it is exported to: always the event that reading from the start finds, in O(log n) probes.
 * And what the note of 2006 says of the heartbeat: low bits alone cannot jump.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/readers.h"
#include "tests/support/support.h"

#include "traces/ctf_trace.h"
#include "traces/ftrace_trace.h"
#include "traces/seek.h"

#include "schemes/format/format_ctf.h"

#define EVENTS 3000

/* The first of the ring's events at or after `time`, or NULL: by reading all. */
static const struct seen *by_reading(uint64_t time)
{
	unsigned int i;

	for (i = 0; i < stand.ring.count; i++)
		if (stand.ring.list[i].time >= time)
			return &stand.ring.list[i];
	return NULL;
}

static uint64_t ring_sought[64];
static struct seek_found ring_found[64];
static unsigned int sought;
static uint64_t subbufs;

/* Times before, between, at and behind the events; the ring's own answers. */
static void seek_in_ring(uint64_t begin, uint64_t end)
{
	const struct ring *ring = buffer_ring(&stand.play.buffer);
	uint64_t random = 88172645463325252u, first, last;

	points.hook = NULL;
	stand.play.driver->flush(stand.play.buffer.scheme);
	ring_readable(ring, &first, &last);
	subbufs = last - first;
	ring_sought[0] = 0;
	ring_sought[1] = begin;
	ring_sought[2] = end;
	ring_sought[3] = end + 1000000;
	ring_sought[4] = UINT64_MAX;
	for (sought = 5; sought < 64; sought++)
		ring_sought[sought] = begin + next_random(&random) % (end - begin + 1);
	for (sought = 0; sought < 64; sought++)
		assert_true(stand.play.driver->seek(stand.play.buffer.scheme, ring_sought[sought],
						    &ring_found[sought]));
}

static void assert_found(const struct seek_found *found, uint64_t time, uint32_t shift,
			 const char *where)
{
	const struct seen *expected = by_reading(time);

	if (found->found != !!expected || (expected && found->time << shift != expected->time))
		fail_msg("%s, %s: sought %" PRIu64 ", found %" PRIu64 ", first is %" PRIu64,
			 stand.play.driver->row, where, time, found->time << shift,
			 expected ? expected->time : 0);
	if (found->probes > bits_last_set(subbufs))
		fail_msg("%s, %s: %" PRIu64 " probes of %" PRIu64 " sub-buffers",
			 stand.play.driver->row, where, found->probes, subbufs);
}

static void seek_in_ftrace(void)
{
	struct trace_fault fault = { .set = false };
	struct ftrace_format format = { 0, 0 };
	struct seek_found found;
	struct trace_file file;
	char path[PATH_MAX + 40];
	unsigned int i;

	snprintf(path, sizeof(path), "%s/cpu0.raw", stand.trace);
	assert_int_equal(ftrace_format_read(stand.trace, &format), 0);
	assert_int_equal(trace_file_open(&file, path), 0);
	for (i = 0; i < 64; i++) {
		assert_true(seek_ftrace(&file, format.subbuf_bytes, format.stamp_bits,
					ring_sought[i], &found, &fault));
		assert_found(&found, ring_sought[i], 0, "file");
	}
	trace_file_close(&file);
}

static void seek_in_ctf(void)
{
	uint32_t cut = scheme_cut_bits(stand.play.driver->desc, stand.play.check.stamp_bits);
	struct seek_index index = { .count = 0 };
	struct seek_found found;
	struct ctf_trace trace;
	uint64_t time;
	unsigned int i;

	assert_int_equal(ctf_trace_open(&trace, stand.trace), 0);
	for (i = 0; i < 64; i++) {
		time = ring_sought[i];
		/* Granules: the first that is not earlier. */
		if (time & bits_mask(cut) && time < UINT64_MAX - bits_mask(cut))
			time += bits_mask(cut);
		assert_true(seek_ctf(&trace.files[0].reader, &index, time >> cut, &found));
		assert_found(&found, ring_sought[i], cut, "file");
	}
	assert_null(index.offsets);
	seek_index_free(&index);
	ctf_trace_close(&trace);
}

static void seek_in_row(const struct driver *driver)
{
	const struct stage stage = {
		.bits = 27, .subbuf_shift = 9, .count_shift = 12, .now = START, .step = 1
	};
	unsigned int i;

	stand_open(driver);
	stand_start("seek", &stage);
	for (i = 0; i < EVENTS; i++) {
		play_pass(&stand.play, i % 97 ? i % 13 * 1000 : UINT64_C(1) << 26);
		play_event(&stand.play);
	}
	seek_in_ring(START, virtual_clock.now);
	stand_end();
	for (i = 0; i < 64; i++)
		assert_found(&ring_found[i], ring_sought[i], 0, "ring");
	if (driver->format.kind == FORMAT_FTRACE)
		seek_in_ftrace();
	else
		seek_in_ctf();
	stand_close();
}

static void every_row(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; play_rows()[i]; i++)
		if (export_possible(play_rows()[i], false))
			seek_in_row(play_rows()[i]);
}

/* ---- packets of several sizes need an index ---- */

static void other_sizes(void **state)
{
	static const unsigned int stamps[] = { 32, 40, 90 };
	struct ctf_reader *reader;
	struct seek_index index = { .count = 0 };
	const uint8_t *empty;
	struct seek_found found;
	struct ctf_trace trace;
	uint8_t *bytes;
	uint32_t size;

	(void)state;
	/* The packet, then its twin of half the size and 1 s later. */
	assert_int_equal(ctf_trace_open(&trace, "tests/data/lttng"), 0);
	reader = &trace.files[0].reader;
	empty = reader->bytes;
	size = (uint32_t)reader->size;
	bytes = malloc(size + size / 2);
	memcpy(bytes, empty, size);
	memcpy(bytes + size, empty, size / 2);
	/* In LTTng: stamps at 32, 40 and in the first event, the packet's size at 56. */
	for (unsigned int i = 0; i < 3; i++)
		put_u64(bytes + size + stamps[i],
			get_u64(empty + stamps[i]) + UINT64_C(100000000000));
	put_u64(bytes + size + 56, size / 2 * 8);
	ctf_reader_close(reader);
	assert_true(ctf_reader_open(reader, &trace.metadata, bytes, size + size / 2));
	assert_true(seek_ctf(reader, &index, UINT64_C(1100000000000), &found));
	assert_true(found.found);
	assert_int_equal(index.count, 2);
	assert_non_null(index.offsets);
	assert_int_equal(found.index, 1);
	seek_index_free(&index);
	ctf_trace_close(&trace);
	free(bytes);
}

/* ---- heartbeat: what the synthetic clock is for ---- */

#define BITS 16

/*
 * Stands on packet `number`, of `packet_bytes` each, and decodes its first event from `time` on
 * instead of the packet's begin stamp.
 */
static uint64_t first_of(struct ctf_reader *reader, uint64_t number, uint64_t time)
{
	struct trace_event batch[TRACE_BATCH];

	assert_true(ctf_packet_open(reader, number << 9));
	reader->time = time;
	assert_true(ctf_batch(reader, batch) > 0);
	return batch[0].time;
}

static void low_bits_cannot_jump(void **state)
{
	const struct driver *driver = driver_find(drivers_counting, "heartbeat");
	const struct stage stage = {
		.bits = BITS, .subbuf_shift = 9, .count_shift = 12, .now = START, .step = 1
	};
	uint64_t begin, first_begin, low, truth, jumped, time, lost = 0, packets, i;
	struct ctf_trace trace;
	struct ctf_reader *reader;
	struct check_payload payload;

	(void)state;
	stand_open(driver);
	stand_start("jump", &stage);
	for (i = 0; i < EVENTS; i++) {
		play_pass(&stand.play, 3000);
		play_event(&stand.play);
	}
	stand_end();
	assert_int_equal(ctf_trace_open(&trace, stand.trace), 0);
	reader = &trace.files[0].reader;
	packets = reader->size >> 9;
	assert_true(ctf_packet_read(reader, 0));
	first_begin = time = reader->packet.begin;
	for (i = 0; i < packets; i++) {
		assert_true(ctf_packet_read(reader, i << 9));
		begin = reader->packet.begin;
		/* The packet's first event says in its payload when it was. */
		memcpy(&payload, reader->bytes + (i << 9) + CTF_PACKET_HEADER_BYTES + 8,
		       sizeof(payload));
		truth = payload.stamp;
		/* By the synthetic 64 bits. */
		assert_int_equal(first_of(reader, i, begin), truth);
		/* By the low bits of the same stamp: whole wraps are missing, if any passed. */
		low = bits_advance(first_begin, begin & bits_mask(BITS), BITS);
		jumped = first_of(reader, i, low);
		assert_int_equal((truth - jumped) & bits_mask(BITS), 0);
		assert_int_equal(truth - jumped, (begin - first_begin) >> BITS << BITS);
		lost += jumped != truth;
		/* In sequence, low bits are enough: but every event before has to be read. */
		assert_int_equal(first_of(reader, i, time), truth);
		time = reader->time;
	}
	/* All packets but those of the first wrap. */
	assert_true(packets > 200 && lost > packets - 10);
	ctf_trace_close(&trace);
	stand_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row),
		cmocka_unit_test(other_sizes),
		cmocka_unit_test(low_bits_cannot_jump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
