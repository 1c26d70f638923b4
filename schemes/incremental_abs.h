/* SPDX-License-Identifier: MIT */
/*
 * The difference to the previous record as a LEB128; an absolute stamp where time goes back, from
 * which later differences do not count. Nested writers are rejected.
 *
 * Source: Perfetto's SDK, its incremental clock (src/tracing/internal/track_event_internal.cc,
 * NewTracePacket). Its unit may be 1,000 ns; the rest stays in the next difference, so that errors
 * do not add up. Here the unit is a tick.
 *
 * Layout, in CTF packets whose begin stamp is that of the first record:
 *   u8 { absolute : 1 | id : 7 }, LEB128 difference of 1 to 10 bytes, or u64 stamp,
 *   [u16 id [u32 size]], payload; id 126: the u16 has it; 127: and the u32 the size
 * Perfetto's packet is a protobuf message, with tags, lengths and the clock's id as well.
 *
 * Shared words: guard, cmpxchg and store; tail, last: plain stores of the writer that has the
 * guard. I1 and I2 are those of parts/guarded.h. I3 Differences are to `last`, the newest stamp so
 * far, which an absolute record leaves alone.
 *
 * Known failure: I2: times go back in the buffer where a nested writer came before the guard.
 * Clock reads per event: 1, with or without nested writers.
 */
#ifndef STAMPEDE_SCHEMES_INCREMENTAL_ABS_H
#define STAMPEDE_SCHEMES_INCREMENTAL_ABS_H

#define SCHEME_FORMAT FORMAT_OF_ITS_OWN
#define VARINT_LEAST 1
#define ALONE_PLAIN_OWN

#include "schemes/format/format_varint.h"
#include "schemes/parts/alone_forms.h"

#define INCREMENTAL_ABSOLUTE 0x80u
#define INCREMENTAL_ID_HIGH 126u
#define INCREMENTAL_ID_SIZED 127u

static const struct scheme_desc scheme_desc = {
	.title = "difference of 1 to 10 bytes, absolute where time goes back",
	.source = "Perfetto SDK, incremental clock",
	.promises = PROMISES & ~PROMISE_MONOTONIC,
	.extension = EXTEND_NEVER, /* no field is too short for what it carries */
	.clock_reads = 1,
	.turns_away = true,
};

/* How a record says its time. */
struct incremental_time {
	uint64_t delta;
	bool absolute;
	unsigned int bytes;
};

static inline struct incremental_time incremental_time(const struct scheme_ring *s, uint64_t stamp,
						       enum alone_form form)
{
	struct incremental_time time = { .delta = alone_delta(s, stamp, form) };

	if (form == ALONE_PLAIN) {
		time.bytes = VARINT_LEAST;
		return time;
	}
	time.absolute = form == ALONE_ANY && (int64_t)time.delta < 0;
	time.bytes = time.absolute ? 8 : varint_bytes(time.delta, VARINT_GROUP);
	return time;
}

/* One byte does. */
static inline bool alone_plain(const struct scheme_ring *s, uint32_t id, uint64_t stamp)
{
	return id < INCREMENTAL_ID_HIGH && !bits_overflow(stamp - s->last, VARINT_GROUP);
}

static inline uint64_t alone_bytes(const struct scheme_ring *s, uint32_t id, uint32_t len,
				   uint64_t stamp, enum alone_form form)
{
	uint64_t size = 1 + incremental_time(s, stamp, form).bytes + (uint64_t)len;

	if (id < INCREMENTAL_ID_HIGH)
		return size;
	return size + (event_is_sized(id) ? 6 : 2);
}

static inline uint8_t *alone_put(struct scheme_ring *s, uint8_t *at, uint32_t id, uint32_t len,
				 uint64_t stamp, enum alone_form form)
{
	struct incremental_time time = incremental_time(s, stamp, form);
	uint32_t small = id < INCREMENTAL_ID_HIGH ? id :
			 event_is_sized(id)	  ? INCREMENTAL_ID_SIZED :
						    INCREMENTAL_ID_HIGH;

	if (unlikely(time.absolute)) {
		*at++ = (uint8_t)(small | INCREMENTAL_ABSOLUTE);
		put_u64(at, stamp);
		at += 8;
	} else {
		*at++ = (uint8_t)small;
		at = varint_put_value(at, time.delta, time.bytes);
		shared_store("store last", &s->last, stamp); /* I3 */
	}
	if (id < INCREMENTAL_ID_HIGH)
		return at;
	put_u16(at, id);
	if (!event_is_sized(id))
		return at + 2;
	put_u32(at + 2, len);
	return at + 6;
}

#include "schemes/parts/guarded.h"

/* The id, and the size, that did not fit; `event` has the bytes before them. */
static __attribute__((noinline)) enum decode_result incremental_escape(struct cursor *cursor,
								       struct event *event)
{
	uint64_t left = cursor_left(cursor) - event->header_bytes;
	const uint8_t *at = cursor->at + event->header_bytes;
	bool sized = event->id == INCREMENTAL_ID_SIZED;

	if (left < (sized ? 6 : 2))
		return DECODE_BAD;
	event->id = get_u16(at);
	if (event_is_sized(event->id) != sized)
		return DECODE_BAD;
	event->header_bytes += sized ? 6 : 2;
	if (sized)
		event->payload_bytes = get_u32(at + 2);
	return DECODE_EVENT;
}

/* The cursor's time is that of the newest record which is not absolute. */
#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	uint64_t left = cursor_left(cursor), newest = cursor->time, value;
	bool absolute;
	unsigned int bytes = 8;

	if (unlikely(!left))
		return DECODE_END;
	absolute = cursor->at[0] & INCREMENTAL_ABSOLUTE;
	if (unlikely(absolute)) {
		if (left < 9)
			return DECODE_BAD;
		event->time = get_u64(cursor->at + 1);
	} else {
		bytes = varint_take(cursor->at + 1, left - 1, &value);
		if (!bytes)
			return DECODE_BAD;
		event->time = newest + value;
	}
	event->id = cursor->at[0] & ~INCREMENTAL_ABSOLUTE;
	event->flags = 0;
	event->header_bytes = 1 + bytes;
	event->payload_bytes = cursor->fixed_bytes;
	if (unlikely(event->id >= INCREMENTAL_ID_HIGH) &&
	    incremental_escape(cursor, event) == DECODE_BAD)
		return DECODE_BAD;
	if (cursor_take(cursor, left, event) == DECODE_BAD)
		return DECODE_BAD;
	if (absolute)
		cursor->time = newest;
	return DECODE_EVENT;
}

#endif
