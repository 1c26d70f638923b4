/* SPDX-License-Identifier: MIT */
/*
 * The cmpxchg claim of schemes whose record has the same size for every stamp: read the offset,
 * then the clock, then claim; if the claim fails, do all of it again.
 *
 * I1 A writer that claims [offset, new) has read the clock after `offset` was the tail and before
 *    the tail moved: stamps are in buffer order.
 *
 * The scheme defines claim_begin(s, &begin) before it includes this: a clock read that also gives
 * the 64-bit begin stamp of a packet that this record may open.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_CLAIM_H
#define STAMPEDE_SCHEMES_PARTS_CLAIM_H

#include "schemes/format/format_ctf.h"

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
	claim->stamp = clock_read("clock");
	if (unlikely(!local_cmpxchg("claim", &ring->tail, &seen, offset + size))) { /* I1 */
		POINT_COUNT(retries);
		return false;
	}
	claim->record = ring_at(ring, offset);
	claim->subbuf = ring_subbuf_at(ring, offset);
	return true;
}

#endif
