/* SPDX-License-Identifier: MIT */
/*
 * The cmpxchg claim of schemes whose record has the same size for every stamp: read the offset,
 * then the clock, then claim; if the claim fails, do all of it again.
 *
 * I1 A writer that claims [offset, new) has read the clock after `offset` was the tail and before
 *    the tail moved: stamps are in buffer order.
 *
 * The scheme defines claim_begin(s, &begin) before it includes this: a clock read that also gives
 * the 64-bit begin stamp of a packet that this record may open. It defines CLAIM_CLOCK(s) if it
 * reads another clock than the machine's, and CLAIM_NOW if the begin stamp is its clock, too. With
 * CLAIM_HEADER it also defines claim_bytes(id, len), of header and payload, and claim_put(s, at,
 * id, len, stamp), which writes a header and returns the payload's place; reserve() is then here.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_CLAIM_H
#define STAMPEDE_SCHEMES_PARTS_CLAIM_H

#include "schemes/format/format_ctf.h"

#ifndef CLAIM_CLOCK
#define CLAIM_CLOCK(s) clock_read("clock")
#endif

struct claim {
	uint8_t *record; /* NULL: lost, and counted */
	struct subbuf *subbuf;
	uint64_t stamp;
};

/* Opens sub-buffers, and claims for writers that were interrupted on the plain path. */
RESERVE_SLOW struct claim claim_slow(struct scheme_ring *s, uint64_t size)
{
	struct ring *ring = &s->ring;
	uint64_t offset, stamp, begin;
	struct ctf_claim fit;

	for (;;) {
		offset = shared_load("offset again", &ring->tail);
		stamp = claim_begin(s, &begin);
		if (!ctf_fit(ring, offset, size, &fit)) {
			if (ring_moved(ring, offset))
				continue;
			ring_lost(ring, size);
			return (struct claim){ .record = NULL };
		}
		if (local_cmpxchg("claim again", &ring->tail, &offset, fit.start + size)) /* I1 */
			break;
		POINT_COUNT(retries);
	}
	if (fit.opens)
		ctf_begin(ring, offset, &fit.opening, begin);
	return (struct claim){
		.record = ring_at(ring, fit.start),
		.subbuf = ring_subbuf_at(ring, fit.start),
		.stamp = stamp,
	};
}

/* The plain case: claims `size` bytes and takes their stamp. False: claim_slow() has to do it. */
static inline __attribute__((always_inline)) bool claim_plain(struct scheme_ring *s, uint64_t size,
							      struct claim *claim)
{
	struct ring *ring = &s->ring;
	uint64_t offset = shared_load("offset", &ring->tail), seen = offset;

	if (unlikely(size > ring_room(ring, offset)))
		return false;
	claim->stamp = CLAIM_CLOCK(s);
	if (unlikely(!local_cmpxchg("claim", &ring->tail, &seen, offset + size))) { /* I1 */
		POINT_COUNT(retries);
		return false;
	}
	claim->record = ring_at(ring, offset);
	claim->subbuf = ring_subbuf_at(ring, offset);
	return true;
}

#ifdef CLAIM_HEADER
static inline struct reservation claim_place(const struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t size, struct claim claim)
{
	return (struct reservation){
		.payload = claim_put(s, claim.record, id, len, claim.stamp),
		.subbuf = claim.subbuf,
		.size = size,
		.stamp = claim.stamp,
	};
}

RESERVE_SLOW struct reservation reserve_again(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	uint64_t size = claim_bytes(id, len);
	struct claim claim = claim_slow(s, size);

	if (!claim.record)
		return (struct reservation){ .payload = NULL };
	return claim_place(s, id, len, size, claim);
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	uint64_t size = claim_bytes(id, len);
	struct claim claim;

	if (unlikely(!claim_plain(s, size, &claim)))
		return reservation_slow(reserve_again(s, id, len));
	return claim_place(s, id, len, size, claim);
}
#endif

#ifdef CLAIM_NOW
#define SCHEME_NOW
static inline uint64_t scheme_now(struct scheme_ring *s)
{
	uint64_t now;

	claim_begin(s, &now);
	return now;
}
#endif

#endif
