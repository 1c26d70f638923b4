/* SPDX-License-Identifier: MIT */
/*
 * A 20-bit difference to the previous event beside a 12-bit id; where that is not enough, a sync
 * record with the whole stamp, claimed together with its event. Writers are serialised by a soft
 * mask.
 *
 * Source: after KUtrace (Richard L. Sites, 2017), whose entries have a 20-bit time and a 12-bit event
 * number, and whose trace blocks begin with a full time. There time is absolute modulo 2^20 and its
 * reader relies on frequent events; here it is a difference and the sync record closes the hole.
 *
 * Layout, all in whole 4-byte units, little endian:
 *   event       u32 { id : 12 | difference : 20 } [u32 size] payload
 *   sync        u32 { 0xfff | 0 }, u64 stamp; the event that it belongs to follows, with difference 0
 *   sub-buffer  begins with a sync: its header is that record
 *
 * Shared words, by masked writers only: tail and last, plain stores.
 * I1 Between the clock read and the store of last nobody else records: last is the stamp of the
 *    record before.
 * I2 The difference fits the field, or a sync right before the event says it all. One claim takes
 *    both, so nothing comes between them and neither is without the other.
 *
 * With the soft mask (core/masked.h) a nested writer runs late and is stamped when it runs.
 * Known failure without a mask: as delta_sync.
 * Clock reads per event: 1.
 */
#ifndef STAMPEDE_JOINT_DELTA_H
#define STAMPEDE_JOINT_DELTA_H

#include "core/bytes.h"
#include "core/mask.h"
#include "core/scheme.h"

#define JOINT_ID_BITS 12
#define JOINT_SYNC 0xfffu
#define JOINT_SYNC_BYTES 12
#define JOINT_UNIT 4

struct scheme_ring {
	struct ring ring;
	uint64_t last;
	struct soft_mask mask;
};

static const struct scheme_desc scheme_desc = {
	.title = "20-bit delta, sync word claimed with its event, soft mask",
	.source = "after KUtrace, Sites 2017",
	.promises = PROMISE_ALL,
	.extension = EXTEND_ON_GAP,
	.clock_reads = 1,
	.clock_reads_extended = 1,
};

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, RING_TAIL_OFFSET, JOINT_SYNC_BYTES);
	s->last = 0;
}

static inline uint64_t joint_bytes(uint32_t id, uint32_t len)
{
	return bits_align((event_is_sized(id) ? 8 : 4) + len, JOINT_UNIT);
}

static inline uint8_t *joint_put_sync(uint8_t *at, uint64_t stamp)
{
	put_u32(at, JOINT_SYNC);
	put_u64(at + 4, stamp);
	return at + JOINT_SYNC_BYTES;
}

/* Claims `size` bytes at `start` and writes their headers; `sync`: a sync record before the event. */
static inline struct reservation joint_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t start, uint64_t size, uint64_t stamp,
					     uint64_t delta, bool sync)
{
	struct ring *ring = &s->ring;
	uint8_t *at = ring_at(ring, start);

	shared_store("tail", &ring->tail, start + size);
	shared_store("store last", &s->last, stamp);
	if (sync) {
		at = joint_put_sync(at, stamp);
		delta = 0;
	}
	put_u32(at, (uint32_t)delta << JOINT_ID_BITS | id);
	if (event_is_sized(id))
		put_u32(at + 4, len);
	return (struct reservation){
		.payload = at + (event_is_sized(id) ? 8 : 4),
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

/* A sync record, the next sub-buffer, or both in turn. */
RESERVE_SLOW struct reservation joint_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					   uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = joint_bytes(id, len), number = ring_next_number(ring, offset), start;
	uint64_t delta = stamp - s->last;
	bool sync = bits_overflow(delta, ring_stamp_bits(ring));
	struct ring_opening opening;
	struct reservation rsv;

	if (sync && size + JOINT_SYNC_BYTES <= ring_room(ring, offset))
		return joint_place(s, id, len, offset, size + JOINT_SYNC_BYTES, stamp, 0, true);
	if (size > ring_max_record(ring) || !ring_may_open(ring, number, &opening))
		return reserve_lost(ring, size);
	start = number << ring_subbuf_shift(ring);
	joint_put_sync(ring_at(ring, start), stamp);
	rsv = joint_place(s, id, len, start + JOINT_SYNC_BYTES, size, stamp, 0, false);
	ring_switched(ring, offset, &opening);
	return rsv;
}

/* With the mask held. */
RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = joint_bytes(id, len);
	uint64_t offset = shared_load("offset", &ring->tail);
	uint64_t stamp = clock_read("clock");
	uint64_t delta = stamp - shared_load("last", &s->last);

	if (unlikely(bits_overflow(delta, ring_stamp_bits(ring)) || size > ring_room(ring, offset)))
		return reservation_slow(joint_slow(s, id, len, offset, stamp));
	return joint_place(s, id, len, offset, size, stamp, delta, false);
}

#define SCHEME_MASKED

static inline void joint_finish(const struct ring *ring, uint64_t number, uint32_t content_bytes)
{
	(void)ring;
	(void)number;
	(void)content_bytes;
}

/* A reader behind the sync record that begins sub-buffer `number`; false if there is none. */
static inline bool joint_cursor(const struct ring *ring, uint64_t number, uint32_t content_bytes,
				struct cursor *cursor)
{
	const uint8_t *base = ring_subbuf_base(ring, number);

	if (content_bytes < JOINT_SYNC_BYTES || content_bytes > ring_subbuf_bytes(ring) ||
	    get_u32(base) != JOINT_SYNC)
		return false;
	*cursor = (struct cursor){
		.at = base + JOINT_SYNC_BYTES,
		.end = base + content_bytes,
		.time = get_u64(base + 4),
		.stamp_bits = ring_stamp_bits(ring),
		.fixed_bytes = ring->fixed_bytes,
	};
	return true;
}

#define FORMAT_FINISH joint_finish
#define FORMAT_STAMPED(content_bytes) true
#define FORMAT_END(ring, number, last) (last) /* it has none */
#define FORMAT_CURSOR joint_cursor
#define FORMAT_NEXT joint_next
static inline enum decode_result joint_next(struct cursor *cursor, struct event *event)
{
	uint64_t left = cursor_left(cursor);
	const uint8_t *at = cursor->at;
	uint32_t word;

	if (unlikely(left < 4))
		return left ? DECODE_BAD : DECODE_END;
	event->time = cursor->time;
	event->flags = 0;
	event->header_bytes = 4;
	word = get_u32(at);
	if (unlikely(word == JOINT_SYNC)) {
		/* Its event has to follow. */
		if (left < JOINT_SYNC_BYTES + 4)
			return DECODE_BAD;
		event->time = get_u64(at + 4);
		event->flags = EVENT_EXTENDED;
		event->header_bytes += JOINT_SYNC_BYTES;
		at += JOINT_SYNC_BYTES;
		word = get_u32(at);
	}
	event->id = word & JOINT_SYNC;
	if (unlikely(event->id == JOINT_SYNC))
		return DECODE_BAD;
	event->time += word >> JOINT_ID_BITS;
	event->payload_bytes = cursor->fixed_bytes;
	if (event_is_sized(event->id)) {
		event->header_bytes += 4;
		if (left < event->header_bytes)
			return DECODE_BAD;
		event->payload_bytes = get_u32(at + 4);
	}
	event->payload_bytes = (uint32_t)bits_align(event->payload_bytes, JOINT_UNIT);
	return cursor_take(cursor, left, event);
}

#endif
