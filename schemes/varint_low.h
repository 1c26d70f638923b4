/* SPDX-License-Identifier: MIT */
/*
 * The low bits of the stamp in as few bytes as its distance to the previous record takes. One word
 * {low bits of the newest stamp | offset} is claimed by one cmpxchg, so that a writer knows that
 * distance, and a second word says which upper bits the stamps there have.
 *
 * Source: Stampede. Absolute low bits of a variable number come from the LEB128 fields of CTF 2
 * (2024), ETMv4 and the ITM's timestamps; packed_word has the idea that stamp and space move
 * together.
 *
 * Layout: format/format_varint.h. The offset counts bytes (PACKED_UNIT_SHIFT=0).
 *
 * Shared words: tail {stamp bits 0..W | offset : 27}, cmpxchg. epoch, the bits from W on of the
 * newest stamp, or a token: plain store and cmpxchg, where it changes.
 *
 * Order: tail, epoch, clock, [epoch = token], cmpxchg of the tail, [epoch: from token to its own].
 * I1 A writer that claims has read the clock after `tail` was the word and before it changed:
 *    stamps are in buffer order if the clock goes forward.
 * I2 If epoch is no token, it is that of the newest record. A writer whose epoch differs stores a
 *    token before its claim, and removes it after the claim unless another writer came between.
 * I3 A header is short only if epoch is the stamp's own and the stamp is 0 .. 2^T - 1 ticks ahead,
 *    modulo 2^(W + 1), of that in the word. Two stamps of one epoch are less than 2^W apart: so
 *    that is the true distance, with stamps in any order.
 * I4 A token only makes a header full that need not be.
 *
 * Known failure: the ABA of packed_word: nested records of exactly 128 MiB inside one reserve, the
 * last of them with the same low bits of the stamp.
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_SCHEMES_VARINT_LOW_H
#define STAMPEDE_SCHEMES_VARINT_LOW_H

#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_VARINT, .stamp_bytes = VARINT_LEAST \
	}

#include "schemes/format/format_varint.h"

/* W is that many bits above the short field. */
#if SEAM_NARROW_BITS
#define VARINT_ABOVE 0 /* so that a search comes to both ends of the word */
#else
#define VARINT_ABOVE 22
#endif
#define VARINT_TOKEN (UINT64_C(1) << 63)

struct scheme_ring {
	struct ring ring;
	uint64_t epoch;
};

static const struct scheme_desc scheme_desc = {
	.title = "low bits in 2 to 10 bytes, by one word of low bits and offset",
	.source = "Stampede; CTF 2, 2024",
	.promises = PROMISES,
	.extension = EXTEND_ON_GAP,
	.extra_per_nested = 2,
	.clock_reads = 1,
};

#define SCHEME_TAIL RING_TAIL_PACKED
#define SCHEME_START ring_packed_init(&s->ring), s->epoch = VARINT_TOKEN

static inline unsigned int varint_epoch_bits(const struct ring *ring)
{
	return ring_stamp_bits(ring) + VARINT_ABOVE;
}

static inline uint64_t varint_epoch(const struct ring *ring, uint64_t stamp)
{
	return stamp >> varint_epoch_bits(ring);
}

/* Where a stamp lies in the tail: its lowest W + 1 bits on top. */
static inline unsigned int varint_shift(const struct ring *ring)
{
	return 63 - varint_epoch_bits(ring);
}

/* Ticks from the stamp in `tail` to `stamp`, modulo 2^(W + 1). */
static inline uint64_t varint_ahead(const struct ring *ring, uint64_t tail, uint64_t stamp)
{
	unsigned int shift = varint_shift(ring);

	return ((stamp << shift) + (tail & ring_packed_mask(ring)) - tail) >> shift;
}

/* The whole stamp of the newest record, by both words. */
static inline uint64_t varint_newest(const struct ring *ring, uint64_t tail, uint64_t epoch)
{
	unsigned int bits = varint_epoch_bits(ring);

	return epoch << bits | (tail >> varint_shift(ring) & bits_mask(bits));
}

/* The word behind a record of `stamp` that ends at `offset`, which its bits can hold. */
static inline uint64_t varint_tail(const struct ring *ring, uint64_t stamp, uint64_t offset)
{
	return (stamp << varint_shift(ring)) + offset;
}

/* Where a record goes. */
struct varint_claim {
	uint64_t start;
	uint64_t size;
	uint64_t number; /* of its sub-buffer */
	unsigned int bytes; /* of its stamp */
	bool opens;
	struct ring_opening opening;
};

/* Fits a record behind `tail`. False: it is lost; claim->size says how large it is. */
static inline bool varint_fit(struct ring *ring, uint32_t id, uint32_t len, uint64_t tail,
			      uint64_t epoch, uint64_t stamp, struct varint_claim *claim)
{
	uint64_t offset = ring_packed_offset(ring, tail);

	claim->bytes = epoch & VARINT_TOKEN ? VARINT_WHOLE :
					      varint_bytes(stamp - varint_newest(ring, tail, epoch),
							   ring_stamp_bits(ring));
	claim->size = varint_record(id, len, claim->bytes);
	claim->opens = claim->size > ring_room(ring, offset);
	claim->start = offset;
	claim->number = ring_packed_number(ring, offset);
	if (!claim->opens)
		return true;
	/* The begin stamp gives the reader all bits. */
	claim->bytes = VARINT_LEAST;
	claim->size = varint_record(id, len, claim->bytes);
	claim->number = ring_packed_next(ring, tail);
	claim->start = (claim->number << ring_subbuf_shift(ring)) + CTF_PACKET_HEADER_BYTES;
	return claim->size <= ring_max_record(ring) &&
	       ring_may_open(ring, claim->number, &claim->opening);
}

/* claim.opening is set where claim.opens says so. */
MAYBE_UNSET_BEGIN
RESERVE_SLOW struct reservation varint_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					    uint64_t tail, uint64_t epoch, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	struct varint_claim claim;
	uint64_t token;
	bool fits;

	for (;;) {
		token = 0;
		fits = varint_fit(ring, id, len, tail, epoch, stamp, &claim);
		if (!fits && !ring_moved(ring, tail))
			return reserve_lost(ring, claim.size);
		if (fits && epoch != varint_epoch(ring, stamp)) {
			token = VARINT_TOKEN | tail;
			shared_store("epoch: token", &s->epoch, token); /* I2 */
		}
		if (fits &&
		    local_cmpxchg("claim", &ring->tail, &tail, /* I1, I3 */
				  varint_tail(ring, stamp,
					      (claim.start + claim.size) & ring_packed_mask(ring))))
			break;
		POINT_COUNT(retries);
		tail = shared_load("tail again", &ring->tail);
		epoch = shared_load("epoch again", &s->epoch);
		stamp = clock_read("clock again");
	}
	if (token)
		local_cmpxchg("epoch: own", &s->epoch, &token, varint_epoch(ring, stamp)); /* I2 */
	if (claim.opens)
		ctf_begin(ring, ring_packed_offset(ring, tail), &claim.opening, stamp);
	return (struct reservation){
		.payload = varint_put(ring_at(ring, claim.start), id, len, stamp, claim.bytes,
				      ring_stamp_bits(ring)),
		.subbuf = ring_subbuf(ring, claim.number),
		.size = claim.size,
		.stamp = stamp,
	};
}
MAYBE_UNSET_END

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = varint_record(id, len, VARINT_LEAST);
	uint64_t tail = shared_load("tail", &ring->tail), seen = tail;
	uint64_t epoch = shared_load("epoch", &s->epoch);
	uint64_t offset = tail & ring_packed_mask(ring), end = offset + size;
	uint64_t stamp = clock_read("clock");

	/* Two tests by one branch. */
	if (unlikely((varint_epoch(ring, stamp) ^ epoch) |
			     varint_ahead(ring, tail, stamp) >> ring_stamp_bits(ring) ||
		     ((offset - 1) ^ end) >= ring_subbuf_bytes(ring) || id >= VARINT_IDS))
		return reservation_slow(varint_slow(s, id, len, tail, epoch, stamp));
	/* An end that the word cannot hold is the end of a sub-buffer: not here. */
	if (unlikely(!local_cmpxchg("claim", &ring->tail, &seen, /* I1, I3 */
				    varint_tail(ring, stamp, end)))) {
		POINT_COUNT(retries);
		tail = shared_load("tail again", &ring->tail);
		epoch = shared_load("epoch again", &s->epoch);
		stamp = clock_read("clock again");
		return reservation_slow(varint_slow(s, id, len, tail, epoch, stamp));
	}
	return (struct reservation){
		.payload =
			varint_put_short(ring_at(ring, offset), id, stamp, ring_stamp_bits(ring)),
		.subbuf = ring_subbuf_at(ring, offset),
		.size = size,
		.stamp = stamp,
	};
}

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	return varint_next(cursor, event);
}

#endif
