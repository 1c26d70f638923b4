/* SPDX-License-Identifier: MIT */
/*
 * 16 or 8 bits of difference to the previous record; where they do not suffice, an event before it
 * has the bits above them. Writers are serialised, since the previous stamp is one variable.
 *
 * Source: Percepio's trace recorder for snapshots (prvTraceGetDTS), events of four bytes.
 *
 * Layout, all in whole 4-byte units, little endian, in CTF packets whose begin stamp is that of the
 * first event:
 *   event    u8 type, u8 handle, u16 difference; DTS_8: u8 type, u8 difference, u16 parameter
 *   XTS      u8 240, u8 bits 16..23, u16 bits 0..15 of what is above the field; its event follows
 *   ids      of 240 and more: type 254, and a unit {u16 id | 0}; with a size: type 255, and another
 *            unit of it
 * There all that an event says is in its handle or parameter, which are 0 here, and the snapshot
 * has no stamp but the last one's.
 *
 * Shared words, by masked writers only (parts/mask.h): tail and last, plain stores.
 * I1 is that of parts/alone.h. I2 The event and its XTS are one claim, and last is stored with them
 * only. Percepio stores last first, and without a slot for the XTS loses the upper bits.
 *
 * A nested writer runs late, by the soft mask, and is stamped when it runs.
 *
 * Known failure: a gap of 2^32 ticks or more is taken for a shorter one.
 * Clock reads per event: 1.
 */
#ifndef STAMPEDE_SCHEMES_DTS_XTS_H
#define STAMPEDE_SCHEMES_DTS_XTS_H

#define SCHEME_FORMAT FORMAT_OF_ITS_OWN

#include "schemes/format/format_ctf.h"
#include "schemes/parts/alone_forms.h"

#define DTS_UNIT 4
#define DTS_XTS 240u
#define DTS_ID_HIGH 254u
#define DTS_ID_SIZED 255u
#ifdef DTS_8
#define DTS_SHIFT 8 /* where the field lies in the unit */
#define DTS_GAP_BITS 24
#else
#define DTS_SHIFT 16
#define DTS_GAP_BITS 16
#endif

static const struct scheme_desc scheme_desc = {
#ifdef DTS_8
	.title = "8 bits of difference, an event before it for 24 more, soft mask",
#else
	.title = "16 bits of difference, an event before it for 16 more, soft mask",
#endif
	.source = "Percepio trace recorder, prvTraceGetDTS",
	.promises = PROMISE_ALL,
	.extension = EXTEND_ON_GAP,
	.gap_bits = DTS_GAP_BITS,
	.clock_reads = 1,
};

/* Writes the event's unit, and those of an id that does not fit it. Returns the payload's place. */
static inline uint8_t *dts_put(uint8_t *at, uint32_t id, uint32_t len, uint64_t low)
{
	uint32_t type = id < DTS_XTS ? id : event_is_sized(id) ? DTS_ID_SIZED : DTS_ID_HIGH;

	put_u32(at, type | (uint32_t)low << DTS_SHIFT);
	if (likely(id < DTS_XTS))
		return at + DTS_UNIT;
	put_u32(at + DTS_UNIT, id);
	if (!event_is_sized(id))
		return at + 2 * DTS_UNIT;
	put_u32(at + 2 * DTS_UNIT, len);
	return at + 3 * DTS_UNIT;
}

/* alone_far() of a difference that outlives the store of last. */
static inline bool dts_far(const struct scheme_ring *s, uint64_t delta, enum alone_form form)
{
	return form == ALONE_ANY && bits_overflow(delta, ring_stamp_bits(&s->ring));
}

static inline uint64_t alone_bytes(const struct scheme_ring *s, uint32_t id, uint32_t len,
				   uint64_t stamp, enum alone_form form)
{
	unsigned int units = likely(id < DTS_XTS) ? 1 : event_is_sized(id) ? 3 : 2;

	units += dts_far(s, alone_delta(s, stamp, form), form);
	return bits_align(units * DTS_UNIT + (uint64_t)len, DTS_UNIT);
}

static inline uint8_t *alone_put(struct scheme_ring *s, uint8_t *at, uint32_t id, uint32_t len,
				 uint64_t stamp, enum alone_form form)
{
	uint64_t delta = alone_delta(s, stamp, form);
	unsigned int bits = ring_stamp_bits(&s->ring);
	uint32_t upper;

	shared_store("store last", &s->last, stamp); /* I1, I2 */
	if (unlikely(dts_far(s, delta, form))) {
		upper = (uint32_t)((delta & bits_mask(bits + DTS_GAP_BITS)) >> bits);
		put_u32(at, DTS_XTS | (upper >> 16 & 0xff) << 8 | (upper & 0xffff) << 16);
		at += DTS_UNIT;
	}
	return dts_put(at, id, len, delta & bits_mask(bits));
}

#include "schemes/parts/alone.h"

#define SCHEME_MASKED

/* The id, and the size, that did not fit; `at` is the event's unit, `event` has what is before. */
static __attribute__((noinline)) enum decode_result dts_escape(const uint8_t *at, uint64_t left,
							       struct event *event)
{
	bool sized = event->id == DTS_ID_SIZED;

	if (event->id < DTS_ID_HIGH || left < (sized ? 3 : 2) * DTS_UNIT)
		return DECODE_BAD;
	event->id = get_u32(at + DTS_UNIT);
	if (event->id > UINT16_MAX || event_is_sized(event->id) != sized)
		return DECODE_BAD;
	event->header_bytes += DTS_UNIT;
	if (!sized)
		return DECODE_EVENT;
	event->payload_bytes = get_u32(at + 2 * DTS_UNIT);
	if (event->payload_bytes > left)
		return DECODE_BAD; /* before its padding could make it 0 */
	event->header_bytes += DTS_UNIT;
	return DECODE_EVENT;
}

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	uint64_t left = cursor_left(cursor), upper = 0;
	const uint8_t *at = cursor->at;
	uint32_t unit;

	if (unlikely(left < DTS_UNIT))
		return left ? DECODE_BAD : DECODE_END;
	event->flags = 0;
	event->header_bytes = DTS_UNIT;
	unit = get_u32(at);
	if (unlikely((unit & 0xff) == DTS_XTS)) {
		/* Its event has to follow. */
		if (left < 2 * DTS_UNIT)
			return DECODE_BAD;
		upper = (uint64_t)(unit >> 8 & 0xff) << 16 | unit >> 16;
		event->flags = EVENT_EXTENDED;
		event->header_bytes += DTS_UNIT;
		at += DTS_UNIT;
		unit = get_u32(at);
	}
	event->id = unit & 0xff;
	event->time = cursor->time + (upper << cursor->stamp_bits) +
		      (unit >> DTS_SHIFT & (uint32_t)bits_mask(cursor->stamp_bits));
	event->payload_bytes = cursor->fixed_bytes;
	if (unlikely(event->id >= DTS_XTS) &&
	    dts_escape(at, left - (uint64_t)(at - cursor->at), event) == DECODE_BAD)
		return DECODE_BAD;
	event->payload_bytes = (uint32_t)bits_align(event->payload_bytes, DTS_UNIT);
	return cursor_take(cursor, left, event);
}

#endif
