/* SPDX-License-Identifier: MIT */
/*
 * 32 bits of difference to the record before, in as few bytes as they take, behind the payload.
 * Writers are serialised, since the stamp before is one variable.
 *
 * Source: SEGGER SystemView (SEGGER_SYSVIEW.c, _SendPacket), which records under a lock.
 *
 * Layout: LEB128 id [LEB128 size], payload, LEB128 difference of 1 to 5 bytes; ids below 24 have no
 * size. A sub-buffer is a CTF packet, whose begin stamp is that of its first event; there the
 * stream has no whole stamp but the system's time, which the host asks for.
 *
 * Shared words, by masked writers only (parts/mask.h): tail and last, plain stores.
 * I1 Between the clock read and the store of last no other writer records: last is the stamp of the
 *    record before.
 * I2 last is stored with a record only: the difference behind one that was lost has its time too.
 *
 * A nested writer runs late, by the soft mask, and is stamped when it runs. There the stamp is
 * taken when the payload is encoded already, here before it is written.
 *
 * Known failure: a gap of 2^32 ticks or more is taken for a shorter one.
 * Clock reads per event: 1.
 */
#ifndef STAMPEDE_SCHEMES_DELTA_BEHIND_H
#define STAMPEDE_SCHEMES_DELTA_BEHIND_H

#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_OWN \
	}
#define VARINT_LEAST 1

#include "schemes/format/format_varint.h"
#include "schemes/parts/mask.h"

#define BEHIND_IDS 24 /* that say how long their payload is */
#define BEHIND_GAP_BITS 25 /* beyond the shortest form's */

struct scheme_ring {
	struct ring ring;
	uint64_t last;
	struct soft_mask mask;
};

static const struct scheme_desc scheme_desc = {
	.title = "32-bit difference of 1 to 5 bytes behind the payload, soft mask",
	.source = "SEGGER SystemView, SEGGER_SYSVIEW.c",
	.promises = PROMISE_ALL,
	.extension = EXTEND_NEVER, /* no field is too short for what it carries */
	.gap_bits = BEHIND_GAP_BITS,
	.clock_reads = 1,
	.clock_reads_extended = 1,
};

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, RING_TAIL_OFFSET, CTF_PACKET_HEADER_BYTES);
	s->last = 0;
}

/* Bytes before the payload. */
static inline unsigned int behind_front(uint32_t id, uint32_t len)
{
	return likely(id < BEHIND_IDS) ?
		       1 :
		       varint_bytes(id, VARINT_GROUP) + varint_bytes(len, VARINT_GROUP);
}

static inline struct reservation behind_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					      uint64_t start, uint64_t stamp, uint64_t delta,
					      unsigned int bytes)
{
	struct ring *ring = &s->ring;
	uint64_t size = behind_front(id, len) + (uint64_t)len + bytes;
	uint8_t *at = ring_at(ring, start);

	shared_store("tail", &ring->tail, start + size); /* I1 */
	shared_store("store last", &s->last, stamp); /* I1, I2 */
	varint_put_value(at + size - bytes, delta, bytes);
	if (likely(id < BEHIND_IDS)) {
		*at++ = (uint8_t)id;
	} else {
		at = varint_put_value(at, id, varint_bytes(id, VARINT_GROUP));
		at = varint_put_value(at, len, varint_bytes(len, VARINT_GROUP));
	}
	return (struct reservation){
		.payload = at,
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

static inline uint64_t behind_delta(const struct scheme_ring *s, uint64_t stamp)
{
	return (stamp - shared_load("last", &s->last)) &
	       bits_mask(ring_stamp_bits(&s->ring) + BEHIND_GAP_BITS);
}

/* More than a byte, an id that needs more, or the next sub-buffer. */
RESERVE_SLOW struct reservation behind_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					    uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t delta = behind_delta(s, stamp), size = behind_front(id, len) + (uint64_t)len;
	unsigned int bytes = varint_bytes(delta, VARINT_GROUP);
	struct ctf_claim claim;
	struct reservation rsv;

	if (size + bytes <= ring_room(ring, offset))
		return behind_place(s, id, len, offset, stamp, delta, bytes);
	if (!ctf_fit_next(ring, offset, size + VARINT_LEAST, &claim))
		return reserve_lost(ring, size + VARINT_LEAST);
	rsv = behind_place(s, id, len, claim.start, stamp, 0, VARINT_LEAST);
	ctf_begin(ring, offset, &claim.opening, stamp);
	return rsv;
}

/* With the mask held. */
RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t offset = shared_load("offset", &ring->tail);
	uint64_t stamp = clock_read("clock");
	uint64_t delta = behind_delta(s, stamp);

	if (unlikely(bits_overflow(delta, VARINT_GROUP) || id >= BEHIND_IDS ||
		     (uint64_t)len + 2 > ring_room(ring, offset)))
		return reservation_slow(behind_slow(s, id, len, offset, stamp));
	return behind_place(s, id, len, offset, stamp, delta, VARINT_LEAST);
}

#define SCHEME_MASKED

/* The two LEB128 before the payload; 0: not whole. */
static inline unsigned int behind_take(const struct cursor *cursor, uint64_t left,
				       struct event *event)
{
	uint64_t id, size;
	unsigned int bytes = varint_take(cursor->at, left, &id), more;

	if (!bytes || id > UINT16_MAX)
		return 0;
	event->id = (uint32_t)id;
	event->payload_bytes = cursor->fixed_bytes;
	if (likely(id < BEHIND_IDS))
		return bytes;
	more = varint_take(cursor->at + bytes, left - bytes, &size);
	if (!more || size > UINT32_MAX)
		return 0;
	event->payload_bytes = (uint32_t)size;
	return bytes + more;
}

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	uint64_t left = cursor_left(cursor), value;
	unsigned int front, bytes;

	if (unlikely(!left))
		return DECODE_END;
	front = behind_take(cursor, left, event);
	if (unlikely(!front || event->payload_bytes >= left - front))
		return DECODE_BAD;
	event->payload = cursor->at + front;
	bytes = varint_take(event->payload + event->payload_bytes,
			    left - front - event->payload_bytes, &value);
	if (unlikely(!bytes))
		return DECODE_BAD;
	event->time = cursor->time + value;
	event->flags = 0;
	event->header_bytes = front + bytes;
	cursor->at = event->payload + event->payload_bytes + bytes;
	cursor->time = event->time;
	return DECODE_EVENT;
}

#endif
