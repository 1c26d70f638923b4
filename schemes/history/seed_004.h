/* SPDX-License-Identifier: MIT */
/*
 * Before/write stamps as the text of 2020 prints them, word for word.
 *
 * Source: Steven Rostedt, "ring-buffer: Incorporate absolute timestamp into add_timestamp logic",
 * LKML, 2020-06-29, the pseudo code of its message.
 *
 * F1 A writer that is interrupted between B and C takes the slow path, whose time it does not
 *    store in write: the next event counts its delta from the nested one, twice.
 * F2 write in the slow path may be that of an event which is not the newest.
 * F3 The put-back (E) makes a stale write valid.
 *
 * Layout: format/format_ftrace.h. Shared words as in nested_stamps.h, today's form, whose letters
 * these are. The text leaves extends and sub-buffers out; here they are as there.
 */
#ifndef STAMPEDE_HISTORY_SEED_004_H
#define STAMPEDE_HISTORY_SEED_004_H

#include "schemes/format/format_ftrace.h"

struct scheme_ring {
	struct ring ring;
	uint64_t before_stamp;
	uint64_t write_stamp;
};

static const struct scheme_desc scheme_desc = {
	.title = "before/write stamps, as printed",
	.source = "Rostedt, LKML 2020-06-29",
	.promises = PROMISE_ALL,
	.needs = NEED_STRICT_CLOCK,
	.extension = EXTEND_ON_GAP,
	.extra_per_nested = 2,
	.zeros_per_nested = 1,
	.clock_reads = 1,
};

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, RING_TAIL_NUMBERED, FTRACE_HEADER_BYTES);
	s->before_stamp = 0;
	s->write_stamp = 0;
}

/* D and E: not interrupted between A and C. */
static inline void seed_update(struct scheme_ring *s, uint64_t ts)
{
	uint64_t save_before, after;

	shared_store("D: write_stamp", &s->write_stamp, ts);
	save_before = shared_load("E: save_before", &s->before_stamp);
	if (ts == save_before)
		return;
	after = shared_load("E: write_stamp", &s->write_stamp);
	if (save_before > after)
		local_cmpxchg("E: put back", &s->write_stamp, &after, save_before);
}

/* Interrupted between A and C. True: the delta is known. */
static inline bool seed_interrupted(struct scheme_ring *s, uint64_t write, uint64_t *ts,
				    uint64_t *delta)
{
	uint64_t after = shared_load("slow: write_stamp", &s->write_stamp);
	uint64_t temp_ts = clock_read("slow: clock");

	*delta = 0;
	if (write != shared_load("F: write_tail", &s->ring.tail) || after >= temp_ts)
		return false;
	*delta = temp_ts - after;
	*ts = temp_ts;
	return true;
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t w, before, after, ts, size, tail, delta;
	bool exact = true;
	struct reservation rsv;
	uint32_t type;

	(void)id;
	if (ftrace_record_bytes(len) > ring_max_record(ring))
		return reserve_lost(ring, ftrace_record_bytes(len));
	for (;;) {
		w = shared_load("A: write_tail", &ring->tail);
		before = shared_load("A: before_stamp", &s->before_stamp);
		after = shared_load("A: write_stamp", &s->write_stamp);
		ts = clock_read("clock");
		type = 0;
		if (ring_tail_index(w) != FTRACE_HEADER_BYTES)
			type = after != before ? FTRACE_TYPE_ABSOLUTE :
			       bits_overflow(ts - after, ring_stamp_bits(ring)) ?
						 FTRACE_TYPE_EXTEND : 0;
		size = ftrace_record_bytes(len) + (type ? FTRACE_TIME_BYTES : 0);
		shared_store("B: before_stamp", &s->before_stamp, ts);
		tail = local_xadd("C: write_tail", &ring->tail, size);
		if (!ring_overshot(ring, tail, size))
			break;
		if (!ring_move_on(ring, tail, size))
			return reserve_lost(ring, ftrace_record_bytes(len));
	}
	if (w == tail) {
		seed_update(s, ts);
		delta = type == FTRACE_TYPE_ABSOLUTE ? ts : ts - after;
	} else {
		exact = seed_interrupted(s, tail + size, &ts, &delta);
		type = type ? FTRACE_TYPE_EXTEND : 0;
	}
	if (ring_tail_index(tail) == FTRACE_HEADER_BYTES) {
		ftrace_begin(ring, ring_tail_number(tail), ts);
		exact = true;
		delta = 0;
	}
	rsv = ftrace_place(ring, ring_tail_at(ring, tail),
			   ring_subbuf(ring, ring_tail_number(tail)),
			   size, len, ts, type, delta);
	rsv.inexact = !exact;
	return rsv;
}

#endif
