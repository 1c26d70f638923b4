/* SPDX-License-Identifier: MIT */
/*
 * The floors: what a record costs with a stamp, or without one, and no protection at all. There is
 * one floor for each form in which rows publish and write records, so that no row has less to do
 * than the floor of its form:
 *
 * floor            adds to a commit counter; a compact header
 * floor_large      the same with a header of whole words, which takes no shift (FLOOR_LARGE)
 * floor_published  the tail's store, the last of all, publishes; no commit (FLOOR_PUBLISHED).
 *                  This floor does least, and every ratio is to it.
 * untimed          floor without a clock read (FLOOR_UNTIMED): no floor of a row that stamps
 *
 * Source: none; baselines.
 *
 * Layout: u32 { id : 5 | low T bits of the stamp : 27 }, payload (untimed: the time is 0);
 * floor_large: u32 low 32 bits | u16 id | u16 size, payload.
 *
 * Shared words: tail, plain load and plain store. A nested writer between the two is overwritten by
 * the writer that it interrupted, so the rows need masked interrupts and are measured only.
 *
 * Invariants: none under nesting. Without it,
 * I1 Records are claimed in clock order.
 * Known failure: any nested writer between load and store (lost and torn records, early stamps);
 * a gap of a wrap or more inside a sub-buffer (decoded short by whole wraps).
 * Clock reads per event: 1; untimed: 0.
 */
#ifndef STAMPEDE_SCHEMES_FLOOR_H
#define STAMPEDE_SCHEMES_FLOOR_H

#ifdef FLOOR_LARGE
#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_CTF_LARGE, .stamp_bytes = 4 \
	}
#endif
#ifdef FLOOR_PUBLISHED
#include "schemes/parts/packed.h"
#else
#include "schemes/format/format_ctf.h"
#endif

struct scheme_ring {
	struct ring ring;
};

#define SCHEME_CLAIM_BITS 0

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
#if defined(FLOOR_LARGE)
	.title = "a stamp, unprotected offset, a header of whole words",
#elif defined(FLOOR_PUBLISHED)
	.title = "a stamp, unprotected offset that publishes, no commit",
#else
	.title = "a stamp, unprotected offset",
#endif
	.clock_reads = 1,
#endif
	.source = "baseline",
	.promises = PROMISE_BOUNDED,
	.needs = NEED_MASKED_INTERRUPTS,
	.extension = EXTEND_NEVER,
};

#ifdef FLOOR_PUBLISHED
#define SCHEME_TAIL RING_TAIL_PUBLISHED
#define SCHEME_START

/* `content` bytes are all that sub-buffer `number` will hold. */
static inline void floor_close(struct ring *ring, uint64_t number, uint64_t content)
{
	ring_subbuf(ring, number)->content = number << RING_INDEX_BITS | content;
}

/* A reservation's size is the tail behind the record, whose store publishes it. */
/* gcc 14 does not see that what opens has its opening; to set it would change what is timed. */
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
RESERVE_SLOW struct reservation floor_switch(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t tail, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t inside = ring_packed_offset(ring, tail) & (ring_subbuf_bytes(ring) - 1);
	struct packed_claim claim;

	/* The tail's upper bits stay 0, as if all stamps had none. */
	if (!packed_fit(ring, id, len, tail, 0, false, &claim))
		return reserve_lost(ring, claim.size);
	if (claim.opens) {
		POINT_PATH("switch");
		ring_subbuf(ring, claim.number)->number = claim.number;
		ring_subbuf(ring, claim.number)->lost_before = claim.opening.lost_before;
		ctf_header_put(ring,
			       (struct ctf_packet_header *)ring_subbuf_base(ring, claim.number),
			       claim.number, stamp);
		if (inside)
			floor_close(ring, claim.number - 1, inside);
	}
	if (!((claim.start + claim.size) & (ring_subbuf_bytes(ring) - 1)))
		floor_close(ring, claim.number, ring_subbuf_bytes(ring));
	return (struct reservation){
		.payload = packed_put(ring, ring_at(ring, claim.start), id, len, stamp, claim.full),
		.size = claim.next,
		.stamp = stamp,
	};
}
#pragma GCC diagnostic pop

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t tail = shared_load("tail", &ring->tail), stamp = floor_clock();
	uint64_t next = tail + packed_bytes(id, len, false) / RING_PACKED_UNIT;

	if (unlikely(packed_leaves(ring, tail, next) || id >= PACKED_IDS))
		return reservation_slow(floor_switch(s, id, len, tail, stamp));
	return (struct reservation){
		.payload = ctf_compact_put(ring_at(ring, tail * RING_PACKED_UNIT), id, len, stamp,
					   ring_stamp_bits(ring), false),
		.size = next,
		.stamp = stamp,
	};
}

#define SCHEME_COMMIT
RECORD void commit(struct scheme_ring *s, const struct reservation *rsv)
{
	barrier(); /* header and payload are stored before the tail publishes them */
	shared_store("publish", &s->ring.tail, rsv->size); /* I1 */
}

#define SCHEME_FLUSH
static inline void flush(struct scheme_ring *s)
{
	struct ring *ring = &s->ring;
	uint64_t offset = ring_packed_offset(ring, shared_load("flush: tail", &ring->tail));
	uint64_t room = ring_room(ring, offset);

	if (room) {
		floor_close(ring, ring_packed_number(ring, offset),
			    offset & (ring_subbuf_bytes(ring) - 1));
		/* Behind the content, which the reader needs. */
		shared_store("flush: publish", &ring->tail,
			     (offset + room) / RING_PACKED_UNIT & ring_packed_mask(ring));
	}
	ring->flush_stamp = clock_read("flush: clock");
}
#else
#define SCHEME_START

/* Bytes of header and payload. */
static inline uint64_t floor_bytes(uint32_t id, uint32_t len)
{
#ifdef FLOOR_LARGE
	(void)id;
	return ctf_large_bytes(4, len) + (uint64_t)len;
#else
	return ctf_compact_bytes(id, len, false) + (uint64_t)len;
#endif
}

static inline uint8_t *floor_header(const struct ring *ring, uint8_t *record, uint32_t id,
				    uint32_t len, uint64_t stamp)
{
#ifdef FLOOR_LARGE
	return ctf_large_put(record, 4, id, len, stamp, ring_stamp_bits(ring));
#else
	return ctf_compact_put(record, id, len, stamp, ring_stamp_bits(ring), false);
#endif
}

/* Stores the tail and writes the header. */
static inline struct reservation floor_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t start, uint64_t size, uint64_t stamp)
{
	struct ring *ring = &s->ring;

	shared_store("tail", &ring->tail, start + size); /* I1 */
	return (struct reservation){
		.payload = floor_header(ring, ring_at(ring, start), id, len, stamp),
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

RESERVE_SLOW struct reservation floor_switch(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = floor_bytes(id, len);
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
	uint64_t size = floor_bytes(id, len);
	uint64_t offset = shared_load("offset", &ring->tail);
	uint64_t stamp = floor_clock();

	if (unlikely(size > ring_room(ring, offset)))
		return reservation_slow(floor_switch(s, id, len, offset, stamp));
	return floor_place(s, id, len, offset, size, stamp);
}

#ifdef FLOOR_LARGE
#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	return ctf_large_next(cursor, 4, event);
}
#endif
#endif

#endif
