/* SPDX-License-Identifier: MIT */
/*
 * What a reader on another CPU does with a ring that overwrites: it copies a sub-buffer into a
 * spare ring of the same geometry, and then looks whether a writer may have begun to overwrite it.
 * On x86-64 a writer's plain stores keep the order that this needs; elsewhere nothing does.
 */
#ifndef STAMPEDE_SCHEMES_CORE_HANDOVER_H
#define STAMPEDE_SCHEMES_CORE_HANDOVER_H

#include <string.h>

#include "schemes/core/ring.h"

/*
 * Is the slot of `number` certainly still its own? The writer that opens the next sub-buffer may
 * have written there before its tail says so: the oldest one's never is.
 */
static inline bool ring_is_safe(const struct ring *ring, uint64_t number)
{
	bool open;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ring_end(ring, &open) - number <= ring_count_mask(ring);
}

/* The first `bytes` of sub-buffer `number`, and its books before them. */
static inline void ring_copy_slot(struct ring *to, const struct ring *from, uint64_t number,
				  uint64_t bytes)
{
	*ring_subbuf(to, number) = *ring_subbuf(from, number);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	memcpy(ring_subbuf_base(to, number), ring_subbuf_base(from, number), bytes);
}

/* The tail of a ring whose newest sub-buffer is `number`, and closed. */
static inline uint64_t ring_tail_behind(const struct ring *ring, uint64_t number)
{
	uint64_t offset = (number + 1) << ring_subbuf_shift(ring);

	if (ring_tail_is_numbered(ring))
		return number << RING_INDEX_BITS | ring_subbuf_bytes(ring);
	if (ring_tail_is_packed(ring))
		return offset >> ring_packed_unit_shift(ring) & ring_packed_mask(ring);
	return offset;
}

/*
 * `to` has sub-buffer `number` then and nothing else, but for the head of the next one, which tells
 * where this one ends. False: a writer may have overtaken, and what was copied is worth nothing.
 */
static inline bool ring_copy(struct ring *to, const struct ring *from, uint64_t number)
{
	ring_copy_slot(to, from, number, ring_subbuf_bytes(from));
	ring_copy_slot(to, from, number + 1, ring_header_bytes(from));
	to->lost = from->lost;
	to->flush_number = from->flush_number;
	to->flush_stamp = from->flush_stamp;
	to->tail = ring_tail_behind(to, number);
	to->consumed = number;
	return ring_is_safe(from, number);
}

/*
 * Copies the oldest sub-buffer of `from` that is not consumed and still there to `to`; *number says
 * which. False: there is none that is complete. *torn grows by the copies that were overtaken.
 */
static inline bool ring_copy_next(struct ring *to, const struct ring *from, uint64_t *number,
				  uint64_t *torn)
{
	uint64_t end, most = ring_count_mask(from);
	bool open;

	for (*number = from->consumed;; ++*number) {
		end = ring_end(from, &open);
		if (end - *number > most)
			*number = end - most;
		if (*number >= end - open)
			return false;
		if (ring_content(from, *number) && ring_copy(to, from, *number))
			return true;
		if (ring_is_safe(from, *number))
			return false; /* not complete: who writes it is interrupted */
		++*torn;
	}
}

#endif
