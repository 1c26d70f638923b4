/* SPDX-License-Identifier: MIT */
/*
 * The numbered form of the tail: {sub-buffer number : 44 | index : 20}. A writer adds its size by
 * xadd first and looks later. Past the end the overshoot stays in the index, a cmpxchg moves the
 * word to the next number, and the writer whose start still fits pads the rest.
 *
 * I4 As in core/subbuf.h: of the writers that overshot one alone finds its start still inside, and
 *    pads, and one alone moves the number on, and opens.
 */
#ifndef STAMPEDE_SCHEMES_CORE_RING_NUMBERED_H
#define STAMPEDE_SCHEMES_CORE_RING_NUMBERED_H

#include "schemes/core/subbuf.h"

static inline uint64_t ring_tail_number(uint64_t tail)
{
	return tail >> RING_INDEX_BITS;
}

static inline uint64_t ring_tail_index(uint64_t tail)
{
	return tail & RING_INDEX_MASK;
}

static inline uint8_t *ring_tail_at(const struct ring *ring, uint64_t tail)
{
	return ring_subbuf_base(ring, ring_tail_number(tail)) + ring_tail_index(tail);
}

/* Did a claim of `size` bytes at `tail` run past the end? */
static inline bool ring_overshot(const struct ring *ring, uint64_t tail, uint64_t size)
{
	return ring_tail_index(tail) + size > ring_subbuf_bytes(ring);
}

/*
 * A claim of `size` bytes at `tail` (its value before the xadd) ran past the end. Pads if the start
 * still fits, then moves the tail to the next sub-buffer unless a nested writer did. False: no
 * sub-buffer is free; this claim's part of the overshoot is taken back, so that the index cannot
 * overflow.
 */
static inline bool ring_move_on(struct ring *ring, uint64_t tail, uint64_t size)
{
	uint64_t number = ring_tail_number(tail), index = ring_tail_index(tail);
	uint64_t end = ring_subbuf_bytes(ring);
	local_uint now;
	struct ring_opening opening;

	if (index < end) {
		ring_pad(ring, number, index);
		size -= end - index;
	}
	now = shared_load("move: tail", &ring->tail);
	if (!ring_may_open(ring, number + 1, &opening)) {
		while (ring_tail_number(now) == number)
			/* Only in this number: a nested writer that moved on put all of it back. */
			if (local_cmpxchg("move: put back", &ring->tail, &now, now - size))
				return false;
		return true;
	}
	while (ring_tail_number(now) == number) {
		/* I4 */
		if (local_cmpxchg("move: next", &ring->tail, &now,
				  (number + 1) << RING_INDEX_BITS | ring_header_bytes(ring))) {
			ring_opened(ring, &opening);
			break;
		}
	}
	return true;
}

#endif
