/* SPDX-License-Identifier: MIT */
/*
 * The offset form of the tail: bytes ever given out, free-running. A writer moves it by cmpxchg, or
 * by a plain store where nothing can interrupt. At a sub-buffer's end the next one is not open yet:
 * the first writer behind it opens it, in the same cmpxchg that claims its record. A 128-bit tail
 * is such an offset and the newest stamp, moved together.
 */
#ifndef STAMPEDE_SCHEMES_CORE_RING_OFFSET_H
#define STAMPEDE_SCHEMES_CORE_RING_OFFSET_H

#include "schemes/core/subbuf.h"

/* Bytes left in the open sub-buffer at `offset`; 0 at a sub-buffer's end: the next is not open. */
static inline uint64_t ring_room(const struct ring *ring, uint64_t offset)
{
	return -offset & (ring_subbuf_bytes(ring) - 1);
}

static inline uint8_t *ring_at(const struct ring *ring, uint64_t offset)
{
	return ring_base(ring) + (offset & (ring_bytes(ring) - 1));
}

static inline struct subbuf *ring_subbuf_at(const struct ring *ring, uint64_t offset)
{
	return ring_subbuf(ring, offset >> ring_subbuf_shift(ring));
}

/*
 * The sub-buffer that a writer finding too little room at `offset` opens. An offset of 32 bits
 * begins again after 4 GiB: its upper bits are those of the number that the slot before holds.
 */
static inline uint64_t ring_next_number(const struct ring *ring, uint64_t offset)
{
#if LOCAL_BITS == 32
	uint32_t mask = UINT32_MAX >> ring_subbuf_shift(ring);
	uint32_t before = ((uint32_t)offset - 1) >> ring_subbuf_shift(ring);
	uint32_t held = ring_subbuf(ring, before)->number;

	if (!offset && !ring_subbufs(ring)[0].commits) /* an empty ring */
		return 0;
	return held + ((before - held) & mask) + 1;
#else
	return (offset + ring_subbuf_bytes(ring) - 1) >> ring_subbuf_shift(ring);
#endif
}

/* After a successful claim that left `offset` and opened a sub-buffer: books both. */
static inline void ring_switched(struct ring *ring, uint64_t offset,
				 const struct ring_opening *opening)
{
	if (ring_room(ring, offset))
		ring_pad(ring, opening->number - 1, offset & (ring_subbuf_bytes(ring) - 1));
	ring_opened(ring, opening);
}

#endif
