/* SPDX-License-Identifier: MIT */
/*
 * 32 bits of difference to the previous record, in as few bytes as they take, after the payload.
 * Writers are serialised, since the previous stamp is one variable.
 *
 * Source: SEGGER SystemView (SEGGER_SYSVIEW.c, _SendPacket), which records under a lock.
 *
 * Layout: LEB128 id [LEB128 size], payload, LEB128 difference of 1 to 5 bytes; ids below 24 have no
 * size. A sub-buffer is a CTF packet, whose begin stamp is that of its first event; SystemView's
 * stream has no whole stamp but the system's time, which the host asks for.
 *
 * Shared words, by masked writers only (parts/mask.h): tail and last, plain stores.
 * I1 is that of parts/alone.h. I2 last is stored with a record only: the difference after a lost
 * record includes that record's time.
 *
 * A nested writer runs late, by the soft mask, and is stamped when it runs. SystemView takes the
 * stamp when the payload is encoded already; this row takes it before the payload is written.
 *
 * Known failure: a gap of 2^32 ticks or more is taken for a shorter one.
 * Clock reads per event: 1.
 */
#ifndef STAMPEDE_SCHEMES_DELTA_BEHIND_H
#define STAMPEDE_SCHEMES_DELTA_BEHIND_H

#define SCHEME_FORMAT FORMAT_OF_ITS_OWN
#define VARINT_LEAST 1
#define ALONE_PLAIN_OWN

#include "schemes/format/format_varint.h"
#include "schemes/parts/alone_forms.h"

#define BEHIND_IDS 24 /* that say how long their payload is */
#define BEHIND_GAP_BITS 25 /* beyond the shortest form's */

static const struct scheme_desc scheme_desc = {
	.title = "32-bit difference of 1 to 5 bytes behind the payload, soft mask",
	.source = "SEGGER SystemView, SEGGER_SYSVIEW.c",
	.promises = PROMISE_ALL,
	.extension = EXTEND_NEVER, /* no field is too short for what it carries */
	.gap_bits = BEHIND_GAP_BITS,
	.clock_reads = 1,
};

/* Bytes before the payload. */
static inline unsigned int behind_front(uint32_t id, uint32_t len)
{
	return likely(id < BEHIND_IDS) ?
		       1 :
		       varint_bytes(id, VARINT_GROUP) + varint_bytes(len, VARINT_GROUP);
}

static inline uint64_t behind_delta(const struct scheme_ring *s, uint64_t stamp,
				    enum alone_form form)
{
	return form == ALONE_FIRST ?
		       0 :
		       (stamp - s->last) & bits_mask(ring_stamp_bits(&s->ring) + BEHIND_GAP_BITS);
}

static inline unsigned int behind_bytes(uint64_t delta, enum alone_form form)
{
	return form == ALONE_PLAIN ? VARINT_LEAST : varint_bytes(delta, VARINT_GROUP);
}

/* One byte does, and no size is said. */
static inline bool alone_plain(const struct scheme_ring *s, uint32_t id, uint64_t stamp)
{
	return id < BEHIND_IDS && !bits_overflow(behind_delta(s, stamp, ALONE_PLAIN), VARINT_GROUP);
}

static inline uint64_t alone_bytes(const struct scheme_ring *s, uint32_t id, uint32_t len,
				   uint64_t stamp, enum alone_form form)
{
	unsigned int front = form == ALONE_PLAIN ? 1 : behind_front(id, len);

	return front + (uint64_t)len + behind_bytes(behind_delta(s, stamp, form), form);
}

static inline uint8_t *alone_put(struct scheme_ring *s, uint8_t *at, uint32_t id, uint32_t len,
				 uint64_t stamp, enum alone_form form)
{
	uint64_t delta = behind_delta(s, stamp, form);

	shared_store("store last", &s->last, stamp); /* I1, I2 */
	if (form == ALONE_PLAIN || likely(id < BEHIND_IDS)) {
		*at++ = (uint8_t)id;
	} else {
		at = varint_put_value(at, id, varint_bytes(id, VARINT_GROUP));
		at = varint_put_value(at, len, varint_bytes(len, VARINT_GROUP));
	}
	varint_put_value(at + len, delta, behind_bytes(delta, form));
	return at;
}

#include "schemes/parts/alone.h"

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
