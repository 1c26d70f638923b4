/* SPDX-License-Identifier: MIT */
/*
 * The low 27 bits of the stamp in every header; the whole stamp in the same header when a reader
 * could not know the upper bits.
 *
 * Source: Mathieu Desnoyers, Re: [RFC PATCH 1/3] Unified trace buffer, LKML, 2008-09-25 (the
 * algorithm), and LTTng specialized probes, ltt-dev, 2008-10-09 (the header with ids 29, 30, 31).
 * Repaired here: the mail shifts by 64 - 27 where 27 is meant, and keeps the decision for a full
 * stamp over a retry, which puts a full header into a compact slot.
 *
 * Layout: core/format_ctf.h, compact:
 *   u32 { id : 5 | low T bits : 27 } [u16 id [u16 size [u64 stamp] [u32 size]]] payload
 *
 * Shared words: tail, cmpxchg. last, the stamp of a recent record, plain store after the claim.
 *
 * Order: offset, clock, last, cmpxchg, then last is stored.
 * I1 Whoever claims [offset, new) read the clock after `offset` was the tail and before it moved:
 *    stamps are in buffer order.
 * I2 last is never newer than the stamp of the record before the claim, unless a nested writer
 *    came in between, and then the cmpxchg fails or the test sees an unsigned overflow: so a
 *    compact header is at most 2^T - 1 ticks behind its predecessor.
 * I3 A stale last only makes a header full that need not be ("the correct race" of the mail).
 * OVERFLOW_MSB32 keeps only 32 bits of the stamp above T, as a 32-bit machine must: a full header
 * at every carry into them. Exact unless the clock stands still for 2^(T + 32) ticks.
 *
 * Writers of several CPUs (LOCKED): last is stored outside the claim, so it may also go back; that is
 * I3 again. I1 needs CLOCK_FENCED: without it a stamp may be older than its predecessor's, and if last
 * is not stored yet the header stays compact and the reader adds a wrap.
 *
 * Known failure: none on one CPU.
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_EXTENDED_HEADER_H
#define STAMPEDE_EXTENDED_HEADER_H

#include "core/format_ctf.h"

struct scheme_ring {
	struct ring ring;
#ifdef OVERFLOW_MSB32
	uint32_t last;
#else
	uint64_t last;
#endif
};

static const struct scheme_desc scheme_desc = {
#ifdef OVERFLOW_MSB32
	.title = "inline full stamp, 32-bit test of the upper bits",
	.extension = EXTEND_ON_CARRY,
#else
	.title = "inline full stamp, 64-bit test of the distance",
	.extension = EXTEND_ON_GAP,
#endif
	.source = "Desnoyers, LKML 2008-09-25 and ltt-dev 2008-10-09",
	.promises = PROMISE_ALL,
	.extra_per_nested = 2,
	.clock_reads = 1,
	.clock_reads_extended = 2,
	.alignment = SCHEME_ALIGNMENT,
	.shared_promises = SCHEME_SHARED(PROMISE_ALL, PROMISE_BOUNDED),
};

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, false, CTF_PACKET_HEADER_BYTES);
	s->last = 0;
}

/* Can a reader that knows `last` not tell `stamp` from its low T bits? */
static inline bool extended_overflow(const struct scheme_ring *s, uint64_t stamp)
{
	unsigned int bits = ring_stamp_bits(&s->ring);
#ifdef OVERFLOW_MSB32
	return (uint32_t)(stamp >> bits) != shared_load("last", &s->last);
#else
	return bits_overflow(stamp - shared_load("last", &s->last), bits);
#endif
}

static inline void extended_remember(struct scheme_ring *s, uint64_t stamp)
{
#ifdef OVERFLOW_MSB32
	shared_store("store last", &s->last, (uint32_t)(stamp >> ring_stamp_bits(&s->ring)));
#else
	shared_store("store last", &s->last, stamp);
#endif
}

/* The record at `start` is ours. */
static inline struct reservation extended_place(struct scheme_ring *s, uint32_t id, uint32_t len,
						uint64_t start, uint64_t size, uint64_t stamp,
						bool full)
{
	struct ring *ring = &s->ring;

	extended_remember(s, stamp);
	return (struct reservation){
		.payload = ctf_compact_put(ring_at(ring, start), id, len, stamp,
					   ring_stamp_bits(ring), full),
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

/* Everything but the plain case, and whoever lost the race for the plain case. */
RESERVE_SLOW struct reservation extended_reserve_slow(struct scheme_ring *s, uint32_t id,
						      uint32_t len, uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	struct reservation rsv;
	struct ctf_claim claim;
	uint64_t size;
	bool full;

	for (;;) {
		full = extended_overflow(s, stamp);
		size = ctf_compact_record(id, len, full);
		if (full && size > ring_room(ring, offset)) {
			/* It opens a packet, whose begin stamp says it all. */
			full = false;
			size = ctf_compact_record(id, len, false);
			if (!ctf_fit_next(ring, offset, size, &claim))
				return reserve_lost(ring, size);
		} else if (!ctf_fit(ring, offset, size, &claim)) {
			return reserve_lost(ring, size);
		}
		if (local_cmpxchg("claim", &ring->tail, &offset, claim.start + size))
			break;
		POINT_COUNT(retries);
		offset = shared_load("offset again", &ring->tail);
		stamp = clock_read("clock again");
	}
	rsv = extended_place(s, id, len, claim.start, size, stamp, full);
	if (claim.opens)
		ctf_begin(ring, offset, &claim.opening, stamp);
	return rsv;
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = ctf_compact_record(id, len, false);
	uint64_t offset = shared_load("offset", &ring->tail), seen = offset;
	uint64_t stamp = clock_read("clock");

	if (unlikely(extended_overflow(s, stamp) || size > ring_room(ring, offset)))
		return reservation_slow(extended_reserve_slow(s, id, len, offset, stamp));
	if (unlikely(!local_cmpxchg("claim", &ring->tail, &seen, offset + size))) {
		POINT_COUNT(retries);
		offset = shared_load("offset again", &ring->tail);
		stamp = clock_read("clock again");
		return reservation_slow(extended_reserve_slow(s, id, len, offset, stamp));
	}
	return extended_place(s, id, len, offset, size, stamp, false);
}

static inline bool decode_begin(const struct ring *ring, uint64_t number, uint32_t content_bytes,
				struct cursor *cursor)
{
	ctf_finish(ring, number, content_bytes);
	return ctf_cursor(ring, number, content_bytes, cursor);
}

static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	return ctf_compact_next(cursor, event);
}

#endif
