// SPDX-License-Identifier: MIT
/*
 * Every row of the counting build on a ring that has gone round for long: two rounds before the
 * byte half of its commit counters runs over, and with it the offset of the packed tail.
 */
#include "tests/support/test.h"

#include <inttypes.h>

#include "tests/support/play.h"

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
	if (ring_tail_is_numbered(ring))
		ring->tail = (origin - 1) << RING_INDEX_BITS | ring_subbuf_bytes(ring);
	else if (ring_tail_is_packed(ring))
		ring->tail =
			(origin << SHIFT) >> ring_packed_unit_shift(ring) & ring_packed_mask(ring);
	else
		ring->tail = origin << SHIFT;
}

/* Bytes of the row's records: a plain one, and what one of another size takes beside its filler. */
struct bytes {
	uint32_t plain;
	uint32_t beside;
};

static struct bytes measure(const struct stage *stage)
{
	struct bytes bytes;
	uint32_t room;

	play_start(&play, stage);
	play_event_of(&play, 0);
	room = play_room(&play);
	play_event_of(&play, 0);
	bytes.beside = room - play_room(&play);
	room = play_room(&play);
	play.driver->run(play.buffer.scheme, &play.buffer.writer, 1);
	bytes.plain = room - play_room(&play);
	return bytes;
}

/*
 * Four rounds: in every sub-buffer an event so large that `plain` ones behind it fill the rest, or
 * leave 4 bytes. (A large record may have a larger header: one of the two fills it to the end.)
 */
static void play_rounds(const struct stage *stage, unsigned int plain, struct bytes bytes)
{
	uint64_t slots = UINT64_C(1) << stage->count_shift, filled;
	uint32_t room = (uint32_t)ring_max_record(buffer_ring(&play.buffer));
	unsigned int i;

	start_late(stage);
	for (filled = 0; filled < 4 * slots; filled++) {
		play_event_of(&play, room - bytes.beside - plain * bytes.plain -
					     (filled + stage->mode) % 2 * 4);
		for (i = 0; i < plain; i++)
			play_event(&play);
		if (stage->mode == RING_DISCARD)
			play_drain(&play);
	}
	snprintf(play.what, sizeof(play.what),
		 "a late ring, a large event and %u behind it, over again", plain);
	play_end(&play);
	play_assert_kept(&play, 0);
	assert_int_equal(play.unmet, 0);
	assert_int_equal(buffer_ring(&play.buffer)->lost, 0);
	assert_int_equal(play.check.events + play.check.skipped, play_written(&play));
	/* The counters have run over. */
	if (ring_has_commits(buffer_ring(&play.buffer)))
		assert_true((uint32_t)play.buffer.subbufs[0].commits < 8u << SHIFT);
}

static void rings_that_went_round_for_long(void **state)
{
	const struct driver *driver, *const *row;
	struct stage stage = { .subbuf_shift = SHIFT, .now = 5000, .step = 1 };
	unsigned int plain, variant;
	const uint32_t *bits;
	struct bytes bytes;

	for (row = play_rows(); (driver = *row); row++) {
		play_open(&play, driver, 12);
		for (bits = play_bits(driver); *bits; bits++) {
			stage.bits = *bits;
			bytes = measure(&stage);
			for (plain = 0; plain < 8; plain++) {
				for (variant = 0; variant < 4; variant++) {
					stage.mode = variant & 1 ? RING_DISCARD : RING_OVERWRITE;
					stage.count_shift = variant & 2 ? 2 : 1;
					play_rounds(&stage, plain, bytes);
				}
			}
		}
		play_close(&play);
	}
}

TESTS(rings_that_went_round_for_long)
