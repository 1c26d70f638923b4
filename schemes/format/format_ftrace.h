/* SPDX-License-Identifier: MIT */
/*
 * ftrace sub-buffers, for the schemes that store deltas. Little endian.
 *
 * Header (16 bytes): u64 time_stamp, u64 commit (bytes of data that follow).
 * Record header u32 { type_len : 5 | time_delta : 27 }:
 *   type_len 1..28  payload of type_len * 4 bytes
 *            0      u32 length follows, which counts itself; then the payload
 *            29     padding
 *            30     extend: u32 follows; delta = (word << 27) + time_delta is added
 *            31     absolute: the same packing, 59 bits, replaces the time
 * The first record of a sub-buffer has its time from the header, and delta 0. An extend or absolute
 * is followed by the event that it stamps, whose own delta is 0.
 *
 * ALIGNED is the kernel's RB_FORCE_8BYTE_ALIGNMENT: type_len is always 0 and the length word there,
 * so that payloads start at multiples of 8; they are whole multiples of 8.
 *
 * With fewer than 27 bits (tests, storms) T takes the place of 27 in the packing.
 */
#ifndef STAMPEDE_SCHEMES_FORMAT_FORMAT_FTRACE_H
#define STAMPEDE_SCHEMES_FORMAT_FORMAT_FTRACE_H

#include "schemes/core/bytes.h"
#include "schemes/core/scheme.h"

#ifndef SCHEME_FORMAT
#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_FTRACE \
	}
#endif

/* FTRACE_LENGTH_ALWAYS: a scheme that always writes the length word, as ALIGNED does. */
#ifdef FTRACE_LENGTH_ALWAYS
#define FTRACE_HAS_LENGTH true
#else
#define FTRACE_HAS_LENGTH (SCHEME_ALIGNMENT > 0)
#endif

#define FTRACE_HEADER_BYTES 16
#define FTRACE_TYPE_LARGE 0
#define FTRACE_TYPE_MAX_SMALL 28
#define FTRACE_TYPE_PADDING 29
#define FTRACE_TYPE_EXTEND 30
#define FTRACE_TYPE_ABSOLUTE 31
#define FTRACE_TYPE_BITS 5
#define FTRACE_TIME_BYTES 8

struct ftrace_header {
	uint64_t time_stamp;
	uint64_t commit; /* bytes; filled in by the reader, see ftrace_finish() */
};

_Static_assert(sizeof(struct ftrace_header) == FTRACE_HEADER_BYTES, "sub-buffer header");

/* Payload bytes as stored: whole words, at least one. */
static inline uint32_t ftrace_payload_bytes(uint32_t len)
{
#ifdef ALIGNED
	return len ? (len + 7) & ~7u : 8;
#endif
	return len ? (len + 3) & ~3u : 4;
}

/* Is there a length word? */
static inline bool ftrace_is_large(uint32_t payload)
{
	return FTRACE_HAS_LENGTH || payload > FTRACE_TYPE_MAX_SMALL * 4;
}

/* Bytes of the record of an event with `len` payload bytes, without an extend or absolute. */
static inline uint64_t ftrace_record_bytes(uint32_t len)
{
	uint32_t payload = ftrace_payload_bytes(len);

	return (uint64_t)payload + (ftrace_is_large(payload) ? 8 : 4);
}

/* Writes an event's header; `delta` fits the short field. Returns where the payload goes. */
static inline uint8_t *ftrace_put(uint8_t *at, uint32_t len, uint64_t delta)
{
	uint32_t payload = ftrace_payload_bytes(len), word = (uint32_t)delta << FTRACE_TYPE_BITS;

	if (!ftrace_is_large(payload)) {
		put_u32(at, word | payload / 4);
		return at + 4;
	}
	put_u32(at, word | FTRACE_TYPE_LARGE);
	put_u32(at + 4, payload + 4);
	return at + 8;
}

/* Writes an extend or absolute record of T + 32 bits. Returns where the event's header goes. */
static inline uint8_t *ftrace_put_time(uint8_t *at, uint32_t type, uint64_t value,
				       unsigned int bits)
{
	put_u32(at, (uint32_t)((value & bits_mask(bits)) << FTRACE_TYPE_BITS) | type);
	put_u32(at + 4, (uint32_t)(value >> bits));
	return at + FTRACE_TIME_BYTES;
}

/*
 * Writes the record of `size` bytes at `record`: an extend or absolute of `value` if `type` says so
 * (room was claimed for it), and the event's header, with `value` as its delta otherwise.
 */
static inline struct reservation ftrace_place(const struct ring *ring, uint8_t *record,
					      struct subbuf *subbuf, uint64_t size, uint32_t len,
					      uint64_t stamp, uint32_t type, uint64_t value)
{
	if (type) {
		record = ftrace_put_time(record, type, value, ring_stamp_bits(ring));
		value = 0;
	}
	return (struct reservation){
		.payload = ftrace_put(record, len, value),
		.subbuf = subbuf,
		.size = size,
		.stamp = stamp,
	};
}

/* The first event of sub-buffer `number` gives it its begin stamp. */
static inline void ftrace_begin(struct ring *ring, uint64_t number, uint64_t stamp)
{
	struct ftrace_header *header = (struct ftrace_header *)ring_subbuf_base(ring, number);

	/* One store: a nested writer reads the old stamp or this one. */
	shared_store("begin stamp", &header->time_stamp, stamp);
}

/* Writes the commit field of complete sub-buffer `number` for a reader. */
static inline void ftrace_finish(const struct ring *ring, uint64_t number, uint32_t content_bytes)
{
	((struct ftrace_header *)ring_subbuf_base(ring, number))->commit =
		content_bytes - FTRACE_HEADER_BYTES;
}

/* The begin stamp of sub-buffer `number`. */
static inline uint64_t ftrace_begin_stamp(const struct ring *ring, uint64_t number)
{
	const struct ftrace_header *header =
		(const struct ftrace_header *)ring_subbuf_base(ring, number);

	return shared_load("begin stamp?", &header->time_stamp);
}

/* A reader at the first record of sub-buffer `number`; false if that is none. */
static inline bool ftrace_cursor(const struct ring *ring, uint64_t number, uint32_t content_bytes,
				 struct cursor *cursor)
{
	const uint8_t *base = ring_subbuf_base(ring, number);

	if (content_bytes < FTRACE_HEADER_BYTES || content_bytes > ring_subbuf_bytes(ring))
		return false;
	*cursor = (struct cursor){
		.at = base + FTRACE_HEADER_BYTES,
		.end = base + content_bytes,
		.time = ((const struct ftrace_header *)base)->time_stamp,
		.stamp_bits = ring_stamp_bits(ring),
		.fixed_bytes = ring->fixed_bytes,
	};
	return true;
}

/* The type in a record's first word. */
static inline uint32_t ftrace_type(uint32_t word)
{
	return word & ((1u << FTRACE_TYPE_BITS) - 1);
}

static inline bool ftrace_is_time(uint32_t type)
{
	return type == FTRACE_TYPE_EXTEND || type == FTRACE_TYPE_ABSOLUTE;
}

/* The time behind the extend or absolute at `at`, which is whole. */
static inline uint64_t ftrace_time(const uint8_t *at, uint64_t time, unsigned int bits)
{
	uint32_t word = get_u32(at);
	uint64_t value = ((uint64_t)get_u32(at + 4) << bits) + (word >> FTRACE_TYPE_BITS);

	if (ftrace_type(word) == FTRACE_TYPE_EXTEND)
		return time + value;
	/* The bits above T + 32 are those of the record before, or one more. */
	return bits_advance(time, value, bits + 32);
}

/*
 * The payload bytes of the event whose first word is at `at`, with `left` bytes from there, by its
 * length word if it has one; header bytes in *header. False: no event.
 */
static inline bool ftrace_size(const uint8_t *at, uint64_t left, uint32_t *header,
			       uint32_t *payload)
{
	uint32_t type = ftrace_type(get_u32(at)), large;

	*header = 4;
	*payload = type * 4;
	if (type != FTRACE_TYPE_LARGE)
		return type <= FTRACE_TYPE_MAX_SMALL;
	*header = 8;
	if (left < 8)
		return false;
	large = get_u32(at + 4);
	*payload = large - 4;
	return large >= 4;
}

/* Large events, extends and absolutes; *at stands on the record. */
static __attribute__((noinline)) enum decode_result ftrace_escape(struct cursor *cursor,
								  struct event *event)
{
	const uint8_t *at = cursor->at;
	uint32_t header;

	if (ftrace_is_time(ftrace_type(get_u32(at)))) {
		/* Its event has to follow: at least a header and one word. */
		if (cursor_left(cursor) < FTRACE_TIME_BYTES + 8)
			return DECODE_BAD;
		event->time = ftrace_time(at, cursor->time, cursor->stamp_bits);
		event->flags = EVENT_EXTENDED;
		event->header_bytes = FTRACE_TIME_BYTES;
		at += FTRACE_TIME_BYTES;
		event->time += get_u32(at) >> FTRACE_TYPE_BITS;
	} else {
		event->header_bytes = 0;
	}
	if (!ftrace_size(at, (uint64_t)(cursor->end - at), &header, &event->payload_bytes))
		return DECODE_BAD;
	event->header_bytes += header;
#ifdef ALIGNED
	/* In a packed row a small payload has no length word. */
	event->alignment_bytes =
		header == 8 && event->payload_bytes <= FTRACE_TYPE_MAX_SMALL * 4 ? 4 : 0;
	event->header_bytes -= event->alignment_bytes;
#endif
	return DECODE_EVENT;
}

/* Reads one event with whatever precedes it. */
static inline enum decode_result ftrace_next(struct cursor *cursor, struct event *event)
{
	uint64_t left = cursor_left(cursor), before;
	uint32_t word, type;

	if (unlikely(left < 4))
		return left ? DECODE_BAD : DECODE_END;
	word = get_u32(cursor->at);
	type = ftrace_type(word);
	event->id = EVENT_ID_UNKNOWN; /* the kernel has it in the payload */
	event->time = cursor->time + (word >> FTRACE_TYPE_BITS);
	event->flags = 0;
	event->header_bytes = 4;
	event->payload_bytes = type * 4;
	if (unlikely(type - 1 >= FTRACE_TYPE_MAX_SMALL) &&
	    ftrace_escape(cursor, event) == DECODE_BAD)
		return DECODE_BAD;
	before = event->header_bytes;
#ifdef ALIGNED
	before += event->alignment_bytes;
#endif
	if (unlikely(before + event->payload_bytes > left))
		return DECODE_BAD;
	event->payload = cursor->at + before;
	cursor->at = event->payload + event->payload_bytes;
	cursor->time = event->time;
	return DECODE_EVENT;
}

/* The reader of a scheme that includes this format, and no other before: see parts/defaults.h. */
#ifndef FORMAT_NEXT
#define FORMAT_HEADER_BYTES FTRACE_HEADER_BYTES
#define FORMAT_FINISH ftrace_finish
/* The first record stamps it. */
#define FORMAT_STAMPED(content_bytes) ((content_bytes) > FTRACE_HEADER_BYTES)
#define FORMAT_END(ring, number, last) (last) /* it has none */
#define FORMAT_CURSOR ftrace_cursor
#define FORMAT_NAMES_CPU false
#define FORMAT_CPU(ring, number) 0
#define FORMAT_NEXT ftrace_next
#endif

#endif
