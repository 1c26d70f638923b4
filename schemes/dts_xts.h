/* SPDX-License-Identifier: MIT */
/*
 * 16 or 8 bits of difference to the record before; where they do not do, an event before it has the
 * bits above them. Writers are serialised, since the stamp before is one variable.
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
 * I1 Between the clock read and the store of last no other writer records: last is the stamp of the
 *    record before.
 * I2 The event and its XTS are one claim, and last is stored with them only. There last is stored
 *    first, and without a slot for the XTS the upper bits are lost.
 *
 * A nested writer runs late, by the soft mask, and is stamped when it runs.
 *
 * Known failure: a gap of 2^32 ticks or more is taken for a shorter one.
 * Clock reads per event: 1.
 */
#ifndef STAMPEDE_SCHEMES_DTS_XTS_H
#define STAMPEDE_SCHEMES_DTS_XTS_H

#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_OWN \
	}

#include "schemes/format/format_ctf.h"
#include "schemes/parts/mask.h"

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

struct scheme_ring {
	struct ring ring;
	uint64_t last;
	struct soft_mask mask;
};

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
	.clock_reads_extended = 1,
};

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, RING_TAIL_OFFSET, CTF_PACKET_HEADER_BYTES);
	s->last = 0;
}

static inline uint64_t dts_bytes(uint32_t id, uint32_t len)
{
	unsigned int units = likely(id < DTS_XTS) ? 1 : event_is_sized(id) ? 3 : 2;

	return bits_align(units * DTS_UNIT + (uint64_t)len, DTS_UNIT);
}

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

/* Claims `size` bytes at `start`, which have room for an XTS if `xts` says so. */
static inline struct reservation dts_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					   uint64_t start, uint64_t size, uint64_t stamp,
					   uint64_t delta, bool xts)
{
	struct ring *ring = &s->ring;
	uint8_t *at = ring_at(ring, start);
	uint32_t upper;

	shared_store("tail", &ring->tail, start + size); /* I1, I2 */
	shared_store("store last", &s->last, stamp); /* I1, I2 */
	if (xts) {
		upper = (uint32_t)((delta & bits_mask(ring_stamp_bits(ring) + DTS_GAP_BITS)) >>
				   ring_stamp_bits(ring));
		put_u32(at, DTS_XTS | (upper >> 16 & 0xff) << 8 | (upper & 0xffff) << 16);
		at += DTS_UNIT;
	}
	return (struct reservation){
		.payload = dts_put(at, id, len, delta & bits_mask(ring_stamp_bits(ring))),
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

/* An XTS, the next sub-buffer, or both in turn. */
RESERVE_SLOW struct reservation dts_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					 uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = dts_bytes(id, len), delta = stamp - s->last;
	bool xts = bits_overflow(delta, ring_stamp_bits(ring));
	struct ctf_claim claim;
	struct reservation rsv;

	if (xts && size + DTS_UNIT <= ring_room(ring, offset))
		return dts_place(s, id, len, offset, size + DTS_UNIT, stamp, delta, true);
	/* The packet's begin stamp tells the reader all bits. */
	if (!ctf_fit_next(ring, offset, size, &claim))
		return reserve_lost(ring, size);
	rsv = dts_place(s, id, len, claim.start, size, stamp, 0, false);
	ctf_begin(ring, offset, &claim.opening, stamp);
	return rsv;
}

/* With the mask held. */
RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = dts_bytes(id, len);
	uint64_t offset = shared_load("offset", &ring->tail);
	uint64_t stamp = clock_read("clock");
	uint64_t delta = stamp - shared_load("last", &s->last);

	if (unlikely(bits_overflow(delta, ring_stamp_bits(ring)) || size > ring_room(ring, offset)))
		return reservation_slow(dts_slow(s, id, len, offset, stamp));
	return dts_place(s, id, len, offset, size, stamp, delta, false);
}

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
