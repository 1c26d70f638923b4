/* SPDX-License-Identifier: MIT */
/*
 * packed_word, and beside it a word {low bits of a stamp | end of its record}: a writer that finds
 * its previous record there knows whether the clock has gone back since, and then writes the
 * whole stamp. So any reader of CTF decodes the stamps that were taken, in any order.
 *
 * Source: Stampede.
 *
 * Layout: parts/packed.h.
 *
 * Shared words: tail, as packed_word's, cmpxchg. last {low bits of a stamp | offset / 4 after its
 * record}, plain store after the claim; last has the tail's PACKED_BITS of offset, and 64 less
 * these of the stamp.
 *
 * Order: tail, last, clock, cmpxchg, then last is stored.
 * I1 to I3 are packed_word's.
 * I4 A short header is claimed after the record that `last` is of, by their common offset, and
 *    only 0 .. 2^T - 1 ticks after its stamp; the claim fails if another record came in between.
 *    With I2 the distance is the true one: all bits above T are equal.
 * I5 A last of another record, which a nested writer leaves, or one whose store was interrupted,
 *    only makes a header full that need not be.
 *
 * Known failure: the ABA of packed_word. A whole stamp in `last` without its offset would be that
 * of an older record after a nested writer: a step back between the two is then not seen
 * (extended_header).
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_SCHEMES_PACKED_LAST_H
#define STAMPEDE_SCHEMES_PACKED_LAST_H

#include "schemes/parts/packed.h"

struct scheme_ring {
	struct ring ring;
	uint64_t last;
};

static const struct scheme_desc scheme_desc = {
	.title = "one word of upper stamp bits and offset, one of low bits and offset",
	.source = "Stampede",
	.promises = PROMISES,
	.extension = EXTEND_ON_CARRY,
	.extra_per_nested = 2,
	.clock_reads = 1,
};

#define SCHEME_TAIL RING_TAIL_PACKED
#define SCHEME_START ring_packed_init(&s->ring), s->last = 0

/* The value of `last` after a record with this stamp that ends at `tail`. */
static inline uint64_t last_word(const struct ring *ring, uint64_t stamp, uint64_t tail)
{
	return stamp << ring_packed_bits(ring) | (tail & ring_packed_mask(ring));
}

/*
 * Is the stamp not 0 .. 2^T - 1 ticks behind that of the record before `tail`, or is that not
 * known? Rotated, the difference has the offsets' on top, which has to be 0.
 */
static inline bool last_unknown(const struct ring *ring, uint64_t last, uint64_t tail,
				uint64_t stamp)
{
	uint64_t behind = last_word(ring, stamp, tail) - last;
	unsigned int bits = ring_packed_bits(ring);

	return bits_overflow(behind >> bits | behind << (64 - bits), ring_stamp_bits(ring));
}

/* claim.opening is set where claim.opens says so. */
MAYBE_UNSET_BEGIN
RESERVE_SLOW struct reservation last_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					  uint64_t tail, uint64_t last, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	struct packed_claim claim;
	bool fits;

	for (;;) {
		fits = packed_fit(ring, id, len, tail, stamp, last_unknown(ring, last, tail, stamp),
				  &claim);
		if (!fits && !ring_moved(ring, tail))
			return reserve_lost(ring, claim.size);
		if (fits && local_cmpxchg("claim", &ring->tail, &tail, claim.next)) /* I1 to I4 */
			break;
		POINT_COUNT(retries);
		tail = shared_load("tail again", &ring->tail);
		last = shared_load("last again", &s->last);
		stamp = clock_read("clock again");
	}
	shared_store("store last", &s->last, last_word(ring, stamp, claim.next)); /* I5 */
	if (claim.opens)
		ctf_begin(ring, ring_packed_offset(ring, tail), &claim.opening, stamp);
	return (struct reservation){
		.payload = packed_put(ring, ring_at(ring, claim.start), id, len, stamp, claim.full),
		.subbuf = ring_subbuf(ring, claim.number),
		.size = claim.size,
		.stamp = stamp,
	};
}
MAYBE_UNSET_END

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = packed_bytes(id, len, false), offset;
	uint64_t tail = shared_load("tail", &ring->tail), seen = tail;
	uint64_t last = shared_load("last", &s->last);
	uint64_t stamp = clock_read("clock"), next = tail + size / RING_PACKED_UNIT;

	/* A record that fills its sub-buffer may carry into the stamp bits: not here. */
	if (unlikely((packed_upper(ring, stamp) ^ tail) >> ring_packed_bits(ring) ||
		     last_unknown(ring, last, tail, stamp) || packed_leaves(ring, tail, next) ||
		     id >= PACKED_IDS))
		return reservation_slow(last_slow(s, id, len, tail, last, stamp));
	if (unlikely(!local_cmpxchg("claim", &ring->tail, &seen, next))) { /* I1 to I4 */
		POINT_COUNT(retries);
		tail = shared_load("tail again", &ring->tail);
		last = shared_load("last again", &s->last);
		stamp = clock_read("clock again");
		return reservation_slow(last_slow(s, id, len, tail, last, stamp));
	}
	shared_store("store last", &s->last, last_word(ring, stamp, next)); /* I5 */
	offset = tail * RING_PACKED_UNIT; /* the ring's size masks the upper bits as well */
	return (struct reservation){
		.payload = ctf_compact_put(ring_at(ring, offset), id, len, stamp,
					   ring_stamp_bits(ring), false),
		.subbuf = ring_subbuf_at(ring, offset),
		.size = size,
		.stamp = stamp,
	};
}

#endif
