/* SPDX-License-Identifier: MIT */
/*
 * The inline full stamp as the mail prints it, with its two faults.
 *
 * Source: Mathieu Desnoyers, Re: [RFC PATCH 1/3] Unified trace buffer, LKML, 2008-09-25.
 *
 * F1 The upper bits are taken by a shift of 64 - 27, where 27 is meant: wraps of the 27-bit field
 *    are seen only every 1024 of them. SEED_001_SHIFT_REPAIRED takes the right ones.
 * F2 full_tsc is set in the retry loop and never cleared, while the size is decided anew: after a
 *    retry a full header goes into a compact slot, over the record behind it.
 *
 * Layout: format/format_ctf.h, compact. Shared words: tail, cmpxchg; last_tsc_msb, plain store.
 * The mail leaves sub-buffers out; here they are as in parts/extend.h. Today's form is
 * extended_header.h.
 */
#ifndef STAMPEDE_HISTORY_SEED_001_H
#define STAMPEDE_HISTORY_SEED_001_H

#include "schemes/format/format_ctf.h"

#ifdef SEED_001_SHIFT_REPAIRED
#define SEED_001_SHIFT(ring) ring_stamp_bits(ring)
#else
#define SEED_001_SHIFT(ring) (64 - ring_stamp_bits(ring))
#endif

struct scheme_ring {
	struct ring ring;
	uint32_t last_tsc_msb;
};

static const struct scheme_desc scheme_desc = {
	.title = "inline full stamp, as printed",
	.source = "Desnoyers, LKML 2008-09-25",
	.promises = PROMISE_ALL,
	.extension = EXTEND_ON_CARRY,
	.extra_per_nested = 2,
	.clock_reads = 1,
};

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, RING_TAIL_OFFSET, CTF_PACKET_HEADER_BYTES);
	s->last_tsc_msb = 0;
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t offset, stamp, size;
	struct ctf_claim claim;
	bool full_tsc = false;

	do {
		offset = shared_load("offset", &ring->tail);
		stamp = clock_read("clock");
		if ((uint32_t)(stamp >> SEED_001_SHIFT(ring)) !=
		    shared_load("last_tsc_msb", &s->last_tsc_msb)) {
			full_tsc = true;
			size = ctf_compact_record(id, len, true);
		} else {
			size = ctf_compact_record(id, len, false);
		}
		if (!ctf_fit(ring, offset, size, &claim))
			return reserve_lost(ring, size);
	} while (!local_cmpxchg("claim", &ring->tail, &offset, claim.start + size));
	shared_store("store last_tsc_msb", &s->last_tsc_msb,
		     (uint32_t)(stamp >> SEED_001_SHIFT(ring)));
	if (claim.opens)
		ctf_begin(ring, offset, &claim.opening, stamp);
	return (struct reservation){
		.payload = ctf_compact_put(ring_at(ring, claim.start), id, len, stamp,
					   ring_stamp_bits(ring), full_tsc),
		.subbuf = ring_subbuf_at(ring, claim.start),
		.size = size,
		.stamp = stamp,
		.slow = claim.opens,
	};
}

#endif
