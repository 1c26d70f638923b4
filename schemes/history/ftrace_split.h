/* SPDX-License-Identifier: MIT */
/*
 * Before/write stamps on a machine of 32 bits, where each is a struct split: an interrupt may find
 * one half written, and then knows no stamp.
 *
 * Source: Linux's ring buffer on 32-bit machines, 2020 to 6.7; letters, layout and the two repairs
 * as in nested_stamps.h, so that what breaks here is the split.
 * SPLIT_SLOW_CMPXCHG: the slow path of 5.11 to 6.6, which makes write its own by a cmpxchg instead
 * of refreshing before; without the put-back of those versions, which is a fault of its own
 * (ftrace_put_back in history.patches).
 *
 * A stamp that could not be read is one more reason for an absolute stamp, or for a delta of zero.
 */
#ifndef STAMPEDE_HISTORY_FTRACE_SPLIT_H
#define STAMPEDE_HISTORY_FTRACE_SPLIT_H

#include "schemes/format/format_ftrace.h"
#include "schemes/history/split_stamp.h"

struct scheme_ring {
	struct ring ring;
	struct split before;
	struct split write;
};

static const struct scheme_desc scheme_desc = {
	.title = "before/write stamps, split into 32-bit words",
	.source = "Linux 5.9 to 6.7 on 32-bit machines",
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
	s->before = (struct split){ .count = 0 };
	s->write = (struct split){ .count = 0 };
}

/* What a writer knows after A. */
struct split_attempt {
	uint64_t tail;
	struct split_seen before;
	struct split_seen write;
	uint64_t stamp;
};

static inline struct split_attempt split_look(struct scheme_ring *s)
{
	struct split_attempt at;

	at.tail = shared_load("A: tail", &s->ring.tail);
	at.before = split_read(&s->before);
	at.write = split_read(&s->write);
	at.stamp = clock_read("A: clock");
	return at;
}

/* What room has to be claimed for: FTRACE_TYPE_ABSOLUTE, FTRACE_TYPE_EXTEND or 0. */
static inline uint32_t split_type(const struct ring *ring, const struct split_attempt *at)
{
	if (ring_tail_index(at->tail) == FTRACE_HEADER_BYTES)
		return 0;
	if (!at->before.whole || !at->write.whole || at->before.value != at->write.value)
		return FTRACE_TYPE_ABSOLUTE;
	return bits_overflow(at->stamp - at->write.value, ring_stamp_bits(ring)) ?
		       FTRACE_TYPE_EXTEND : 0;
}

/* E and F: the delta of a writer that was interrupted between A and C. True: it is exact. */
static inline bool split_interrupted(struct scheme_ring *s, struct split_attempt *at, uint64_t end,
				     bool room, uint64_t *delta)
{
	bool good;

#ifdef SPLIT_SLOW_CMPXCHG
	at->write = split_read(&s->write);
	at->stamp = clock_read("E: clock");
	good = true;
#else
	at->before = split_read(&s->before);
	at->stamp = clock_read("E: clock");
	split_set(&s->before, at->stamp);
	at->write = split_read(&s->write);
	good = at->before.whole && at->write.value == at->before.value;
#endif
	*delta = at->stamp - at->write.value;
	good = good && at->write.whole && shared_load("F: tail", &s->ring.tail) == end &&
	       at->write.value < at->stamp &&
	       (room || !bits_overflow(*delta, ring_stamp_bits(&s->ring)));
#ifdef SPLIT_SLOW_CMPXCHG
	good = good && split_cmpxchg(&s->write, at->write.value, at->stamp);
#endif
	if (!good)
		*delta = 0;
	return good;
}

/* After C: the record of `size` bytes at `start` is ours. */
static inline struct reservation split_claimed(struct scheme_ring *s, uint32_t len,
					       struct split_attempt at, uint64_t start,
					       uint64_t size, uint32_t type)
{
	struct ring *ring = &s->ring;
	uint64_t number = ring_tail_number(start), delta;
	struct reservation rsv;
	bool exact = true;

	if (start == at.tail) {
		split_set(&s->write, at.stamp);
		delta = type == FTRACE_TYPE_ABSOLUTE ? at.stamp : at.stamp - at.write.value;
	} else {
		exact = split_interrupted(s, &at, start + size, type != 0, &delta);
		type = type ? FTRACE_TYPE_EXTEND : 0;
	}
	if (ring_tail_index(start) == FTRACE_HEADER_BYTES) {
		ftrace_begin(ring, number, at.stamp);
		type = type ? FTRACE_TYPE_EXTEND : 0;
		exact = true;
		delta = 0;
	}
	rsv = ftrace_place(ring, ring_tail_at(ring, start), ring_subbuf(ring, number), size, len,
			   at.stamp, type, delta);
	rsv.inexact = !exact;
	return rsv;
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	struct split_attempt at;
	uint64_t size, start;
	uint32_t type;

	(void)id;
	if (ftrace_record_bytes(len) > ring_max_record(ring))
		return reserve_lost(ring, ftrace_record_bytes(len));
	for (;;) {
		at = split_look(s);
		type = split_type(ring, &at);
		size = ftrace_record_bytes(len) + (type ? FTRACE_TIME_BYTES : 0);
		split_set(&s->before, at.stamp);
		start = local_xadd("C: claim", &ring->tail, size);
		if (!ring_overshot(ring, start, size))
			return split_claimed(s, len, at, start, size, type);
		if (!ring_move_on(ring, start, size))
			return reserve_lost(ring, ftrace_record_bytes(len));
	}
}

#endif
