/* SPDX-License-Identifier: MIT */
/*
 * The low 20 bits of the stamp beside a 12-bit id; where the difference to the previous event does
 * not fit into them, a sync record with the whole stamp, claimed together with its event. Writers
 * are serialised by a soft mask, so the difference is always that to the record before.
 *
 * Source: after KUtrace (Richard L. Sites, 2017), whose entries have a 20-bit time, absolute modulo
 * 2^20, and a 12-bit event number, and whose trace blocks begin with a full time. There the reader
 * relies on frequent events; here the sync record closes the hole.
 *
 * Layout, all in whole 4-byte units, little endian:
 *   event       u32 { id : 12 | low T bits of the stamp : 20 } [u32 size] payload
 *   sync        u32 { 0xfff | 0 }, u64 stamp; the event that it belongs to follows
 *   sub-buffer  a CTF packet (format/format_ctf.h), whose begin stamp is that of its first event
 *
 * The difference itself is not stored: no other reader could be told of one beside a 12-bit id. In
 * CTF a short field of a clock holds its low bits, never a difference, and kbuffer takes the upper
 * 27 bits of the word for one, whatever ids are in them. 27 bits of difference with a sync claimed
 * together with its event are delta_sync.h.
 *
 * Shared words, by masked writers only: tail and last, plain stores.
 * I1 Between the clock read and the store of last no other writer records: last is the stamp of the
 *    record before.
 * I2 The difference is less than 2^T, or a sync right before the event has the whole stamp. One
 *    claim takes both, so nothing comes between them and neither is without the other.
 *
 * With the soft mask (parts/masked.h) a nested writer runs late and is stamped when it runs.
 * Known failure without a mask: as delta_sync.
 * Clock reads per event: 1.
 */
#ifndef STAMPEDE_SCHEMES_JOINT_DELTA_H
#define STAMPEDE_SCHEMES_JOINT_DELTA_H

#define JOINT_ID_BITS 12

#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_CTF_SYNC, .id_bits = JOINT_ID_BITS \
	}

#include "schemes/format/format_ctf.h"
#include "schemes/parts/mask.h"

#define JOINT_SYNC 0xfffu
#define JOINT_SYNC_BYTES 12
#define JOINT_UNIT 4

struct scheme_ring {
	struct ring ring;
	uint64_t last;
	struct soft_mask mask;
};

static const struct scheme_desc scheme_desc = {
	.title = "20 low bits, sync word claimed with its event, soft mask",
	.source = "after KUtrace, Sites 2017",
	.promises = PROMISES,
	.extension = EXTEND_ON_GAP,
	.clock_reads = 1,
};

#define SCHEME_START s->last = 0

static inline uint64_t joint_bytes(uint32_t id, uint32_t len)
{
	return bits_align((event_is_sized(id) ? 8 : 4) + len, JOINT_UNIT);
}

/*
 * Claims `size` bytes at `start` and writes the event's header into them, behind a sync record if
 * `sync` says that there is room for one.
 */
static inline struct reservation joint_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t start, uint64_t size, uint64_t stamp,
					     bool sync)
{
	struct ring *ring = &s->ring;
	uint8_t *at = ring_at(ring, start);
	uint64_t low = stamp & bits_mask(ring_stamp_bits(ring));

	shared_store("tail", &ring->tail, start + size); /* I1, I2 */
	shared_store("store last", &s->last, stamp); /* I1 */
	if (sync) {
		put_u32(at, JOINT_SYNC);
		put_u64(at + 4, stamp);
		at += JOINT_SYNC_BYTES;
	}
	put_u32(at, (uint32_t)low << JOINT_ID_BITS | id);
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
	uint64_t size = joint_bytes(id, len);
	bool sync = bits_overflow(stamp - s->last, ring_stamp_bits(ring));
	struct ctf_claim claim;
	struct reservation rsv;

	if (sync && size + JOINT_SYNC_BYTES <= ring_room(ring, offset))
		return joint_place(s, id, len, offset, size + JOINT_SYNC_BYTES, stamp, true);
	/* The packet's begin stamp tells the reader all bits. */
	if (!ctf_fit_next(ring, offset, size, &claim))
		return reserve_lost(ring, size);
	rsv = joint_place(s, id, len, claim.start, size, stamp, false);
	ctf_begin(ring, offset, &claim.opening, stamp);
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
	return joint_place(s, id, len, offset, size, stamp, false);
}

#define SCHEME_MASKED

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	uint64_t left = cursor_left(cursor), before;
	const uint8_t *at = cursor->at;
	uint32_t word;

	if (unlikely(left < 4))
		return left ? DECODE_BAD : DECODE_END;
	before = cursor->time;
	event->flags = 0;
	event->header_bytes = 4;
	word = get_u32(at);
	if (unlikely(word == JOINT_SYNC)) {
		/* Its event has to follow. */
		if (left < JOINT_SYNC_BYTES + 4)
			return DECODE_BAD;
		before = get_u64(at + 4);
		event->flags = EVENT_EXTENDED;
		event->header_bytes += JOINT_SYNC_BYTES;
		at += JOINT_SYNC_BYTES;
		word = get_u32(at);
	}
	event->id = word & JOINT_SYNC;
	if (unlikely(event->id == JOINT_SYNC))
		return DECODE_BAD;
	event->time = bits_advance(before, word >> JOINT_ID_BITS, cursor->stamp_bits);
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
