/* SPDX-License-Identifier: MIT */
/*
 * An overflow of the 27-bit stamp makes an event of its own, with the whole stamp; then the record
 * starts over. Three clock reads: of the overflow, of the stamp event, and one anew.
 *
 * Source: Martin Bligh's proposal, in pseudo code by Mathieu Desnoyers, LTTng specialized probes,
 * ltt-dev, 2008-10-09.
 *
 * Layout: u32 { id : 5 | low T bits : 27 }, payload; stamp event: u32 { 28 | low T bits },
 * u64 stamp. Ids that do not fit, and sizes, as in format/format_ctf.h.
 *
 * Shared words: tail, cmpxchg. last, the stamp of a recent record, plain store after the claim.
 *
 * Order: offset, clock, last, cmpxchg, then last is stored.
 * I1 Stamps are in buffer order, as in extended_header.
 * I2 A record is claimed only less than 2^T ticks after `last`, which is never newer than the
 *    record before it unless the claim fails: so its low bits are enough.
 * I3 The stamp event needs no test: it has the whole stamp. In a packet that it opens, it repeats
 *    the begin; where it fills one, the record opens the next, whose begin says the same.
 *
 * Known failure: livelock when one clock read costs a wrap or more (a trapped TSC under a
 * hypervisor): each attempt finds an overflow again. The writer here gives up after
 * THREE_READ_TRIES stamp events and counts the event as stuck; the row does not promise BOUNDED.
 * Clock reads per event: 1; 3 at an overflow; one more for every void attempt.
 */
#ifndef STAMPEDE_SCHEMES_THREE_READ_H
#define STAMPEDE_SCHEMES_THREE_READ_H

#define CTF_STAMP_EVENT /* the fourth escape, and an id less than the others have */
#include "schemes/format/format_ctf.h"

#define THREE_READ_TRIES 64

struct scheme_ring {
	struct ring ring;
	uint64_t last;
};

static const struct scheme_desc scheme_desc = {
	.title = "separate event with the whole stamp, then over again",
	.source = "Bligh and Desnoyers, ltt-dev 2008-10-09",
	.promises = PROMISE_ALL & ~PROMISE_BOUNDED,
	.extension = EXTEND_ON_GAP,
	.extra_per_nested = 2,
	.clock_reads = 1,
	.more_clock_reads = 2,
	.shared_promises = SCHEME_SHARED(PROMISE_ALL & ~PROMISE_BOUNDED, PROMISE_BOUNDED),
};

#define SCHEME_START s->last = 0

static inline uint64_t claim_begin(struct scheme_ring *s, uint64_t *begin)
{
	(void)s;
	*begin = clock_read("stamp event: clock");
	return *begin;
}

#include "schemes/parts/claim.h"

static inline bool three_read_overflow(const struct scheme_ring *s, uint64_t stamp)
{
	return bits_overflow(stamp - shared_load("last", &s->last), ring_stamp_bits(&s->ring));
}

static inline struct reservation three_read_place(struct scheme_ring *s, uint32_t id, uint32_t len,
						  uint64_t start, uint64_t size, uint64_t stamp)
{
	struct ring *ring = &s->ring;

	shared_store("store last", &s->last, stamp); /* I2 */
	return (struct reservation){
		.payload = ctf_compact_put(ring_at(ring, start), id, len, stamp,
					   ring_stamp_bits(ring), false),
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

/* The event that only says what time it is. False: there is no room for it. */
RESERVE_SLOW bool three_read_stamp_event(struct scheme_ring *s)
{
	struct claim claim = claim_slow(s, CTF_STAMP_EVENT_BYTES);

	if (!claim.record)
		return false;
	shared_store("stamp event: last", &s->last, claim.stamp); /* I2 */
	ctf_stamp_event_put(claim.record, claim.stamp, ring_stamp_bits(&s->ring));
	ring_commit(claim.subbuf, CTF_STAMP_EVENT_BYTES, 0);
	return true;
}

/* Starts over until a record fits behind its predecessor; opens sub-buffers too. */
RESERVE_SLOW struct reservation three_read_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
						uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = ctf_compact_bytes(id, len, false) + len;
	unsigned int tries = 0;
	struct reservation rsv;
	struct ctf_claim fit;
	bool overflow, fits;

	for (;;) {
		overflow = three_read_overflow(s, stamp);
		fits = size + (overflow ? CTF_STAMP_EVENT_BYTES : 0) <= ring_room(ring, offset);
		if (overflow && fits) {
			if (tries++ == THREE_READ_TRIES) {
				local_add_raw(&ring->stuck, 1); /* once, as ring_lost() counts */
				return (struct reservation){ .payload = NULL };
			}
			if (!three_read_stamp_event(s))
				/* The stamp event's failure is counted, as one lost event. */
				return (struct reservation){ .payload = NULL };
		} else {
			/* A packet that it opens begins with its stamp: no overflow there. */
			fits = fits ? ctf_fit(ring, offset, size, &fit) :
				      ctf_fit_next(ring, offset, size, &fit);
			if (!fits && !ring_moved(ring, offset))
				return reserve_lost(ring, size);
			/* I1, I2 */
			if (fits && local_cmpxchg("claim", &ring->tail, &offset, fit.start + size))
				break;
			POINT_COUNT(retries);
		}
		offset = shared_load("offset again", &ring->tail);
		stamp = clock_read("clock again");
	}
	rsv = three_read_place(s, id, len, fit.start, size, stamp);
	if (fit.opens)
		ctf_begin(ring, offset, &fit.opening, stamp);
	return rsv;
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = ctf_compact_bytes(id, len, false) + len;
	uint64_t offset = shared_load("offset", &ring->tail), seen = offset;
	uint64_t stamp = clock_read("clock");

	if (unlikely(three_read_overflow(s, stamp) || size > ring_room(ring, offset)))
		return reservation_slow(three_read_slow(s, id, len, offset, stamp));
	if (unlikely(!local_cmpxchg("claim", &ring->tail, &seen, offset + size))) { /* I1, I2 */
		POINT_COUNT(retries);
		offset = shared_load("offset again", &ring->tail);
		stamp = clock_read("clock again");
		return reservation_slow(three_read_slow(s, id, len, offset, stamp));
	}
	return three_read_place(s, id, len, offset, size, stamp);
}

#endif
