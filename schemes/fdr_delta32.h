/* SPDX-License-Identifier: MIT */
/*
 * The difference to the previous record in 32 bits; where it does not fit, or goes back, a record
 * with the whole stamp comes first. Nested writers are rejected.
 *
 * Source: LLVM XRay's flight data recorder (compiler-rt, xray_fdr_controller.h and
 * xray_fdr_logging.cpp).
 *
 * Layout, little endian, in CTF packets whose begin stamp is that of the first record:
 *   function   u32 { 0 : 1 | type : 3 | id : 28 }, u32 difference [u32 size], payload
 *   wrap       u8 { 1 : 1 | kind : 7 }, 7 unused bytes, u64 stamp; the function follows it,
 * with a difference of 0, and both are one claim. XRay's difference has 31 bits, and 16 bytes
 * after each change of the CPU; a ring here stays with its CPU.
 *
 * Shared words: guard, cmpxchg and store; tail, last: plain stores of the writer that has the
 * guard. I1 and I2 are those of parts/guarded.h. I3 The difference is of 0 .. 2^T - 1 ticks, or the
 * whole stamp stands before it: so any stamp is decoded as it was taken.
 *
 * Known failure: I2: times go back in the buffer where a nested writer came before the guard. XRay
 * does not count rejected events; ring.lost does here.
 * Clock reads per event: 1, with or without nested writers.
 */
#ifndef STAMPEDE_SCHEMES_FDR_DELTA32_H
#define STAMPEDE_SCHEMES_FDR_DELTA32_H

#define SCHEME_FORMAT FORMAT_OF_ITS_OWN

#include "schemes/format/format_ctf.h"
#include "schemes/parts/alone_forms.h"

#define FDR_WRAP 1u /* the lowest bit, and no kind */
#define FDR_WRAP_BYTES 16
#define FDR_ID_SHIFT 4

static const struct scheme_desc scheme_desc = {
	.title = "32-bit delta, a wrap record before it, nested writers turned away",
	.source = "LLVM XRay, flight data recorder",
	.promises = PROMISES & ~PROMISE_MONOTONIC,
	.extension = EXTEND_ON_GAP,
	.extra_per_nested = 1,
	.clock_reads = 1,
	.turns_away = true,
};

static inline uint64_t alone_bytes(const struct scheme_ring *s, uint32_t id, uint32_t len,
				   uint64_t stamp, enum alone_form form)
{
	return (uint64_t)len + 8 + (event_is_sized(id) ? 4 : 0) +
	       (alone_far(s, stamp, form) ? FDR_WRAP_BYTES : 0);
}

static inline uint8_t *alone_put(struct scheme_ring *s, uint8_t *at, uint32_t id, uint32_t len,
				 uint64_t stamp, enum alone_form form)
{
	uint64_t delta = alone_delta(s, stamp, form);

	if (unlikely(alone_far(s, stamp, form))) { /* I3 */
		put_u64(at, FDR_WRAP);
		put_u64(at + 8, stamp);
		at += FDR_WRAP_BYTES;
		delta = 0;
	}
	shared_store("store last", &s->last, stamp);
	put_u32(at, id << FDR_ID_SHIFT);
	put_u32(at + 4, (uint32_t)delta);
	if (!event_is_sized(id))
		return at + 8;
	put_u32(at + 8, len);
	return at + 12;
}

#include "schemes/parts/guarded.h"

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	uint64_t left = cursor_left(cursor);
	const uint8_t *at = cursor->at;

	if (unlikely(left < 8))
		return left ? DECODE_BAD : DECODE_END;
	event->time = cursor->time;
	event->flags = 0;
	event->header_bytes = 8;
	if (unlikely(at[0] & FDR_WRAP)) {
		/* Its function has to follow. */
		if (left < FDR_WRAP_BYTES + 8)
			return DECODE_BAD;
		event->time = get_u64(at + 8);
		event->flags = EVENT_EXTENDED;
		event->header_bytes += FDR_WRAP_BYTES;
		at += FDR_WRAP_BYTES;
		if (at[0] & FDR_WRAP)
			return DECODE_BAD;
	}
	event->id = get_u32(at) >> FDR_ID_SHIFT;
	event->time += get_u32(at + 4);
	event->payload_bytes = cursor->fixed_bytes;
	if (event_is_sized(event->id)) {
		event->header_bytes += 4;
		if (left < event->header_bytes)
			return DECODE_BAD;
		event->payload_bytes = get_u32(at + 8);
	}
	return cursor_take(cursor, left, event);
}

#endif
