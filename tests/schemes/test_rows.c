// SPDX-License-Identifier: MIT
/*
 * Every row of the counting build on the virtual clock, without interrupts: what a row promises
 * holds over gaps of all sizes, start phases, equal stamps, slow clocks, both modes, all sizes of
 * events and a million of them; and what it does not promise breaks where it says so.
 */
#include "tests/support/test.h"

#include <inttypes.h>

#include "tests/support/play.h"
#include "tests/support/support.h"
#include "tests/support/clean.h"

#define GAPS 512
#define BYTES_SHIFT 17

static struct play play;

/* Sub-buffers of 512 bytes that are lapped, and that are not; two large ones. */
static const uint32_t geometries[][2] = { { 9, 1 }, { 9, 8 }, { 16, 1 } };
#define GEOMETRIES 3

static void keep(void)
{
	play_end(&play);
	play_assert_kept(&play, 0);
	if (play.unmet & ~(uint32_t)NEED_STRICT_CLOCK)
		fail_msg("%s: the test did not meet needs %#x", play.driver->row, play.unmet);
}

/* ---- gaps ---- */

/*
 * Gaps around each power of two and around whole wraps. In a full ring nothing may be recorded
 * between the first and the last: so all of them together stay below what the row can tell, T + 32
 * bits or fewer. Beats come in between, so rows that need them get fewer.
 */
static unsigned int make_gaps(const struct driver *driver, uint32_t bits, uint64_t *gaps)
{
	unsigned int reach = driver->desc->gap_bits ? driver->desc->gap_bits : 32;
	unsigned int count = 0, k, i, most = bits + reach - 2;
	uint64_t total = 0;

	if (most > 58)
		most = 58;
	if (needs(driver, NEED_BEAT) && !driver->desc->ages)
		most = bits + 5;
	for (k = 0; k < most; k++)
		for (i = 0; i < 3; i++)
			gaps[count++] = (UINT64_C(1) << k) + i - 1;
	for (k = 1; bits < 58 && k <= 5; k++)
		for (i = 0; i < 3; i++)
			gaps[count++] = ((uint64_t)k << bits) + i - 1;
	if (bits <= 8)
		for (i = 0; i <= 4u << bits; i += bits == 3 ? 1 : 17)
			gaps[count++] = i;
	assert_true(count <= GAPS);
	/* A word of 32 bits tells five bits more than the field: not all of them fit in there. */
	for (i = k = 0; reach < 8 && i < count; i++)
		if (total + gaps[i] < (UINT64_C(1) << (bits + reach)) / 2)
			total += gaps[k++] = gaps[i];
	return reach < 8 ? k : count;
}

/* An event after each of the gaps, from stamp to stamp where nothing special happens. */
static void play_gaps(const struct stage *stage, const uint64_t *gaps, unsigned int count)
{
	unsigned int i;
	uint64_t last;

	play_start(&play, stage);
	for (i = 0; i < count; i++) {
		last = virtual_clock.now;
		play_event(&play);
		if ((int64_t)(last + gaps[i] - virtual_clock.now) > 0)
			play_pass(&play, last + gaps[i] - virtual_clock.now);
	}
	play_event(&play);
	snprintf(play.what, sizeof(play.what), "an event after each of %u gaps", count);
	keep();
}

/* Start phases: all of a field of 3 bits, the edges of a wider one. */
static unsigned int make_phases(uint32_t bits, uint64_t *phases)
{
	unsigned int i;

	if (bits > 3) {
		phases[0] = 0;
		phases[1] = 1;
		phases[2] = bits_mask(bits < 63 ? bits : 63);
		phases[3] = phases[2] / 2;
		return 4;
	}
	for (i = 0; i < 8; i++)
		phases[i] = i;
	return 8;
}

/* From 0; so that small gaps cross 2^32, 2^63 and 2^64. */
static const uint64_t bases[] = { 0, (UINT64_C(1) << 32) - 40, (UINT64_C(1) << 63) - 300,
				  -UINT64_C(40), -UINT64_C(3000) };

static void gaps_of_row(const struct driver *driver, uint32_t bits, uint64_t step)
{
	uint64_t gaps[GAPS], phases[8];
	unsigned int count = make_gaps(driver, bits, gaps), phase, base, variant;
	unsigned int phases_count = make_phases(bits, phases);
	struct stage stage = { .bits = bits, .step = step };

	for (phase = 0; phase < phases_count; phase++) {
		for (base = 0; base < COUNT(bases); base++) {
			for (variant = 0; variant < 2 * GEOMETRIES; variant++) {
				stage.now = bases[base] + phases[phase];
				stage.subbuf_shift = geometries[variant / 2][0];
				stage.count_shift = geometries[variant / 2][1];
				stage.mode = (phase + variant) & 1 ? RING_DISCARD : RING_OVERWRITE;
				stage.extra_bytes = variant & 1 ? 99 : 0;
				stage.high_every = (base + variant) & 2 ? 3 : 0;
				play_gaps(&stage, gaps, count);
			}
		}
	}
}

static void gaps_of_rows(uint64_t step)
{
	const uint32_t *bits;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if (!step && needs(driver, NEED_STRICT_CLOCK))
			continue;
		play_open(&play, driver, BYTES_SHIFT);
		for (bits = play_bits(driver); *bits; bits++)
			gaps_of_row(driver, *bits, step);
		play_close(&play);
	}
}

static void gaps_of_all_sizes(void **state)
{
	gaps_of_rows(1);
}

/* A clock that stands still between the gaps: equal stamps. */
static void equal_stamps(void **state)
{
	gaps_of_rows(0);
}

/* ---- a clock so slow that each read costs a wrap or more ---- */

static void slow_clock(const struct driver *driver, uint32_t bits, uint64_t step)
{
	struct stage stage = { .bits = bits, .subbuf_shift = 16, .count_shift = 1, .step = step };
	bool stuck;
	int i;

	stage.now = 12345;
	stage.no_beats = true;
	play_start(&play, &stage);
	for (i = 0; i < 12; i++)
		play_event(&play);
	snprintf(play.what, sizeof(play.what), "12 events, each read takes %" PRIu64 " ticks",
		 step);
	play_end(&play);
	stuck = buffer_ring(&play.buffer)->stuck;
	if (promises(driver, PROMISE_BOUNDED))
		assert_false(stuck);
	else if (!stuck)
		fail_msg("%s: does not promise to finish, and does", driver->row);
	/* What a stuck writer leaves behind nobody called for. */
	play_assert_kept(&play, stuck ? 1u << ORACLE_COUNTS : 0);
}

static void slow_clocks(void **state)
{
	const uint32_t *bits;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		play_open(&play, driver, BYTES_SHIFT);
		for (bits = play_bits(driver); *bits && *bits < 64; bits++) {
			slow_clock(driver, *bits, UINT64_C(1) << *bits);
			slow_clock(driver, *bits, (UINT64_C(1) << *bits) + 1);
			slow_clock(driver, *bits, UINT64_C(5) << *bits);
		}
		play_close(&play);
	}
}

/* ---- clock reads ---- */

/* Reads of the clock by one event after `gap` ticks, inside a sub-buffer. */
static uint64_t reads_of_one(uint64_t gap)
{
	uint64_t before;

	virtual_clock.now += gap;
	before = points.clock_reads;
	play.driver->run(play.buffer.scheme, &play.buffer.writer, 1);
	return points.clock_reads - before;
}

static void clock_reads_are_those_declared(void **state)
{
	struct stage stage = { .subbuf_shift = 16, .count_shift = 1, .now = 7, .step = 1 };
	const uint32_t *bits;
	uint64_t reads;
	int i;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		play_open(&play, driver, BYTES_SHIFT);
		for (bits = play_bits(driver); *bits; bits++) {
			stage.bits = *bits;
			play_start(&play, &stage);
			play_event(&play);
			for (i = 0; i < 100; i++) {
				reads = reads_of_one(i & 3);
				if (reads != driver->desc->clock_reads)
					fail_msg("%s: %" PRIu64 " clock reads, not %u", driver->row,
						 reads, driver->desc->clock_reads);
			}
			if (driver->desc->extension == EXTEND_NEVER)
				continue;
			reads = reads_of_one(UINT64_C(3) << *bits) - driver->desc->clock_reads;
			if (reads != driver->desc->more_clock_reads)
				print_error("%s: %" PRIu64
					    " more clock reads of an extended event, not %u",
					    driver->row, reads, driver->desc->more_clock_reads);
		}
		play_close(&play);
	}
}

/* ---- sizes ---- */

/* The most filler that an event of this row may have in a sub-buffer of 512 bytes. */
static uint32_t largest_extra(uint32_t bits)
{
	struct stage stage = { .bits = bits, .subbuf_shift = 9, .count_shift = 1, .step = 1 };
	uint32_t extra = 100;

	for (;; extra++) {
		play_start(&play, &stage);
		play_event_of(&play, extra);
		if (buffer_ring(&play.buffer)->refused)
			return extra - 1;
	}
}

/*
 * An event that just fills a sub-buffer is recorded whatever came before it and however long ago;
 * one byte more is refused, and leaves no trace.
 */
static void largest_events(void **state)
{
	struct stage stage = { .subbuf_shift = 9, .count_shift = 4, .now = 1000, .step = 1 };
	uint32_t largest, before;
	const uint32_t *bits;
	unsigned int gap;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		play_open(&play, driver, BYTES_SHIFT);
		for (bits = play_bits(driver); *bits && *bits < 64; bits++) {
			stage.bits = *bits;
			largest = largest_extra(*bits);
			for (before = 0; before <= largest; before += 5) {
				for (gap = 0; gap < 4; gap++) {
					play_start(&play, &stage);
					play_event_of(&play, before);
					play_pass(&play, (uint64_t)(gap / 2) << *bits);
					play_event_of(&play, largest + gap % 2);
					play_event(&play);
					snprintf(play.what, sizeof(play.what),
						 "extra %u, 2^T * %u ticks, extra %u", before,
						 gap / 2, largest + gap % 2);
					keep();
					assert_int_equal(buffer_ring(&play.buffer)->lost, 0);
					if (buffer_ring(&play.buffer)->refused != gap % 2)
						fail_msg("T = %u, %s, %s: refused %" PRIu64, *bits,
							 driver->row, play.what,
							 buffer_ring(&play.buffer)->refused);
				}
			}
		}
		play_close(&play);
	}
}

/* ---- many ---- */

#define MILLION 1000000

static uint64_t some_gap(uint64_t *random, uint32_t bits)
{
	uint64_t value = next_random(random);

	switch (value >> 59 & 31) {
	case 0:
		return (UINT64_C(1) << bits) - 2 + (value & 3);
	case 1:
		return value & bits_mask(bits + 2);
	default:
		return value & 15;
	}
}

/* Laps the ring over and over; what is left is read now and then. */
static void a_million_events(void **state)
{
	struct stage stage = {
		.bits = 16,
		.subbuf_shift = 12,
		.count_shift = 2,
		.now = -UINT64_C(1000000),
		.step = 1,
		.extra_bytes = 12,
		.high_every = 0,
	};
	uint64_t random;
	uint32_t i, bits;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		bits = driver->stamp_bits < 64 ? stage.bits : 27;
		random = 0x5eed;
		play_open(&play, driver, BYTES_SHIFT);
		play_start(&play, &stage);
		for (i = 1; i <= MILLION; i++) {
			play_event(&play);
			/* Most events follow each other at once. */
			if (i % 8 == 0)
				play_pass(&play, some_gap(&random, bits));
			if (i % 10007 == 0)
				play_drain(&play);
		}
		snprintf(play.what, sizeof(play.what), "a million events");
		keep();
		assert_int_equal(play.check.events + play.check.skipped, play_written(&play));
		assert_int_equal(play.totals.written[CONTEXT_TASK], MILLION);
		assert_true(play.check.skipped > MILLION / 2);
		/* Without a beat all times are that of the start. */
		assert_true(driver->desc->ages ? play.check.worst_error > MILLION :
						 play.check.worst_error == play.check.rounds);
		play_close(&play);
	}
}

/* ---- damage ---- */

/* Ten events of which one bit is wrong: the reader comes to an end. True: some oracle objects. */
static bool flipped_bit_is_seen(uint64_t random)
{
	struct stage stage = { .bits = 16, .subbuf_shift = 10, .count_shift = 1, .now = 1000 };
	const struct ring *ring = buffer_ring(&play.buffer);
	uint64_t first, last, bit;
	int i;

	stage.step = 1;
	stage.extra_bytes = random & 32;
	play_start(&play, &stage);
	for (i = 0; i < 10; i++)
		play_event(&play);
	play.driver->flush(play.buffer.scheme);
	ring_readable(ring, &first, &last);
	assert_int_equal(last, first + 1);
	bit = (random >> 6) % (8 * (ring_content(ring, first) - ring->header_bytes));
	ring_subbuf_base(ring, first)[ring->header_bytes + bit / 8] ^= (uint8_t)(1u << bit % 8);
	play_end(&play);
	/* A record has four bytes at least. */
	assert_true(play.check.events <= 256);
	return !check_clean(&play.check);
}

/* What nobody sees is an id that could be another, and slack between entry and exit. */
static void flipped_bits(void **state)
{
	const struct driver *driver, *const *row;
	unsigned int i, seen;
	uint64_t random;

	for (row = play_rows(); (driver = *row); row++) {
		if (driver->desc->untimed)
			continue;
		play_open(&play, driver, BYTES_SHIFT);
		random = 0x5eed;
		for (i = seen = 0; i < 4000; i++)
			seen += flipped_bit_is_seen(next_random(&random));
		/* Nor what is in the padding of aligned rows. */
		if (seen < (driver->desc->alignment ? 2400u : 2800u))
			fail_msg("%s: of 4000 flipped bits %u are seen", driver->row, seen);
		play_close(&play);
	}
}

/* ---- where rows fall short, by their own word ---- */

/* Two events, and `gap` ticks behind the second four more; no beat between any of them. */
static void play_one_gap(uint32_t bits, uint64_t gap)
{
	struct stage stage = { .bits = bits, .subbuf_shift = 12, .count_shift = 1, .step = 1 };
	uint64_t last;
	int i;

	stage.now = 100;
	stage.no_beats = true;
	play_start(&play, &stage);
	play_event(&play);
	last = virtual_clock.now;
	play_event(&play);
	virtual_clock.now = last + gap;
	for (i = 0; i < 4; i++)
		play_event(&play);
	play_end(&play);
}

/* Without WRAP_PROOF a gap of k wraps is decoded k wraps short, here and in all that follows. */
static void wraps_are_lost_where_they_may_be(void **state)
{
	const uint32_t *bits;
	uint64_t k;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		play_open(&play, driver, BYTES_SHIFT);
		for (bits = play_bits(driver); *bits && *bits < 64; bits++) {
			if (driver->desc->untimed)
				continue;
			for (k = 0; k <= 4; k++) {
				play_one_gap(*bits, (k << *bits) + 1);
				if (promises(driver, PROMISE_WRAP_PROOF)) {
					assert_true(check_clean(&play.check));
					continue;
				}
				if (driver->desc->extension != EXTEND_NEVER)
					continue;
				assert_int_equal(play.check.wraps_lost, 4 * k);
				assert_int_equal(play.check.violations[ORACLE_EXACT], k ? 4 : 0);
				assert_int_equal(play.check.violations[ORACLE_WINDOW], k ? 4 : 0);
				assert_int_equal(play.check.worst_error, k << *bits);
			}
			/* The last tick before a wrap is still right, the next one is not. */
			play_one_gap(*bits, scheme_reach_ticks(driver->desc, *bits));
			assert_true(check_clean(&play.check));
		}
		play_close(&play);
	}
}

/* Without its beat a row is excused, not broken; with it the same gap does no harm. */
static void a_missing_beat_is_a_need_not_met(void **state)
{
	unsigned int rows = 0;
	const uint32_t *bits;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if (!needs(driver, NEED_BEAT) || driver->desc->ages)
			continue;
		rows++;
		play_open(&play, driver, BYTES_SHIFT);
		for (bits = play_bits(driver); *bits; bits++) {
			play_one_gap(*bits, UINT64_C(1) << *bits);
			assert_int_equal(play.unmet, NEED_BEAT);
			assert_int_equal(check_promise(&play.check, PROMISE_EXACT, 0, NEED_BEAT),
					 promises(driver, PROMISE_EXACT) ? VERDICT_NEED_NOT_MET :
									   VERDICT_NOT_PROMISED);
			assert_int_equal(check_verdict(&play.check, 0, NEED_BEAT),
					 VERDICT_NEED_NOT_MET);
			assert_int_equal(check_verdict(&play.check, 0, 0), VERDICT_BROKEN);
			play_assert_kept(&play, 0);
		}
		play_close(&play);
	}
	assert_true(rows);
}

/* A row without a stamp says nothing of time, and all of it is outside its window. */
static void untimed_rows_store_no_time(void **state)
{
	unsigned int rows = 0;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if (!driver->desc->untimed)
			continue;
		rows++;
		assert_int_equal(driver->desc->promises & (PROMISE_EXACT | PROMISE_WINDOW), 0);
		assert_int_equal(driver->desc->clock_reads, 0);
		play_open(&play, driver, BYTES_SHIFT);
		play_one_gap(27, 1000);
		assert_int_equal(play.check.violations[ORACLE_WINDOW], 6);
		play_assert_kept(&play, 0);
		play_close(&play);
	}
	assert_true(rows);
}

/* What a row says of itself is whole and does not contradict itself. */
static void descriptions_are_consistent(void **state)
{
	unsigned int rows = 0;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		const struct scheme_desc *desc = driver->desc;

		rows++;
		assert_true(desc->title && *desc->title && desc->source && *desc->source);
		assert_int_equal(desc->promises & ~(uint32_t)PROMISES, 0);
		assert_int_equal(!(desc->beats_per_wrap || desc->beat_ns),
				 !needs(driver, NEED_BEAT));
		assert_true(driver->stamp_bits >= 3 && driver->stamp_bits <= 64);
		assert_true(driver->counter_bits >= driver->stamp_bits);
		assert_true(driver->stamp_bits < 64 || promises(driver, PROMISE_WRAP_PROOF));
		assert_int_equal(driver->payload_bytes, sizeof(struct check_payload));
		assert_false(driver->timed);
		if (desc->extension == EXTEND_NEVER)
			assert_int_equal(desc->extra_per_nested, 0);
		assert_ptr_equal(driver_find(drivers_counting, driver->row), driver);
	}
	assert_true(rows >= 13);
}

TESTS(descriptions_are_consistent, gaps_of_all_sizes, equal_stamps, slow_clocks,
      clock_reads_are_those_declared, largest_events, a_million_events, flipped_bits,
      wraps_are_lost_where_they_may_be, a_missing_beat_is_a_need_not_met,
      untimed_rows_store_no_time)
