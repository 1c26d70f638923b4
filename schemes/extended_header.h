/* SPDX-License-Identifier: MIT */
/*
 * The low 27 bits of the stamp in every header; the whole stamp in the same header when a reader
 * could not know the upper bits.
 *
 * Source: Mathieu Desnoyers, Re: [RFC PATCH 1/3] Unified trace buffer, LKML, 2008-09-25 (the
 * algorithm), and LTTng specialized probes, ltt-dev, 2008-10-09 (the header with ids 29, 30, 31).
 * Repaired here: the mail shifts by 64 - 27 where it means 27, and keeps the decision for a full
 * stamp over a retry, which puts a full header into a compact slot.
 *
 * Layout: format/format_ctf.h, compact:
 *   u32 { id : 5 | low T bits : 27 } [u16 id [u16 size [u64 stamp] [u32 size]]] payload
 *
 * Shared words: tail, cmpxchg. last, the stamp of a recent record, plain store after the claim.
 *
 * Order: offset, clock, last, cmpxchg, then last is stored. I1 to I3 are those of parts/extend.h.
 * OVERFLOW_MSB32 keeps only 32 bits of the stamp above T, as a 32-bit machine must: a full header
 * at every carry into them. Exact unless the clock stands still for 2^(T + 32) ticks.
 *
 * Writers of several CPUs (LOCKED): last is stored outside the claim, so last may also go back; I3
 * covers that. I1 needs CLOCK_FENCED: without it a stamp may be older than its predecessor's, and
 * if last is not stored yet the header stays compact and the reader adds a wrap.
 *
 * Known failure: none on one CPU.
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_SCHEMES_EXTENDED_HEADER_H
#define STAMPEDE_SCHEMES_EXTENDED_HEADER_H

#include "schemes/format/format_ctf.h"

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
	.gap_bits = 32,
#else
	.title = "inline full stamp, 64-bit test of the distance",
	.extension = EXTEND_ON_GAP,
#endif
	.source = "Desnoyers, LKML 2008-09-25 and ltt-dev 2008-10-09",
	.promises = PROMISE_ALL,
	.extra_per_nested = 2,
	.clock_reads = 1,
	.alignment = SCHEME_ALIGNMENT,
	.shared_promises = SCHEME_SHARED(PROMISE_ALL, PROMISE_BOUNDED),
};

#define SCHEME_START s->last = 0

/* Can a reader that knows `last` not tell `stamp` from its low T bits? */
struct extend_seen;
static inline bool extend_far(const struct scheme_ring *s, const struct extend_seen *seen,
			      uint64_t stamp)
{
	unsigned int bits = ring_stamp_bits(&s->ring);

	(void)seen;
#ifdef OVERFLOW_MSB32
	return (uint32_t)(stamp >> bits) != shared_load("last", &s->last);
#else
	return bits_overflow(stamp - shared_load("last", &s->last), bits);
#endif
}

static inline void extend_remember(struct scheme_ring *s, uint64_t stamp)
{
#ifdef OVERFLOW_MSB32
	/* I3 */
	shared_store("store last", &s->last, (uint32_t)(stamp >> ring_stamp_bits(&s->ring)));
#else
	shared_store("store last", &s->last, stamp); /* I3 */
#endif
}

#include "schemes/parts/extend.h"

/*
 * As in LTTng: last is forgotten before the place is given back, so that the next header is full.
 * Only a stamp below 2^T may stay short behind a last of 0: its distance to any predecessor is less
 * than 2^T too, and its upper bits are 0.
 */
#define SCHEME_DISCARD
static inline bool discard(struct scheme_ring *s, const struct reservation *rsv, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t tail = shared_load("discard: tail", &ring->tail), start = tail - rsv->size;
	const uint8_t *end = rsv->payload + ctf_padded(len);

	if (ring_at(ring, start) + rsv->size != end)
		return false;
	shared_store("discard: last", &s->last, 0); /* I2, I3: before the place is free */
	/* Only the newest record goes: nobody has claimed behind it. */
	return local_cmpxchg("discard: take back", &ring->tail, &tail, start);
}

#endif
