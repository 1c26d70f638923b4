/* SPDX-License-Identifier: MIT */
/*
 * The 27-bit difference to the previous event; where that is not enough, a sync event of 59 bits
 * first. Writers are serialised, since the previous stamp is one variable.
 *
 * Source: Linus Torvalds in Re: [RFC PATCH 1/3] Unified trace buffer, LKML, 2008-09-24, as quoted
 * by Mathieu Desnoyers the day after.
 *
 * Layout: format/format_ftrace.h; the sync event is an extend record, claimed with its event.
 *
 * Shared words, by masked writers only: tail and last, plain stores.
 * I1 Between the clock read and the store of last no other writer records: last is the stamp of the
 *    previous record.
 * I2 The difference fits the field, or a sync event carries it.
 *
 * Without MASK_SOFT the interrupting signals are blocked around each record (two system calls);
 * MASK_SOFT sets a flag that makes handlers return (parts/mask.h). With the soft mask a nested
 * writer runs late and is stamped when it runs: the delay is reported, and the stamp is exact for
 * that run.
 *
 * Known failure without a mask: a nested writer between reading last and storing it makes every
 * later event late or early by the difference, until the sub-buffer ends (history).
 * Clock reads per event: 1.
 */
#ifndef STAMPEDE_SCHEMES_DELTA_SYNC_H
#define STAMPEDE_SCHEMES_DELTA_SYNC_H

#include "schemes/format/format_ftrace.h"
#include "schemes/parts/mask.h"

struct scheme_ring {
	struct ring ring;
	local_uint last;
#ifdef MASK_SOFT
	struct soft_mask mask;
#endif
};

static const struct scheme_desc scheme_desc = {
#ifdef MASK_SOFT
	.title = "27-bit delta, sync event, soft mask",
#else
	.title = "27-bit delta, sync event, signals blocked",
#endif
	.source = "Torvalds, LKML 2008-09-24",
	.promises = PROMISE_ALL,
	.extension = EXTEND_ON_GAP,
	.gap_bits = 32,
	.clock_reads = 1,
};

#define SCHEME_START s->last = 0

static inline struct reservation delta_place(struct scheme_ring *s, uint32_t len, uint64_t start,
					     uint64_t size, uint64_t stamp, uint32_t type,
					     uint64_t delta)
{
	struct ring *ring = &s->ring;

	shared_store("tail", &ring->tail, start + size); /* I1 */
	shared_store("store last", &s->last, stamp); /* I1 */
	return ftrace_place(ring, ring_at(ring, start), ring_subbuf_at(ring, start), size, len,
			    stamp, type, delta);
}

/* A sync event, the next sub-buffer, or both in turn. */
RESERVE_SLOW struct reservation delta_slow(struct scheme_ring *s, uint32_t len, uint64_t offset,
					   uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = ftrace_record_bytes(len), number = ring_next_number(ring, offset), start;
	uint64_t delta = stamp - s->last;
	bool sync = bits_overflow(delta, ring_stamp_bits(ring));
	struct ring_opening opening;
	struct reservation rsv;

	if (sync && size + FTRACE_TIME_BYTES <= ring_room(ring, offset))
		return delta_place(s, len, offset, size + FTRACE_TIME_BYTES, stamp,
				   FTRACE_TYPE_EXTEND, delta);
	if (size > ring_max_record(ring) || !ring_may_open(ring, number, &opening))
		return reserve_lost(ring, size);
	start = (number << ring_subbuf_shift(ring)) + FTRACE_HEADER_BYTES;
	rsv = delta_place(s, len, start, size, stamp, 0, 0);
	ftrace_begin(ring, number, stamp);
	ring_switched(ring, offset, &opening);
	return rsv;
}

/* With the mask held. */
RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = ftrace_record_bytes(len);
	uint64_t offset = shared_load("offset", &ring->tail);
	uint64_t stamp = clock_read("clock");
	uint64_t delta = stamp - shared_load("last", &s->last);

	(void)id;
	if (unlikely(bits_overflow(delta, ring_stamp_bits(ring)) || size > ring_room(ring, offset)))
		return reservation_slow(delta_slow(s, len, offset, stamp));
	return delta_place(s, len, offset, size, stamp, 0, delta);
}

#define SCHEME_MASKED

#endif
