/* SPDX-License-Identifier: MIT */
/*
 * The cmpxchg claim of schemes whose header carries the whole stamp when a reader could not know
 * the upper bits. The record's size depends on its stamp, so the decision is made anew on every
 * retry.
 *
 * Order: offset, clock, last, cmpxchg, then last is stored.
 * I1 A writer that claims [offset, new) has read the clock after `offset` was the tail and before
 *    the tail moved: stamps are in buffer order.
 * I2 last is never newer than the stamp of the record before the claim, unless a nested writer
 *    came in between, and then the cmpxchg fails or the test sees an unsigned overflow: so a
 *    short header is at most 2^T - 1 ticks after its predecessor.
 * I3 A stale last only makes a header full that need not be ("the correct race" of the mail).
 *
 * Before it includes this the scheme defines
 *   extend_far(s, &seen, stamp)                     must a header with this stamp be full?
 *   extend_remember(s, stamp)                       the record with this stamp is claimed
 *
 * and, with EXTEND_HEADER, if its headers are not the compact ones of format/format_ctf.h,
 *
 *   extend_record(id, len, full)                    bytes of the whole record
 *   extend_put(ring, at, id, len, stamp, full)      writes it, returns the payload's place
 *   extend_begin(ring, stamp)                       begin stamp of a packet that it opens
 *
 * and, with EXTEND_SEEN, if it claims more than an offset,
 *
 *   struct extend_seen                              what a claim is made against: offset, and more
 *   extend_see(s)                                   reads it
 *   extend_claim(s, seen, offset, stamp)            moves on to `offset` unless `seen` has changed
 */
#ifndef STAMPEDE_SCHEMES_PARTS_EXTEND_H
#define STAMPEDE_SCHEMES_PARTS_EXTEND_H

#include "schemes/format/format_ctf.h"

#ifndef EXTEND_HEADER
static inline uint64_t extend_record(uint32_t id, uint32_t len, bool full)
{
	return ctf_compact_record(id, len, full);
}

static inline uint8_t *extend_put(const struct ring *ring, uint8_t *at, uint32_t id, uint32_t len,
				  uint64_t stamp, bool full)
{
	return ctf_compact_put(at, id, len, stamp, ring_stamp_bits(ring), full);
}

static inline uint64_t extend_begin(const struct ring *ring, uint64_t stamp)
{
	(void)ring;
	return stamp;
}
#endif

#ifndef EXTEND_SEEN
struct extend_seen {
	uint64_t offset;
};

static inline struct extend_seen extend_see(struct scheme_ring *s)
{
	return (struct extend_seen){ .offset = shared_load("offset", &s->ring.tail) };
}

static inline bool extend_claim(struct scheme_ring *s, struct extend_seen seen, uint64_t offset,
				uint64_t stamp)
{
	(void)stamp;
	return local_cmpxchg("claim", &s->ring.tail, &seen.offset, offset); /* I1, I2 */
}
#endif

/* The record at `start` is ours. */
static inline struct reservation extend_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					      uint64_t start, uint64_t size, uint64_t stamp,
					      bool full)
{
	struct ring *ring = &s->ring;

	extend_remember(s, stamp);
	return (struct reservation){
		.payload = extend_put(ring, ring_at(ring, start), id, len, stamp, full),
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

/* Everything but the plain case, and the plain case of a writer that was interrupted in it. */
RESERVE_SLOW struct reservation extend_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					    struct extend_seen seen, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	struct reservation rsv;
	struct ctf_claim claim;
	uint64_t size;
	bool full, fits;

	for (;;) {
		full = extend_far(s, &seen, stamp);
		size = extend_record(id, len, full);
		if (full && size > ring_room(ring, seen.offset)) {
			/* It opens a packet, whose begin stamp tells the reader all bits. */
			full = false;
			size = extend_record(id, len, false);
			fits = ctf_fit_next(ring, seen.offset, size, &claim);
		} else {
			fits = ctf_fit(ring, seen.offset, size, &claim);
		}
		if (!fits && !ring_moved(ring, seen.offset))
			return reserve_lost(ring, size);
		if (fits && extend_claim(s, seen, claim.start + size, stamp))
			break;
		POINT_COUNT(retries);
		seen = extend_see(s);
		stamp = clock_read("clock again");
	}
	rsv = extend_place(s, id, len, claim.start, size, stamp, full);
	if (claim.opens)
		ctf_begin(ring, seen.offset, &claim.opening, extend_begin(ring, stamp));
	return rsv;
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = extend_record(id, len, false);
	struct extend_seen seen = extend_see(s);
	uint64_t stamp = clock_read("clock");

	if (unlikely(extend_far(s, &seen, stamp) || size > ring_room(ring, seen.offset)))
		return reservation_slow(extend_slow(s, id, len, seen, stamp));
	if (unlikely(!extend_claim(s, seen, seen.offset + size, stamp))) {
		POINT_COUNT(retries);
		seen = extend_see(s);
		stamp = clock_read("clock again");
		return reservation_slow(extend_slow(s, id, len, seen, stamp));
	}
	return extend_place(s, id, len, seen.offset, size, stamp, false);
}

#endif
