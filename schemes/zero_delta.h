/* SPDX-License-Identifier: MIT */
/*
 * ftrace before 2020: one write stamp, moved by the outermost writer. A writer that nests in
 * another one, or was overtaken by one, stores a delta of zero and repeats a time.
 *
 * Source: the Linux ring buffer of 2009 to 2020, as Rostedt's mail of 2020-06-29 describes it.
 *
 * Layout: format/format_ftrace.h.
 *
 * Shared words, all writers: tail {number : 44 | index : 20}, xadd; committing, how many writers
 * are between reserve and commit, plain (each leaves it as it found it). By the outermost writer
 * only, plain: write, a decoded time; mine, that of its own record until it leaves.
 *
 * I1 write is the decoded time of the newest outermost record whose writer has left.
 * I2 Nested records repeat a time, or begin a sub-buffer: so the newest record decodes as the later
 *    of write and the begin stamp of the tail's sub-buffer, at any moment at which no outermost
 *    writer is between claim and commit.
 * I3 Only an outermost writer whose record follows that newest one stores a delta to that time.
 * I4 The outermost writer is the one that finds committing 0: a writer that interrupts it finds it
 *    counted, and has left when the outermost writer goes on.
 *
 * Known failure, by design: the time of the writer that is interrupted is not in write yet, and a
 * nested event has nothing to count from. It stores a delta of zero, and decodes as the time of the
 * newest record before that writer, or as that writer's; so does the event of an overtaken writer.
 * Only the distance of two outermost events bounds the error.
 * Clock reads per event: 1; 2 with an extend; one more per sub-buffer moved.
 */
#ifndef STAMPEDE_SCHEMES_ZERO_DELTA_H
#define STAMPEDE_SCHEMES_ZERO_DELTA_H

#include "schemes/format/format_ftrace.h"

struct scheme_ring {
	struct ring ring;
	uint64_t committing;
	uint64_t write;
	uint64_t mine;
};

static const struct scheme_desc scheme_desc = {
	.title = "nested events repeat a time (ftrace before 2020)",
	.source = "Linux ring buffer, 2009 to 2020",
	.promises = PROMISE_MONOTONIC | PROMISE_BOUNDED,
	.extension = EXTEND_ON_GAP,
	.gap_bits = 32,
	.extra_per_nested = 1, /* room for an extend, claimed and not needed */
	.zeros_per_nested = 2,
	.clock_reads = 1,
	.more_clock_reads = 1,
};

#define SCHEME_TAIL RING_TAIL_NUMBERED
#define SCHEME_START s->committing = 0, s->write = 0, s->mine = 0

static inline uint64_t zero_later(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0 ? b : a;
}

/* The decoded time of the newest record, seen by an outermost writer that has read `tail`. */
static inline uint64_t zero_newest(const struct scheme_ring *s, uint64_t tail)
{
	return zero_later(shared_load("write", &s->write),
			  ftrace_begin_stamp(&s->ring, ring_tail_number(tail)));
}

/* Leaves the count as this writer found it; the outermost one publishes its record's time. */
static inline void zero_leave(struct scheme_ring *s, uint64_t time)
{
	uint64_t nesting = shared_load("leave: nesting", &s->committing) - 1;

	if (likely(!nesting))
		shared_store("leave: write", &s->write, time); /* I1, I4: while it is counted */
	barrier(); /* I4: all of the record is stored before its writer is gone */
	shared_store("leave", &s->committing, nesting); /* I4 */
}

/* The record of `size` bytes at `start` is ours. */
static inline struct reservation zero_place(struct scheme_ring *s, uint32_t len, bool outermost,
					    uint64_t tail, uint64_t start, uint64_t size,
					    uint64_t stamp, uint32_t type)
{
	struct ring *ring = &s->ring;
	uint64_t number = ring_tail_number(start), delta = 0, time = stamp;
	bool exact = true;
	struct reservation rsv;

	if (ring_tail_index(start) == FTRACE_HEADER_BYTES) {
		ftrace_begin(ring, number, stamp);
	} else if (outermost && start == tail) {
		delta = stamp - zero_newest(s, tail);
	} else {
		exact = false;
		time = outermost ? zero_newest(s, start) : 0;
	}
	if (outermost)
		s->mine = time;
	rsv = ftrace_place(ring, ring_tail_at(ring, start), ring_subbuf(ring, number), size, len,
			   stamp, type, delta);
	rsv.inexact = !exact;
	return rsv;
}

RESERVE_SLOW struct reservation zero_slow(struct scheme_ring *s, uint32_t len, bool outermost)
{
	struct ring *ring = &s->ring;
	uint64_t tail, stamp, size, start;
	uint32_t type;

	for (;;) {
		tail = shared_load("tail again", &ring->tail);
		stamp = clock_read("clock again");
		type = outermost && ring_tail_index(tail) != FTRACE_HEADER_BYTES &&
				       bits_overflow(stamp - zero_newest(s, tail),
						     ring_stamp_bits(ring)) ?
			       FTRACE_TYPE_EXTEND :
			       0;
		size = ftrace_record_bytes(len) + (type ? FTRACE_TIME_BYTES : 0);
		/* With an extend it may be too long here, and still fit the next one without. */
		if (ftrace_record_bytes(len) > ring_max_record(ring))
			break;
		start = local_xadd("claim again", &ring->tail, size); /* I3, by start == tail */
		if (!ring_overshot(ring, start, size))
			return zero_place(s, len, outermost, tail, start, size, stamp, type);
		if (!ring_move_on(ring, start, size))
			break;
	}
	zero_leave(s, s->write);
	return reserve_lost(ring, ftrace_record_bytes(len));
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t nesting = shared_load("nesting", &s->committing);
	uint64_t size = ftrace_record_bytes(len), tail, start, stamp;

	(void)id;
	shared_store("enter", &s->committing, nesting + 1); /* I4 */
	tail = shared_load("tail", &ring->tail);
	stamp = clock_read("clock");
	if (unlikely(size > ring_max_record(ring) ||
		     bits_overflow(stamp - zero_newest(s, tail), ring_stamp_bits(ring))))
		return reservation_slow(zero_slow(s, len, !nesting));
	start = local_xadd("claim", &ring->tail, size); /* I3, by start == tail */
	if (unlikely(ring_overshot(ring, start, size))) {
		if (!ring_move_on(ring, start, size)) {
			zero_leave(s, s->write);
			return reservation_slow(reserve_lost(ring, size));
		}
		return reservation_slow(zero_slow(s, len, !nesting));
	}
	return zero_place(s, len, !nesting, tail, start, size, stamp, 0);
}

#define SCHEME_COMMIT
RECORD void commit(struct scheme_ring *s, const struct reservation *rsv)
{
	ring_commit(rsv->subbuf, rsv->size, RING_RECORD);
	zero_leave(s, s->mine);
}

#endif
