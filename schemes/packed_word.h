/* SPDX-License-Identifier: MIT */
/*
 * One 64-bit word {upper bits of the newest stamp | offset}: one cmpxchg claims the space and says
 * which upper bits a reader will know there. The header holds the absolute low bits.
 *
 * Source: Stampede. It takes the absolute low bits from LTTng and the idea that stamp and space
 * must move together from the long search for lockless deltas.
 *
 * Layout: parts/packed.h.
 *
 * Shared words: tail {stamp bits T..W-1 | offset / 4}, cmpxchg. No other. The offset has
 * PACKED_BITS = 64 - W + T bits, so W = T + 37 with 27 of them.
 *
 * Order: tail, clock, cmpxchg.
 * I1 A writer that claims has read the clock after `tail` was the word and before it changed:
 *    stamps are in buffer order.
 * I2 A short header is claimed only from a word that holds the stamp's own upper bits, and the word
 *    holds those of the previous record: the reader has them.
 * I3 A nested writer always changes the word, so a claim over it fails.
 * With W = 64 the word holds all upper bits. With fewer, 2^W ticks would alias.
 *
 * PACKED_WORD32: the word has 32 bits, which every Cortex-M3 and RV32A claims at once:
 * {stamp bits T..T+4 | offset / 4 : 27}. So W = T + 5, all of a 32-bit clock with T = 27, of a
 * 24-bit one with T = 19, of a 16-bit one with T = 11. I1 and I3 are untouched. I2 holds as long as
 * the word's five bits tell: two stamps less than 2^W - 2^T ticks apart have the same five bits
 * only if all upper bits are equal, and a reader of a full stamp adds at most one 2^W. So the row
 * does not promise WRAP_PROOF, and gaps are to be shorter (gap_bits), which an event of any kind
 * once per that time ensures: 41.6 s at 100 MHz and T = 27.
 *
 * The same word again (ABA) takes nested records of exactly 2^PACKED_BITS units within one wrap of
 * T bits: 512 MiB in 60 ms at T = 27, which no CPU writes.
 *
 * Several CPUs (LOCKED): I1 needs CLOCK_FENCED. Without that a stamp may be older than its
 * predecessor's, and the reader adds a wrap.
 *
 * PACKED_READER_KEEPS_UPPER: the same writer, and a reader of its own, which by I2 needs only the
 * upper bits that it has: it decodes the stamp taken even where the clock goes back, or where CPUs
 * with clocks of their own write.
 *
 * Known failure: with few offset bits (-DPACKED_BITS=9: 2 KiB) the ABA is real: a claim succeeds
 * although a nested writer has written just that much, and takes the place of that writer's records
 * with an older stamp.
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_SCHEMES_PACKED_WORD_H
#define STAMPEDE_SCHEMES_PACKED_WORD_H

#include "schemes/parts/packed.h"

struct scheme_ring {
	struct ring ring;
};

static const struct scheme_desc scheme_desc = {
#ifdef PACKED_WORD32
	.title = "one 32-bit word of upper stamp bits and offset",
	.promises = PROMISE_ALL & ~PROMISE_WRAP_PROOF,
	.gap_bits = PACKED_WORD_BITS - PACKED_BITS,
#elif defined(PACKED_READER_KEEPS_UPPER)
	.title = "one word of upper stamp bits and offset, a reader that keeps them",
	.promises = PROMISES,
	.shared_promises = SCHEME_SHARED(PROMISES, PROMISES & ~PROMISE_MONOTONIC),
#else
	.title = "one word of upper stamp bits and offset",
	.promises = PROMISE_ALL,
	.shared_promises = SCHEME_SHARED(PROMISE_ALL, PROMISE_BOUNDED),
#endif
	.source = "Stampede",
	.extension = EXTEND_ON_CARRY,
	.clock_reads = 1,
};

#define SCHEME_TAIL RING_TAIL_PACKED
#define SCHEME_START ring_packed_init(&s->ring)

/* claim.opening is set where claim.opens says so. */
MAYBE_UNSET_BEGIN
RESERVE_SLOW struct reservation packed_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					    local_uint tail, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	struct packed_claim claim;
	bool fits;

	for (;;) {
		fits = packed_fit(ring, id, len, tail, stamp, false, &claim);
		if (!fits && !ring_moved(ring, tail))
			return reserve_lost(ring, claim.size);
		if (fits && local_cmpxchg("claim", &ring->tail, &tail, claim.next)) /* I1, I2, I3 */
			break;
		POINT_COUNT(retries);
		tail = shared_load("tail again", &ring->tail);
		stamp = clock_read("clock again");
	}
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
	local_uint tail = shared_load("tail", &ring->tail), seen = tail;
	uint64_t stamp = clock_read("clock");
	local_uint next = tail + size / RING_PACKED_UNIT;

	/* A record that fills its sub-buffer may carry into the stamp bits: not here. */
	if (unlikely((packed_upper(ring, stamp) ^ tail) >> ring_packed_bits(ring) ||
		     packed_leaves(ring, tail, next) || id >= PACKED_IDS))
		return reservation_slow(packed_slow(s, id, len, tail, stamp));
	if (unlikely(!local_cmpxchg("claim", &ring->tail, &seen, next))) { /* I1, I2, I3 */
		POINT_COUNT(retries);
		tail = shared_load("tail again", &ring->tail);
		stamp = clock_read("clock again");
		return reservation_slow(packed_slow(s, id, len, tail, stamp));
	}
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
