/* SPDX-License-Identifier: MIT */
/*
 * The two floors: what a record costs with a stamp, or without one, and no protection at all.
 *
 * Source: none; the baseline that every ratio is taken to.
 *
 * Layout: u32 { id : 5 | low T bits of the stamp : 27 }, payload (floor_untimed: time is 0).
 *
 * Shared words: tail, plain load and plain store. A nested writer between the two is overwritten by
 * the writer that it interrupted, so the row needs masked interrupts and is measured only.
 *
 * Invariants: none under nesting. Without it, I1: records are claimed in clock order.
 * Known failure: any nested writer between load and store (lost and torn records, early stamps);
 * a gap of a wrap or more inside a sub-buffer (decoded short by whole wraps).
 * Clock reads per event: 1 (floor), 0 (floor_untimed).
 */
#ifndef STAMPEDE_FLOOR_H
#define STAMPEDE_FLOOR_H

#include "core/format_ctf.h"

struct scheme_ring {
	struct ring ring;
};

#ifdef FLOOR_UNTIMED
#define floor_clock() ((uint64_t)0)
#else
#define floor_clock() clock_read("clock")
#endif

static const struct scheme_desc scheme_desc = {
#ifdef FLOOR_UNTIMED
	.title = "no stamp at all, unprotected offset",
	.untimed = true,
#else
	.title = "a stamp, unprotected offset",
	.clock_reads = 1,
	.clock_reads_extended = 1,
#endif
	.source = "baseline",
	.promises = PROMISE_BOUNDED,
	.needs = NEED_MASKED_INTERRUPTS,
	.extension = EXTEND_NEVER,
};

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, RING_TAIL_OFFSET, CTF_PACKET_HEADER_BYTES);
}

/* Stores the tail and writes the header. */
static inline struct reservation floor_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t start, uint64_t size, uint64_t stamp)
{
	struct ring *ring = &s->ring;

	shared_store("tail", &ring->tail, start + size);
	return (struct reservation){
		.payload = ctf_compact_put(ring_at(ring, start), id, len, stamp,
					   ring_stamp_bits(ring), false),
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

RESERVE_SLOW struct reservation floor_switch(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = ctf_compact_bytes(id, len, false) + len;
	struct reservation rsv;
	struct ctf_claim claim;

	if (!ctf_fit(ring, offset, size, &claim))
		return reserve_lost(ring, size);
	rsv = floor_place(s, id, len, claim.start, size, stamp);
	if (claim.opens)
		ctf_begin(ring, offset, &claim.opening, stamp);
	return rsv;
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = ctf_compact_bytes(id, len, false) + len;
	uint64_t offset = shared_load("offset", &ring->tail);
	uint64_t stamp = floor_clock();

	if (unlikely(size > ring_room(ring, offset)))
		return reservation_slow(floor_switch(s, id, len, offset, stamp));
	return floor_place(s, id, len, offset, size, stamp);
}

#endif
