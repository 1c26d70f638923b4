/* SPDX-License-Identifier: MIT */
/*
 * CTF packets (format/format_ctf.h) of records whose stamp is a LEB128: seven bits a byte, lowest
 * first, the top bit says that more follow. It holds the low bits of the stamp, as many as its
 * bytes have room for, or all 64 in ten bytes: CTF 2 has such fields (traces/ctf_layout.h), and a
 * reader goes on to the next time that ends in these bits.
 *
 *   u8 id            0 .. 253; 254: u16 id behind the stamp; 255: u16 id, u16 size behind it
 *   LEB128 stamp     2 .. 10 bytes: its low T + 7 * (bytes - 2) bits, T = 14; all in 10 bytes
 *   [u16 id [u16 size [u32 size]]]    size 65535: the u32 has it
 *   payload
 *
 * Nothing is aligned. With fewer than 14 bits (tests, storms) the first two bytes hold T.
 */
#ifndef STAMPEDE_SCHEMES_FORMAT_FORMAT_VARINT_H
#define STAMPEDE_SCHEMES_FORMAT_FORMAT_VARINT_H

#include "schemes/format/format_ctf.h"

#define VARINT_IDS 254 /* that fit the byte */
#define VARINT_ID_HIGH 254
#define VARINT_ID_SIZED 255
#ifndef VARINT_LEAST
#define VARINT_LEAST 2 /* bytes of a stamp */
#endif
#define VARINT_WHOLE 10
#define VARINT_GROUP 7 /* bits of a byte */

/* How many low bits of a stamp `bytes` hold. */
static inline unsigned int varint_bits(unsigned int bytes, unsigned int stamp_bits)
{
	return bytes == VARINT_WHOLE ? 64 : stamp_bits + VARINT_GROUP * (bytes - VARINT_LEAST);
}

/* The fewest bytes with which a reader tells a stamp that is `delta` behind the one it knows. */
static inline unsigned int varint_bytes(uint64_t delta, unsigned int stamp_bits)
{
	unsigned int bytes = VARINT_LEAST;

	while (bytes < VARINT_WHOLE && bits_overflow(delta, varint_bits(bytes, stamp_bits)))
		bytes++;
	return bytes;
}

/* Bytes of a record whose stamp takes `bytes` of them. */
static inline uint64_t varint_record(uint32_t id, uint32_t len, unsigned int bytes)
{
	uint64_t size = 1 + bytes + (uint64_t)len;

	if (id < VARINT_IDS)
		return size;
	return size + 2 + (!event_is_sized(id) ? 0 : len >= CTF_SIZE_LARGE ? 6 : 2);
}

/* Writes the short header of a small id, whose stamp takes two bytes. Returns the payload's place.
 */
static inline uint8_t *varint_put_short(uint8_t *at, uint32_t id, uint64_t stamp,
					unsigned int stamp_bits)
{
	uint32_t low = (uint32_t)(stamp & bits_mask(stamp_bits));

	at[0] = (uint8_t)id;
	/* The upper group one bit further up: where the first byte says that there is a second. */
	put_u16(at + 1, low + (low & ~0x7fu) + 0x80);
	return at + 3;
}

/* Writes a LEB128 of so many bytes and returns the place behind it. */
static inline uint8_t *varint_put_value(uint8_t *at, uint64_t value, unsigned int bytes)
{
	for (; bytes > 1; bytes--, value >>= VARINT_GROUP)
		*at++ = (uint8_t)(value & 0x7f) | 0x80;
	*at++ = (uint8_t)value;
	return at;
}

/* Writes any header and returns the payload's place. */
static inline uint8_t *varint_put(uint8_t *at, uint32_t id, uint32_t len, uint64_t stamp,
				  unsigned int bytes, unsigned int stamp_bits)
{
	uint64_t rest = stamp & bits_mask(varint_bits(bytes, stamp_bits));
	bool sized = event_is_sized(id);

	*at++ = (uint8_t)(id < VARINT_IDS ? id : sized ? VARINT_ID_SIZED : VARINT_ID_HIGH);
	at = varint_put_value(at, rest, bytes);
	if (id < VARINT_IDS)
		return at;
	put_u16(at, id);
	at += 2;
	if (!sized)
		return at;
	put_u16(at, len >= CTF_SIZE_LARGE ? CTF_SIZE_LARGE : len);
	at += 2;
	if (len < CTF_SIZE_LARGE)
		return at;
	put_u32(at, len);
	return at + 4;
}

/*
 * Takes the LEB128 at `at`, with `left` bytes from there. How many bytes it has; 0: it is none, or
 * not whole.
 */
static inline unsigned int varint_take(const uint8_t *at, uint64_t left, uint64_t *value)
{
	unsigned int bytes = 0;

	*value = 0;
	do {
		if (bytes == left || bytes == VARINT_WHOLE)
			return 0;
		*value |= (uint64_t)(at[bytes] & 0x7f) << (VARINT_GROUP * bytes);
	} while (at[bytes++] & 0x80);
	return bytes < VARINT_LEAST ? 0 : bytes;
}

/* The id, and the size, that did not fit; `event` has the bytes before them. */
static __attribute__((noinline)) enum decode_result varint_escape(struct cursor *cursor,
								  struct event *event)
{
	uint64_t left = cursor_left(cursor) - event->header_bytes;
	const uint8_t *at = cursor->at + event->header_bytes;
	bool sized = event->id == VARINT_ID_SIZED;

	if (left < (sized ? 4 : 2))
		return DECODE_BAD;
	event->id = get_u16(at);
	event->header_bytes += sized ? 4 : 2;
	if (event_is_sized(event->id) != sized)
		return DECODE_BAD;
	if (!sized) {
		event->payload_bytes = CURSOR_PAYLOAD(cursor, event->id);
		return DECODE_EVENT;
	}
	event->payload_bytes = get_u16(at + 2);
	if (event->payload_bytes != CTF_SIZE_LARGE)
		return DECODE_EVENT;
	if (left < 8)
		return DECODE_BAD;
	event->payload_bytes = get_u32(at + 4);
	event->header_bytes += 4;
	return DECODE_EVENT;
}

/* All of a record but what its stamp, of so many bytes, makes the time. */
static inline enum decode_result varint_read(struct cursor *cursor, struct event *event,
					     uint64_t *value, unsigned int *bytes)
{
	uint64_t left = cursor_left(cursor);

	if (unlikely(!left))
		return DECODE_END;
	*bytes = varint_take(cursor->at + 1, left - 1, value);
	if (unlikely(!*bytes))
		return DECODE_BAD;
	event->id = cursor->at[0];
	event->flags = 0;
	event->header_bytes = 1 + *bytes;
	event->payload_bytes = CURSOR_PAYLOAD(cursor, event->id);
	return unlikely(event->id >= VARINT_IDS) ? varint_escape(cursor, event) : DECODE_EVENT;
}

/* Reads one record whose stamp is that of low bits. */
static inline enum decode_result varint_next(struct cursor *cursor, struct event *event)
{
	enum decode_result result;
	unsigned int bytes;
	uint64_t value;

	result = varint_read(cursor, event, &value, &bytes);
	if (unlikely(result != DECODE_EVENT))
		return result;
	event->time = bits_advance(cursor->time, value, varint_bits(bytes, cursor->stamp_bits));
	event->flags = bytes > VARINT_LEAST ? EVENT_EXTENDED : 0;
	return cursor_take(cursor, cursor_left(cursor), event);
}

/*
 * Reads one record whose stamp is the difference to that before, in units of 2^`shift` ticks, or,
 * with XOR, the bits that differ.
 */
static inline enum decode_result varint_next_delta(struct cursor *cursor, struct event *event,
						   unsigned int shift)
{
	enum decode_result result;
	unsigned int bytes;
	uint64_t value;

	result = varint_read(cursor, event, &value, &bytes);
	if (unlikely(result != DECODE_EVENT))
		return result;
#ifdef XOR
	event->time = cursor->time ^ value << shift;
#else
	event->time = cursor->time + (value << shift);
#endif
	return cursor_take(cursor, cursor_left(cursor), event);
}

#endif
