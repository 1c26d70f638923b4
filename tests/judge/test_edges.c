// SPDX-License-Identifier: MIT
/*
 * The judge at its edges: one byte more or less, one sub-buffer, one tick. Rings are made by hand,
 * so that what is to be said of them follows from their words alone.
 */
#include "tests/support/test.h"

#include <errno.h>
#include <sys/mman.h>

#include "tests/support/check_ring.h"
#include "tests/support/scratch.h"

/* ---- why an event was lost ---- */

static struct subbuf slots[4];

/* Four sub-buffers of 512 bytes, headers of 24, before which `bytes` were given out. */
static struct ring made(enum ring_tail form, uint64_t bytes)
{
	uint64_t number = bytes >> 9, slot;

	for (slot = 0; slot < 4; slot++)
		slots[slot] = (struct subbuf){ .number = number ? number - 1 : 0, .commits = 1 };
	return (struct ring){
		.tail = form == RING_TAIL_NUMBERED ? number << RING_INDEX_BITS | (bytes & 511) :
						     bytes,
		.form = form,
		.mode = RING_OVERWRITE,
		.header_bytes = 24,
		.subbuf_shift = 9,
		.count_shift = 2,
		.subbufs = slots,
		.packed_bits = 27, /* of single bytes */
	};
}

/* Room for a record is its payload and 32 bytes around it, to the byte. */
static void room_is_told_to_the_byte(void **state)
{
	static const struct {
		uint64_t bytes; /* given out */
		uint32_t payload;
		bool room;
	} cases[] = {
		{ 5 * 512 + 448, 32, true }, { 5 * 512 + 448, 33, false },
		{ 5 * 512 + 447, 33, true }, { 5 * 512 + 480, 32, false },
		{ 5 * 512 + 24, 456, true }, { 5 * 512 + 511, 0, false },
	};
	static const enum ring_tail tails[] = { RING_TAIL_NUMBERED, RING_TAIL_OFFSET,
						RING_TAIL_PACKED };
	unsigned int i;

	for (i = 0; i < COUNT(cases) * COUNT(tails); i++) {
		struct ring ring = made(tails[i % 3], cases[i / 3].bytes);
		enum loss loss = loss_reason(&ring, loss_look(&ring), cases[i / 3].payload,
					     LOSS_NESTED, false);

		/* What comes next is held, but that is no reason where there is room. */
		if (loss != (cases[i / 3].room ? LOSS_UNEXPLAINED : LOSS_HELD))
			fail_msg("case %u, form %u: %s", i / 3, i % 3, loss_name(loss));
	}
}

/* A ring is full when what comes next would be the one that is read next, four rounds back. */
static void full_is_told_to_the_sub_buffer(void **state)
{
	static const struct {
		uint64_t bytes, next;
	} cases[] = { { 6 * 512, 6 }, { 5 * 512 + 1, 6 }, { 6 * 512 + 1, 7 }, { 6 * 512 - 1, 6 } };
	unsigned int i;

	for (i = 0; i < 2 * COUNT(cases); i++) {
		bool full = i % 2;
		struct ring ring = made(RING_TAIL_OFFSET, cases[i / 2].bytes);
		struct loss_look before;

		ring.mode = RING_DISCARD;
		ring.consumed = cases[i / 2].next - 3 - full;
		before = loss_look(&ring);
		/* A reader came since, so that room is no argument. */
		assert_int_equal(loss_ring_full(&ring), full);
		before.consumed = ring.consumed++;
		assert_int_equal(loss_reason(&ring, before, 32, LOSS_ALONE, false),
				 full ? LOSS_FULL : LOSS_UNEXPLAINED);
	}
}

/* What no sub-buffer can hold (488 bytes of records), and what perhaps none can. */
static void too_large_is_told_to_the_byte(void **state)
{
	static const struct {
		uint32_t payload;
		enum loss loss;
	} cases[] = { { 488 - 32, LOSS_UNEXPLAINED },
		      { 488 - 31, LOSS_LARGEST },
		      { 488 - 4, LOSS_LARGEST },
		      { 488 - 3, LOSS_LARGE } };
	struct ring ring = made(RING_TAIL_OFFSET, 24);
	unsigned int i;

	for (i = 0; i < COUNT(cases); i++)
		assert_int_equal(
			loss_reason(&ring, loss_look(&ring), cases[i].payload, LOSS_ALONE, false),
			cases[i].loss);
}

static void every_reason_has_its_name(void **state)
{
	static const char *const names[LOSSES] = {
		[LOSS_FULL] = "full",
		[LOSS_HELD] = "held",
		[LOSS_LARGE] = "large",
		[LOSS_LARGEST] = "largest",
		[LOSS_STUCK] = "stuck",
		[LOSS_BUSY] = "busy",
		[LOSS_UNEXPLAINED] = "unexplained",
	};
	unsigned int loss;

	for (loss = 0; loss < LOSSES; loss++)
		assert_string_equal(loss_name((enum loss)loss), names[loss]);
}

/* ---- a ring's memory ---- */

/* What cannot be had is said, and leaves a buffer that can be closed. */
static void a_ring_too_large_for_memory(void **state)
{
	const struct driver *driver = driver_find(drivers_counting, "full_tsc");
	struct ring_config config = buffer_config(driver, 46, 2);
	struct buffer large;

	assert_fails(buffer_open(&large, driver, &config), -ENOMEM,
		     "no memory for a ring of 281474976710656 bytes: Cannot allocate memory");
	assert_null(large.base);
	assert_null(large.driver);
	buffer_close(&large);
}

/* The largest ring that the bits of a packed offset can tell apart is one, and twice that is none.
 */
static void a_ring_too_large_for_its_offset(void **state)
{
	const struct driver *driver = driver_find(drivers_counting, "packed_word");
	struct ring_config config = buffer_config(driver, 20, 9);
	char words[128];
	uint64_t most;
	struct buffer large;

	config.count_shift = 1;
	assert_int_equal(buffer_open(&large, driver, &config), 0);
	buffer_ring(&large)->count_shift = 1;
	most = ring_packed_most(buffer_ring(&large));
	buffer_close(&large);
	assert_int_equal(most, UINT64_C(1) << 28);
	config.subbuf_shift = 18;
	config.count_shift = 11;
	/* 512 MiB that are touched: without them there is nothing to be seen. */
	snprintf(words, sizeof(words),
		 "packed_word: offsets of 27 bits allow a ring of %" PRIu64
		 " bytes, not of %" PRIu64,
		 most, 2 * most);
	assert_fails(buffer_open(&large, driver, &config), -EINVAL, words);
	config.count_shift = 10;
	assert_int_equal(buffer_reset(&large, &config), 0);
	buffer_close(&large);
}

/* 4096 sub-buffers have an index; more are refused, and less memory than asked for, too. */
static void geometries_that_fit_and_one_that_does_not(void **state)
{
	const struct driver *driver = driver_find(drivers_counting, "full_tsc");
	struct ring_config config = buffer_config(driver, 12, 8);
	struct buffer ring;

	assert_int_equal(buffer_open(&ring, driver, &config), 0);
	assert_int_equal((uintptr_t)ring.scheme % 64, 0);
	assert_int_equal((uintptr_t)ring.subbufs % 64, 0);
	config.subbuf_shift = 8;
	config.count_shift = 12;
	assert_int_equal(buffer_reset(&ring, &config), 0);
	assert_int_equal(ring.subbufs[4095].commits, 0);
	config.subbuf_shift = 7;
	config.count_shift = 13;
	assert_int_equal(buffer_reset(&ring, &config), -EINVAL);
	buffer_close(&ring);
	assert_null(ring.base);
	assert_null(ring.driver);
	/* More than the index of 4096 that every buffer has. */
	config = buffer_config(driver, 7, 14);
	assert_int_equal(buffer_open(&ring, driver, &config), -EINVAL);
	buffer_close(&ring);
}

/* Events are as large as their row's and what is put behind; a ring of CPU 3 says so. */
static void a_ring_says_what_it_was_asked_for(void **state)
{
	const struct driver *driver = driver_find(drivers_counting, "full_tsc");
	struct ring_config config = buffer_config(driver, 9, 2);
	struct buffer ring;
	void *base;

	config.cpu = 3;
	assert_int_equal(buffer_open(&ring, driver, &config), 0);
	assert_int_equal(buffer_ring(&ring)->fixed_bytes, driver->payload_bytes);
	ring.writer.extra_bytes = 8;
	assert_int_equal(buffer_reset(&ring, &config), 0);
	assert_int_equal(buffer_ring(&ring)->fixed_bytes, driver->payload_bytes + 8);
	buffer_check(&ring, &check);
	assert_int_equal(check.cpu, 3);
	assert_int_equal(check.payload_most, driver->payload_bytes + 8);
	base = ring.base;
	assert_int_equal(msync(base, 1, MS_ASYNC), 0);
	buffer_close(&ring); /* gives its memory back */
	assert_int_equal(msync(base, 1, MS_ASYNC), -1);
}

static struct buffer drained;
static struct driver spy;
static unsigned int comes; /* the context of a writer that comes while the flush works */
static uint64_t tapped[2];

static void spy_flush(void *scheme)
{
	drained.writer.entered[comes]++;
	driver_find(drivers_counting, spy.row)->flush(scheme);
}

static uint64_t spy_drain(void *scheme, struct check *its, bool consume)
{
	assert_int_equal(buffer_ring(&drained)->mode, RING_DISCARD);
	assert_false(consume);
	return driver_find(drivers_counting, spy.row)->drain(scheme, its, consume);
}

static void tap(void *arg, const struct buffer *from, uint64_t first, uint64_t last)
{
	assert_ptr_equal(arg, &comes);
	assert_ptr_equal(from, &drained);
	tapped[0] = first;
	tapped[1] = last;
}

/* Whoever comes behind the flush, and what of an overwritten ring is left to read. */
static void a_drain(void **state)
{
	struct ring_config config;
	unsigned int i;

	spy = *driver_find(drivers_counting, "full_tsc");
	spy.flush = spy_flush;
	spy.drain = spy_drain;
	config = buffer_config(&spy, 9, 2);
	assert_int_equal(buffer_open(&drained, &spy, &config), 0);
	drained.tap = tap;
	drained.tap_arg = &comes;
	for (comes = CONTEXT_TASK; comes < CONTEXTS; comes++) {
		assert_int_equal(buffer_reset(&drained, &config), 0);
		buffer_check(&drained, &check);
		for (i = 0; i < 100; i++)
			spy.run(drained.scheme, &drained.writer, 1);
		buffer_drain(&drained, &check);
		assert_int_equal(check.closed_by_flush, comes != CONTEXT_TASK);
		assert_int_equal(buffer_ring(&drained)->mode, RING_OVERWRITE);
		/* All that the ring has: the last is the one that the flush closed. */
		assert_true(tapped[0] > 4 && tapped[1] - tapped[0] == 4);
		assert_int_equal(check.subbufs, 4);
		assert_int_equal(buffer_ring(&drained)->consumed, tapped[1]);
	}
	buffer_close(&drained);
}

TESTS(room_is_told_to_the_byte, full_is_told_to_the_sub_buffer, too_large_is_told_to_the_byte,
      every_reason_has_its_name, a_ring_too_large_for_memory, a_ring_too_large_for_its_offset,
      geometries_that_fit_and_one_that_does_not, a_ring_says_what_it_was_asked_for, a_drain)
