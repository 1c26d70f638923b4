// SPDX-License-Identifier: MIT
/*
 * Every row of the counting build on a ring that has gone round for long: two rounds before the
 * byte half of its commit counters runs over, and with it the offset of the packed tail.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "play.h"

#define SHIFT 9
#define ROUNDS ((UINT64_C(1) << (32 - SHIFT)) - 2)

static struct play play;

/* As if ROUNDS rounds had passed, in which nothing was recorded. */
static void start_late(const struct stage *stage)
{
	struct ring *ring = buffer_ring(&play.buffer);
	uint64_t slots = UINT64_C(1) << stage->count_shift, origin = ROUNDS * slots, slot;

	play_start(&play, stage);
	for (slot = 0; slot < slots; slot++)
		play.buffer.subbufs[slot] = (struct subbuf){
			.commits = ROUNDS << SHIFT,
			.number = origin - slots + slot,
		};
	ring->consumed = origin;
	if (ring->form == RING_TAIL_NUMBERED)
		ring->tail = (origin - 1) << RING_INDEX_BITS | ring_subbuf_bytes(ring);
	else if (ring->form == RING_TAIL_PACKED)
		ring->tail = (origin << SHIFT) / RING_PACKED_UNIT & RING_PACKED_MASK;
	else
		ring->tail = origin << SHIFT;
}

/* Bytes that an event takes beside its filler. */
static uint32_t bytes_beside_filler(const struct stage *stage)
{
	uint32_t room;

	play_start(&play, stage);
	play_event_of(&play, 0);
	room = play_room(&play);
	play_event_of(&play, 0);
	return room - play_room(&play);
}

/*
 * Four rounds: `small` events in every sub-buffer, and one that takes what is left, or 4 bytes
 * less: in some formats a large record has a larger header, so one of the two fills it to the end.
 */
static void play_rounds(const struct stage *stage, unsigned int small, uint32_t beside)
{
	uint64_t slots = UINT64_C(1) << stage->count_shift, filled;
	unsigned int i;

	start_late(stage);
	for (filled = 0; filled < 4 * slots; filled++) {
		for (i = 0; i <= small; i++)
			play_event(&play);
		if (play_room(&play) > beside + 4)
			play_event_of(&play, play_room(&play) - beside - filled % 2 * 4);
		if (stage->mode == RING_DISCARD)
			play_drain(&play);
	}
	snprintf(play.what, sizeof(play.what), "a late ring, %u events and a large one, over again",
		 small + 1);
	play_end(&play);
	play_assert_kept(&play, 0);
	assert_int_equal(play.unmet, 0);
	assert_int_equal(buffer_ring(&play.buffer)->lost, 0);
	assert_int_equal(play.check.events + play.check.skipped, play.totals.committed);
	/* The counters have run over. */
	assert_true((uint32_t)play.buffer.subbufs[0].commits < 8u << SHIFT);
}

static void rings_that_went_round_for_long(void **state)
{
	const struct driver *driver, *const *row;
	struct stage stage = { .subbuf_shift = SHIFT, .now = 5000, .step = 1 };
	unsigned int small, variant;
	const uint32_t *bits;
	uint32_t beside;

	(void)state;
	for (row = drivers_counting; (driver = *row); row++) {
		play_open(&play, driver, 12);
		for (bits = play_bits(driver); *bits; bits++) {
			stage.bits = *bits;
			beside = bytes_beside_filler(&stage);
			for (small = 0; small < 10; small++) {
				for (variant = 0; variant < 4; variant++) {
					stage.mode = variant & 1 ? RING_DISCARD : RING_OVERWRITE;
					stage.count_shift = variant & 2 ? 2 : 1;
					play_rounds(&stage, small, beside);
				}
			}
		}
		play_close(&play);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_that_went_round_for_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
