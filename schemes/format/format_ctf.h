/* SPDX-License-Identifier: MIT */
/*
 * CTF 1.8 packets, for the schemes that store absolute low bits or full stamps.
 *
 * Packet header (64 bytes, little endian):
 *   u32 magic, u32 stream_id, u64 timestamp_begin, u64 timestamp_end, u64 content_size (bits),
 *   u64 packet_size (bits), u64 packet_seq_num, u64 events_discarded, u32 cpu_id, u32 reserved
 *
 * Event headers, all packed (fields after the first have align = 1):
 *   compact   u32 { id : 5 | time : 27 }             id 0..28 (with stamp events 0..27);
 *                                                    time = low T bits of the stamp
 *             id 31: u16 id                          ids that do not fit
 *             id 30: u16 id, u16 size                and a payload size
 *             id 29: u16 id, u16 size, u64 stamp     and the whole stamp
 *             size 65535: u32 size follows           after the stamp, if there is one
 *             id 28: u64 stamp                       a stamp event, no payload, where a scheme
 *                                                    defines CTF_STAMP_EVENT (three_read)
 *   wide      u32 time | u16 id | u16 size [u32 size]    64-bit header of 2007
 *   full      u64 stamp | u16 id | u16 size [u32 size]   96-bit header of 2007
 *
 * ALIGNED: the payload, and the next record, start at multiples of 8; the headers' own fields lie
 * naturally as they are.
 *
 * The packet's begin stamp is that of its first event, written by that event's writer; the reader
 * fills in what is known only later (end stamp, sizes, discarded), as ctf_finish() says.
 */
#ifndef STAMPEDE_SCHEMES_FORMAT_FORMAT_CTF_H
#define STAMPEDE_SCHEMES_FORMAT_FORMAT_CTF_H

#include "schemes/core/bytes.h"
#include "schemes/core/scheme.h"

/* Ids that fit beside the stamp: five bits less the escapes that the row has. */
#ifdef CTF_STAMP_EVENT
#define CTF_HAS_STAMP_EVENT true
#define CTF_COMPACT_IDS 28
#else
#define CTF_HAS_STAMP_EVENT false
#ifndef CTF_COMPACT_IDS
#define CTF_COMPACT_IDS 29
#endif
#endif
#ifndef SCHEME_FORMAT
#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_CTF_WORD, .id_bits = 5, .stamp_event = CTF_HAS_STAMP_EVENT \
	}
#endif

#define CTF_MAGIC 0xC1FC1FC1u
#define CTF_PACKET_HEADER_BYTES 64
#define CTF_ID_STAMP 28
#define CTF_ID_FULL 29
#define CTF_ID_SIZED 30
#define CTF_ID_HIGH 31
#define CTF_ID_BITS 5
#define CTF_SIZE_LARGE 65535u

struct ctf_packet_header {
	uint32_t magic;
	uint32_t stream_id;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size; /* bits */
	uint64_t packet_size; /* bits */
	uint64_t packet_seq_num;
	uint64_t events_discarded; /* up to the end of this packet */
	uint32_t cpu_id;
	uint32_t reserved;
};

_Static_assert(sizeof(struct ctf_packet_header) == CTF_PACKET_HEADER_BYTES, "packet header");

static inline struct ctf_packet_header *ctf_header(const struct ring *ring, uint64_t number)
{
	return (struct ctf_packet_header *)(void *)ring_subbuf_base(ring, number);
}

/* For the writer that opens packet `number`: the stamp of its first event. */
static inline void ctf_header_put(const struct ring *ring, struct ctf_packet_header *header,
				  uint64_t number, uint64_t stamp)
{
	header->magic = CTF_MAGIC;
	header->stream_id = 0;
	header->timestamp_begin = stamp;
	header->packet_seq_num = number;
	header->cpu_id = ring->cpu;
	header->reserved = 0;
}

/* Opens packet `opening->number` with the stamp of its first event and books the one before. */
static inline void ctf_begin(struct ring *ring, uint64_t offset, const struct ring_opening *opening,
			     uint64_t stamp)
{
	ctf_header_put(ring, ctf_header(ring, opening->number), opening->number, stamp);
	ring_switched(ring, offset, opening);
}

/* Where a record goes that found too little room: at the start of a sub-buffer still to open. */
struct ctf_claim {
	uint64_t start; /* offset of the record */
	bool opens;
	struct ring_opening opening;
};

/* Fits a record of `size` bytes as the first of the next sub-buffer. False: see ctf_fit(). */
static inline bool ctf_fit_next(struct ring *ring, uint64_t offset, uint64_t size,
				struct ctf_claim *claim)
{
	uint64_t number = ring_next_number(ring, offset);

	claim->opens = true;
	claim->start = (number << ring_subbuf_shift(ring)) + CTF_PACKET_HEADER_BYTES;
	return size <= ring_max_record(ring) && ring_may_open(ring, number, &claim->opening);
}

/*
 * Fits a record of `size` bytes at `offset`, or in the next sub-buffer, which it will open. False:
 * it is too large or no sub-buffer is free.
 */
static inline bool ctf_fit(struct ring *ring, uint64_t offset, uint64_t size,
			   struct ctf_claim *claim)
{
	claim->start = offset;
	claim->opens = false;
	return size <= ring_room(ring, offset) || ctf_fit_next(ring, offset, size, claim);
}

/* Completes the header of packet `number`, whose neighbours are known now, for a reader. */
void ctf_finish(const struct ring *ring, uint64_t number, uint32_t content_bytes);

/*
 * The end stamp of packet `number`, which is finished and read up to a record of `last`. While the
 * next packet is not open, and no flush has closed this one, a reader knows no more than that
 * record.
 */
uint64_t ctf_end(const struct ring *ring, uint64_t number, uint64_t last);

/* The CPU that packet `number` names. */
static inline uint32_t ctf_cpu(const struct ring *ring, uint64_t number)
{
	return ctf_header(ring, number)->cpu_id;
}

/* A reader at the first record of complete packet `number`; false if that is none. */
static inline bool ctf_cursor(const struct ring *ring, uint64_t number, uint32_t content_bytes,
			      struct cursor *cursor)
{
	const uint8_t *base = ring_subbuf_base(ring, number);
	const struct ctf_packet_header *header = ctf_header(ring, number);

	if (content_bytes < CTF_PACKET_HEADER_BYTES || content_bytes > ring_subbuf_bytes(ring) ||
	    header->magic != CTF_MAGIC || header->packet_seq_num != number)
		return false;
	*cursor = (struct cursor){
		.at = base + CTF_PACKET_HEADER_BYTES,
		.end = base + content_bytes,
		.time = header->timestamp_begin,
		.stamp_bits = ring_stamp_bits(ring),
		.fixed_bytes = ring->fixed_bytes,
	};
	return true;
}

/* ---- alignment: these do nothing in packed rows ---- */

/* `bytes` of header or record with the padding behind them. */
static inline uint32_t ctf_padded(uint32_t bytes)
{
#ifdef ALIGNED
	return (uint32_t)bits_align(bytes, SCHEME_ALIGNMENT);
#else
	return bytes;
#endif
}

/* Where the payload goes whose header at `record`, itself aligned, ends at `at`. */
static inline uint8_t *ctf_payload_at(uint8_t *record, uint8_t *at)
{
#ifdef ALIGNED
	return record + bits_align((uint64_t)(at - record), SCHEME_ALIGNMENT);
#else
	(void)record;
	return at;
#endif
}

/*
 * The end of reading a record: `event` has the bytes of its header's fields and of its payload.
 * Steps over both, and over their padding.
 */
static inline enum decode_result ctf_take(struct cursor *cursor, uint64_t left, struct event *event)
{
#ifdef ALIGNED
	uint64_t fields = event->header_bytes, payload = event->payload_bytes;
	uint64_t header = bits_align(fields, SCHEME_ALIGNMENT);
	uint64_t padding = bits_align(header + payload, SCHEME_ALIGNMENT) - fields - payload;

	event->alignment_bytes = (uint32_t)padding;
	event->payload = cursor->at + header;
	if (unlikely(fields + payload + padding > left))
		return DECODE_BAD;
	cursor->at += fields + payload + padding;
	cursor->time = event->time;
	return DECODE_EVENT;
#else
	return cursor_take(cursor, left, event);
#endif
}

/* ---- compact headers ---- */

/* Bytes of the compact header of event `id` with `len` payload bytes. */
static inline uint32_t ctf_compact_bytes(uint32_t id, uint32_t len, bool full)
{
	if (!full && id < CTF_COMPACT_IDS)
		return 4;
	if (!full && !event_is_sized(id))
		return 6;
	return (full ? 16u : 8u) + (len >= CTF_SIZE_LARGE ? 4u : 0u);
}

static inline uint32_t ctf_compact_word(uint32_t id, uint64_t stamp, unsigned int bits)
{
	return (uint32_t)((stamp & bits_mask(bits)) << CTF_ID_BITS) | id;
}

/* Bytes of the whole record. */
static inline uint32_t ctf_compact_record(uint32_t id, uint32_t len, bool full)
{
	return ctf_padded(ctf_padded(ctf_compact_bytes(id, len, full)) + len);
}

/* Writes a compact header and returns where the payload goes. */
static inline uint8_t *ctf_compact_put(uint8_t *record, uint32_t id, uint32_t len, uint64_t stamp,
				       unsigned int bits, bool full)
{
	uint8_t *at = record;

	if (!full && id < CTF_COMPACT_IDS) {
		put_u32(at, ctf_compact_word(id, stamp, bits));
		return ctf_payload_at(record, at + 4);
	}
	put_u16(at + 4, id);
	if (!full && !event_is_sized(id)) {
		put_u32(at, ctf_compact_word(CTF_ID_HIGH, stamp, bits));
		return ctf_payload_at(record, at + 6);
	}
	put_u32(at, ctf_compact_word(full ? CTF_ID_FULL : CTF_ID_SIZED, stamp, bits));
	put_u16(at + 6, len >= CTF_SIZE_LARGE ? CTF_SIZE_LARGE : len);
	at += 8;
	if (full) {
		put_u64(at, stamp);
		at += 8;
	}
	if (len >= CTF_SIZE_LARGE) {
		put_u32(at, len);
		at += 4;
	}
	return ctf_payload_at(record, at);
}

/* Writes a stamp event: the whole stamp, no payload; 12 bytes. */
#define CTF_STAMP_EVENT_BYTES 12
static inline void ctf_stamp_event_put(uint8_t *at, uint64_t stamp, unsigned int bits)
{
	put_u32(at, ctf_compact_word(CTF_ID_STAMP, stamp, bits));
	put_u64(at + 4, stamp);
}

/* The escapes, from CTF_COMPACT_IDS to 31; `event` already has the time of the short field. */
static __attribute__((noinline)) enum decode_result ctf_compact_escape(struct cursor *cursor,
								       struct event *event)
{
	static const uint8_t least[] = { 12, 16, 8, 6 }; /* header bytes by escape */
	uint32_t escape = event->id, need = least[escape - CTF_ID_STAMP], size;
	const uint8_t *at = cursor->at;

	if (cursor_left(cursor) < need)
		return DECODE_BAD;
	event->header_bytes = need;
	if (escape == CTF_ID_STAMP) {
		event->time = get_u64(at + 4);
		event->payload_bytes = 0;
		event->flags = EVENT_EXTENDED | EVENT_STAMP_ONLY;
		return DECODE_EVENT;
	}
	event->id = get_u16(at + 4);
	event->payload_bytes = CURSOR_PAYLOAD(cursor, event->id);
	if (escape == CTF_ID_HIGH)
		return event_is_sized(event->id) ? DECODE_BAD : DECODE_EVENT;
	size = get_u16(at + 6);
	if (escape == CTF_ID_FULL) {
		event->time = get_u64(at + 8);
		event->flags = EVENT_EXTENDED;
	}
	if (size == CTF_SIZE_LARGE) {
		if (cursor_left(cursor) < need + 4)
			return DECODE_BAD;
		size = get_u32(at + need);
		event->header_bytes += 4;
	}
	event->payload_bytes = size;
	return DECODE_EVENT;
}

/* Reads the word of a compact header; DECODE_EVENT: as if nothing but the payload followed. */
static inline enum decode_result ctf_compact_head(struct cursor *cursor, uint64_t left,
						  struct event *event)
{
	uint32_t word;

	if (unlikely(left < 4))
		return left ? DECODE_BAD : DECODE_END;
	word = get_u32(cursor->at);
	event->id = word & ((1u << CTF_ID_BITS) - 1);
	event->time = bits_advance(cursor->time, word >> CTF_ID_BITS, cursor->stamp_bits);
	event->flags = 0;
	event->header_bytes = 4;
	event->payload_bytes = CURSOR_PAYLOAD(cursor, event->id);
	return DECODE_EVENT;
}

/* Reads one record with a compact header. */
static inline enum decode_result ctf_compact_next(struct cursor *cursor, struct event *event)
{
	uint64_t left = cursor_left(cursor);
	enum decode_result head = ctf_compact_head(cursor, left, event);

	if (unlikely(head != DECODE_EVENT))
		return head;
	if (unlikely(event->id >= CTF_COMPACT_IDS) &&
	    ctf_compact_escape(cursor, event) == DECODE_BAD)
		return DECODE_BAD;
	return ctf_take(cursor, left, event);
}

/* ---- the 64-bit and 96-bit headers ---- */

/* Bytes of a header with `stamp_bytes` (4 or 8) of stamp. */
static inline uint32_t ctf_large_bytes(uint32_t stamp_bytes, uint32_t len)
{
	return stamp_bytes + 4 + (len >= CTF_SIZE_LARGE ? 4 : 0);
}

/* Bytes of the whole record. */
static inline uint32_t ctf_large_record(uint32_t stamp_bytes, uint32_t len)
{
	return ctf_padded(ctf_padded(ctf_large_bytes(stamp_bytes, len)) + len);
}

/* Writes such a header with the low `bits` bits of the stamp and returns the payload's place. */
static inline uint8_t *ctf_large_put(uint8_t *record, uint32_t stamp_bytes, uint32_t id,
				     uint32_t len, uint64_t stamp, unsigned int bits)
{
	uint8_t *at = record;

	if (stamp_bytes == 8)
		put_u64(at, stamp & bits_mask(bits));
	else
		put_u32(at, (uint32_t)(stamp & bits_mask(bits)));
	at += stamp_bytes;
	if (len >= CTF_SIZE_LARGE) {
		put_u32(at, id | CTF_SIZE_LARGE << 16);
		put_u32(at + 4, len);
		return ctf_payload_at(record, at + 8);
	}
	put_u32(at, id | len << 16);
	return ctf_payload_at(record, at + 4);
}

/* Reads one record with such a header. */
static inline enum decode_result ctf_large_next(struct cursor *cursor, uint32_t stamp_bytes,
						struct event *event)
{
	uint64_t left = cursor_left(cursor), stamp;
	uint32_t word;

	if (unlikely(left < stamp_bytes + 4))
		return left ? DECODE_BAD : DECODE_END;
	stamp = stamp_bytes == 8 ? get_u64(cursor->at) : get_u32(cursor->at);
	event->time = bits_advance(cursor->time, stamp, cursor->stamp_bits);
	word = get_u32(cursor->at + stamp_bytes);
	event->id = word & 0xffff;
	event->payload_bytes = word >> 16;
	event->header_bytes = stamp_bytes + 4;
	event->flags = 0;
	if (unlikely(event->payload_bytes == CTF_SIZE_LARGE)) {
		if (left < stamp_bytes + 8)
			return DECODE_BAD;
		event->payload_bytes = get_u32(cursor->at + stamp_bytes + 4);
		event->header_bytes += 4;
	}
	return ctf_take(cursor, left, event);
}

/* The reader of a scheme that includes this format, and no other before: see parts/defaults.h. */
#ifndef FORMAT_NEXT
#define FORMAT_HEADER_BYTES CTF_PACKET_HEADER_BYTES
#define FORMAT_FINISH ctf_finish
#define FORMAT_END ctf_end
#define FORMAT_STAMPED(content_bytes) true
#define FORMAT_CURSOR ctf_cursor
#define FORMAT_NAMES_CPU true
#define FORMAT_CPU ctf_cpu
#define FORMAT_NEXT ctf_compact_next
#endif

#endif
