/* SPDX-License-Identifier: MIT */
/*
 * One 64-bit word {upper bits of the newest stamp | offset}: one cmpxchg claims the space and says
 * which upper bits a reader will know there. The header holds the absolute low bits.
 *
 * Source: Stampede. It takes the absolute low bits from LTTng and the idea that stamp and space
 * must move together from the long search for lockless deltas.
 *
 * Layout: u32 { id : 5 | low T bits of the stamp : 27 }, payload; where the upper bits change, or
 * the id does not fit: u32 { 31 | id : 27 }, u64 stamp [u32 size], payload. Records are whole
 * 4-byte units. CTF packets; the stamp that opens a packet is its begin stamp.
 *
 * Shared words: tail {stamp bits T..T+36 | offset / 4 : 27}, cmpxchg. No other.
 *
 * Order: tail, clock, cmpxchg.
 * I1 Whoever claims read the clock after `tail` was the word and before it changed: stamps are in
 *    buffer order.
 * I2 A short header is claimed only from a word that holds the stamp's own upper bits, and the word
 *    holds those of the record before it: the reader has them.
 * I3 A nested writer always changes the word, so a claim over it fails.
 * With T = 27 the word holds all upper bits. With fewer, 2^(T + 37) ticks would alias.
 * The same word again (ABA) takes exactly 512 MiB of nested records within one wrap of T bits.
 *
 * Known failure: none.
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_PACKED_WORD_H
#define STAMPEDE_PACKED_WORD_H

#define SCHEME_FORMAT { .kind = FORMAT_CTF_PACKED }

#include "core/format_ctf.h"

#define PACKED_ESCAPE 31
#define PACKED_IDS 31 /* that fit beside the stamp */

struct scheme_ring {
	struct ring ring;
};

static const struct scheme_desc scheme_desc = {
	.title = "one word of upper stamp bits and offset",
	.source = "Stampede",
	.promises = PROMISE_ALL,
	.extension = EXTEND_ON_CARRY,
	.extra_per_nested = 0,
	.clock_reads = 1,
	.clock_reads_extended = 1,
};

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, RING_TAIL_PACKED, CTF_PACKET_HEADER_BYTES);
}

/* The stamp's bits above T, where the word keeps them. */
static inline uint64_t packed_upper(const struct ring *ring, uint64_t stamp)
{
	return stamp >> ring_stamp_bits(ring) << RING_PACKED_BITS;
}

/* Bytes of a record, in whole units. `full`: it carries the whole stamp. */
static inline uint64_t packed_bytes(uint32_t id, uint32_t len, bool full)
{
	uint64_t header = full ? 12 + (event_is_sized(id) ? 4 : 0) : 4;

	return bits_align(header + len, RING_PACKED_UNIT);
}

/* Writes a full header and returns the payload's place. */
static inline uint8_t *packed_put_full(uint8_t *at, uint32_t id, uint32_t len, uint64_t stamp)
{
	put_u32(at, id << CTF_ID_BITS | PACKED_ESCAPE);
	put_u64(at + 4, stamp);
	if (!event_is_sized(id))
		return at + 12;
	put_u32(at + 12, len);
	return at + 16;
}

RESERVE_SLOW struct reservation packed_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					    uint64_t tail, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	struct ring_opening opening;
	uint64_t offset, start, size, number;
	bool full, opens;
	uint8_t *record;

	for (;;) {
		offset = ring_packed_offset(tail);
		full = (packed_upper(ring, stamp) ^ tail) >> RING_PACKED_BITS || id >= PACKED_IDS;
		size = packed_bytes(id, len, full);
		opens = size > ring_room(ring, offset);
		start = offset;
		number = ring_packed_number(ring, offset);
		if (opens) {
			/* The begin stamp gives the reader the upper bits; the id may need room. */
			full = id >= PACKED_IDS;
			size = packed_bytes(id, len, full);
			number = offset || ring_subbufs(ring)[0].commits ? number + 1 : 0;
			start = (number << ring_subbuf_shift(ring)) + CTF_PACKET_HEADER_BYTES;
			if (size > ring_max_record(ring) ||
			    !ring_may_open(ring, number, &opening))
				return reserve_lost(ring, size);
		}
		if (local_cmpxchg("claim", &ring->tail, &tail,
				  packed_upper(ring, stamp) |
					  ((start + size) / RING_PACKED_UNIT & RING_PACKED_MASK)))
			break;
		POINT_COUNT(retries);
		tail = shared_load("tail again", &ring->tail);
		stamp = clock_read("clock again");
	}
	if (opens)
		ctf_begin(ring, offset, &opening, stamp);
	record = ring_at(ring, start);
	return (struct reservation){
		.payload = full ? packed_put_full(record, id, len, stamp) :
				  ctf_compact_put(record, id, len, stamp, ring_stamp_bits(ring),
						  false),
		.subbuf = ring_subbuf(ring, number),
		.size = size,
		.stamp = stamp,
	};
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = packed_bytes(id, len, false), offset;
	uint64_t tail = shared_load("tail", &ring->tail), seen = tail;
	uint64_t stamp = clock_read("clock");

	offset = ring_packed_offset(tail);
	/* A record that fills its sub-buffer may carry into the stamp bits: not here. */
	if (unlikely((packed_upper(ring, stamp) ^ tail) >> RING_PACKED_BITS ||
		     size >= ring_room(ring, offset) || id >= PACKED_IDS))
		return reservation_slow(packed_slow(s, id, len, tail, stamp));
	if (unlikely(!local_cmpxchg("claim", &ring->tail, &seen, tail + size / RING_PACKED_UNIT))) {
		POINT_COUNT(retries);
		tail = shared_load("tail again", &ring->tail);
		stamp = clock_read("clock again");
		return reservation_slow(packed_slow(s, id, len, tail, stamp));
	}
	return (struct reservation){
		.payload = ctf_compact_put(ring_at(ring, offset), id, len, stamp,
					   ring_stamp_bits(ring), false),
		.subbuf = ring_subbuf_at(ring, offset),
		.size = size,
		.stamp = stamp,
	};
}

/* The full header; *at stands on the record. */
static __attribute__((noinline)) enum decode_result packed_escape(struct cursor *cursor,
								  struct event *event)
{
	uint64_t left = cursor_left(cursor);

	event->id = get_u32(cursor->at) >> CTF_ID_BITS;
	event->header_bytes = event_is_sized(event->id) ? 16 : 12;
	if (left < event->header_bytes)
		return DECODE_BAD;
	event->time = get_u64(cursor->at + 4);
	/* An id that does not fit has the whole stamp too, but not for the stamp's sake. */
	event->flags = event->id < PACKED_IDS ? EVENT_EXTENDED : 0;
	if (event_is_sized(event->id))
		event->payload_bytes = get_u32(cursor->at + 12);
	return DECODE_EVENT;
}

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	uint64_t left = cursor_left(cursor);
	uint32_t word;

	if (unlikely(left < 4))
		return left ? DECODE_BAD : DECODE_END;
	word = get_u32(cursor->at);
	event->id = word & ((1u << CTF_ID_BITS) - 1);
	event->time = bits_advance(cursor->time, word >> CTF_ID_BITS, cursor->stamp_bits);
	event->flags = 0;
	event->header_bytes = 4;
	event->payload_bytes = cursor->fixed_bytes;
	if (unlikely(event->id == PACKED_ESCAPE) && packed_escape(cursor, event) == DECODE_BAD)
		return DECODE_BAD;
	/* Records are whole units: what the payload does not fill is part of it here. */
	event->payload_bytes = (uint32_t)bits_align(event->payload_bytes, RING_PACKED_UNIT);
	if (unlikely((uint64_t)event->header_bytes + event->payload_bytes > left))
		return DECODE_BAD;
	event->payload = cursor->at + event->header_bytes;
	cursor->at = event->payload + event->payload_bytes;
	cursor->time = event->time;
	return DECODE_EVENT;
}

#endif
