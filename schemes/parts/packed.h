/* SPDX-License-Identifier: MIT */
/*
 * Records and claims of schemes with one word {upper bits of the newest stamp | offset}.
 *
 * Layout: u32 { id : 5 | low T bits of the stamp : 27 }, payload; where the upper bits change, or
 * the id does not fit: u32 { 31 | id : 27 }, u64 stamp [u32 size], payload. Records are whole
 * 4-byte units. CTF packets; the stamp that opens a packet is its begin stamp.
 *
 * A reader of CTF adds a wrap where the low bits are less than the previous ones. No writer relies
 * on that: a short header has the upper bits of its predecessor. So a reader that keeps these
 * (PACKED_READER_KEEPS_UPPER) is right even where the clock went back; no CTF says so to others.
 *
 * PACKED_WHOLE: all records have the second form. Then no writer has to know the upper bits of the
 * previous record, and the word's stay 0.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_PACKED_H
#define STAMPEDE_SCHEMES_PARTS_PACKED_H

#ifdef PACKED_READER_KEEPS_UPPER
#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_OWN, .forward = FORMAT_CTF_PACKED \
	}
#else
#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_CTF_PACKED \
	}
#endif

#define PACKED_ESCAPE 31
#define PACKED_IDS 31 /* that fit beside the stamp */
#define CTF_COMPACT_IDS PACKED_IDS

#include "schemes/format/format_ctf.h"

/* The stamp's bits above T, where the word keeps them. */
static inline uint64_t packed_upper(const struct ring *ring, uint64_t stamp)
{
	return PACKED_EVERY ? 0 :
			      stamp >> ring_stamp_bits(ring) << ring_packed_bits(ring) &
				      bits_mask(PACKED_WORD_BITS);
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

/* Writes the header of a record, short if its id fits, and returns the payload's place. */
static inline uint8_t *packed_put(const struct ring *ring, uint8_t *at, uint32_t id, uint32_t len,
				  uint64_t stamp, bool full)
{
	if (full)
		return packed_put_full(at, id, len, stamp);
	put_u32(at, ctf_compact_word(id, stamp, ring_stamp_bits(ring)));
	return at + 4;
}

/*
 * Does a claim of [tail, next) end outside the sub-buffer that holds the last byte before it? It
 * does where that sub-buffer is full, and where the claim fills it.
 */
static inline bool packed_leaves(const struct ring *ring, local_uint tail, local_uint next)
{
	return ((tail - 1) ^ next) >= ring_subbuf_bytes(ring) / RING_PACKED_UNIT;
}

/* Where a record goes, and the word behind it. */
struct packed_claim {
	uint64_t start;
	uint64_t size;
	uint64_t number; /* of its sub-buffer */
	uint64_t next; /* tail */
	bool full;
	bool opens;
	struct ring_opening opening;
};

/*
 * Fits a record behind `tail`; it carries the whole stamp where the upper bits change, or if it is
 * `whole` anyway. False: it is lost; claim->size says how large it is.
 */
static inline bool packed_fit(struct ring *ring, uint32_t id, uint32_t len, uint64_t tail,
			      uint64_t stamp, bool whole, struct packed_claim *claim)
{
	uint64_t offset = ring_packed_offset(ring, tail), upper = packed_upper(ring, stamp);

	claim->full = PACKED_EVERY || whole || (upper ^ tail) >> ring_packed_bits(ring) ||
		      id >= PACKED_IDS;
	claim->size = packed_bytes(id, len, claim->full);
	claim->opens = claim->size > ring_room(ring, offset);
	claim->start = offset;
	claim->number = ring_packed_number(ring, offset);
	if (claim->opens) {
		/* The begin stamp gives the reader the upper bits; the id may need room. */
		claim->full = PACKED_EVERY || id >= PACKED_IDS;
		claim->size = packed_bytes(id, len, claim->full);
		claim->number = ring_packed_next(ring, tail);
		claim->start = (claim->number << ring_subbuf_shift(ring)) + CTF_PACKET_HEADER_BYTES;
		if (claim->size > ring_max_record(ring) ||
		    !ring_may_open(ring, claim->number, &claim->opening))
			return false;
	}
	claim->next =
		upper | ((claim->start + claim->size) / RING_PACKED_UNIT & ring_packed_mask(ring));
	return true;
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
	/* An id that does not fit brings the whole stamp with it, which is then no extension. */
	event->flags = event->id < PACKED_IDS ? EVENT_EXTENDED : 0;
	event->payload_bytes = event_is_sized(event->id) ? get_u32(cursor->at + 12) :
							   CURSOR_PAYLOAD(cursor, event->id);
	return DECODE_EVENT;
}

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	uint64_t left = cursor_left(cursor);
	enum decode_result head = ctf_compact_head(cursor, left, event);

	if (unlikely(head != DECODE_EVENT))
		return head;
#ifdef PACKED_READER_KEEPS_UPPER
	event->time = bits_clear(cursor->time, cursor->stamp_bits) |
		      (event->time & bits_mask(cursor->stamp_bits));
#endif
	if (unlikely(event->id == PACKED_ESCAPE) && packed_escape(cursor, event) == DECODE_BAD)
		return DECODE_BAD;
	/*
	 * Records are whole units: the reader counts the unused bytes of the last one as payload.
	 */
	event->payload_bytes = (uint32_t)bits_align(event->payload_bytes, RING_PACKED_UNIT);
	return cursor_take(cursor, left, event);
}

#endif
