// SPDX-License-Identifier: MIT
/* judge/loss: the size of an event and the room that is left decide why it may be lost. */
#include "tests/support/test.h"
#include "tests/support/check_ring.h"

static uint64_t room_of(const struct ring *ring)
{
	if (ring_tail_is_numbered(ring))
		return ring_subbuf_bytes(ring) - ring_tail_index(ring->tail);
	if (ring_tail_is_packed(ring))
		return ring_room(ring, ring_packed_offset(ring, ring->tail));
	return ring_room(ring, ring->tail);
}

/* Of each size of an event: is it lost for its size, for want of room, or for no reason? */
static void the_size_decides(const struct ring *ring, struct loss_look before, enum loss no_room)
{
	uint64_t most = ring_subbuf_bytes(ring) - ring->header_bytes, room = room_of(ring);
	uint32_t bytes;

	for (bytes = 0; bytes < most + 2; bytes++)
		assert_int_equal(loss_reason(ring, before, bytes, LOSS_ALONE, 0),
				 bytes + 4 > most  ? LOSS_LARGE :
				 bytes + 32 > most ? LOSS_LARGEST :
				 bytes + 32 > room ? no_room :
						     LOSS_UNEXPLAINED);
}

static void the_room_that_is_left_decides(void **state)
{
	struct loss_look before;
	bool open;
	struct ring *ring;
	unsigned int i;

	for (i = 0; i < forms_here(); i++) {
		ring = start_mode(forms[i], RING_DISCARD);
		do
			run(1);
		while (ring_end(ring, &open) - ring->consumed < 2 ||
		       room_of(ring) > ring_subbuf_bytes(ring) / 2);
		before = loss_look(ring);
		assert_true(loss_ring_full(ring));
		the_size_decides(ring, before, LOSS_FULL);
		/* The first is read meanwhile, and then before: its slot is what comes next. */
		ring_consume(ring, ring->consumed + 1);
		assert_false(loss_ring_full(ring));
		assert_int_equal(loss_reason(ring, before, 400, LOSS_ALONE, 0), LOSS_FULL);
		the_size_decides(ring, loss_look(ring), LOSS_UNEXPLAINED);
	}
	/* One that is filled to the last byte: the next is not opened yet, and not full. */
	ring = start_mode("full_tsc", RING_DISCARD);
	ring->tail = ring_subbuf_bytes(ring);
	assert_int_equal(loss_reason(ring, loss_look(ring), 40, LOSS_ALONE, 0), LOSS_UNEXPLAINED);
	assert_string_equal(loss_name(LOSS_STUCK), "stuck");
	assert_string_equal(loss_name(LOSS_UNEXPLAINED), "unexplained");
}

TESTS(the_room_that_is_left_decides)
