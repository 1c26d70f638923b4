/* SPDX-License-Identifier: MIT */
/*
 * ftrace's before and write stamps with the claim as one loop of cmpxchg: whoever is interrupted
 * before its claim looks at everything again, so there is no slow path behind it, and no delta of
 * zero.
 *
 * Source: Steven Rostedt, "ring-buffer: Simplify reservation with try_cmpxchg() loop", v3, LKML,
 * 2024-02-19; taken back the day after: more than a thousand attempts in a row, with function_graph
 * and the clock "perf"; docs/linux-ring-buffer.md says why. Repaired here: each attempt decides
 * anew what a record carries, where v3 keeps the decision and takes its length back.
 *
 * Layout: format/format_ftrace.h.
 *
 * Shared words, all writers: tail {number : 44 | index : 20}, cmpxchg; before, write: plain stores.
 *
 *   A  read tail and before, once
 *   B  read write; read the clock; decide what the record must carry
 *   C  before = stamp; claim by cmpxchg; if the tail has moved, B again behind the new one
 *   D  write = stamp
 *
 * I1 A writer that claims has read the clock after the tail was the word and before it changed:
 *    stamps are in buffer order.
 * I2 before == write only if both are the stamp of the newest record, or of one that is read as
 *    old: then the record carries the difference to it. Else it carries its whole stamp.
 *    (ABSOLUTE_LOW: write is never newer than the newest record, so who has its upper bits has
 *    that record's as well.)
 * I3 The first record of a sub-buffer has its begin stamp and delta 0.
 *
 * ABSOLUTE_LOW: the other design of that thread ("delta = ts & MAX", Rostedt, 2024-01-20): the
 * field has the low bits of the stamp, as LTTng's, and a record is absolute if the bits above it
 * are not those of write. There is no before. The reader keeps the upper bits that it has.
 *
 * Known failure: a clock that gives the same value twice: before == write then also where a writer
 * of an equal stamp was interrupted between claim and D. A clock whose reads record events. Each
 * attempt reads it, the event that comes of that moves the tail, and the claim fails: for ever.
 * nested_stamps reads it twice.
 *
 * Clock reads per event: 1; one more for every attempt that a nested writer made void.
 */
#ifndef STAMPEDE_SCHEMES_NESTED_RETRY_H
#define STAMPEDE_SCHEMES_NESTED_RETRY_H

#ifdef ABSOLUTE_LOW
#define SCHEME_FORMAT FORMAT_OF_ITS_OWN
#endif

#include "schemes/format/format_ftrace.h"

struct scheme_ring {
	struct ring ring;
	uint64_t before;
	uint64_t write;
};

static const struct scheme_desc scheme_desc = {
#ifdef ABSOLUTE_LOW
	.title = "low bits in ftrace's header, one cmpxchg loop",
	.source = "Rostedt, LKML 2024-01-20 (a sketch)",
	.extension = EXTEND_ON_CARRY,
#else
	.title = "before/write stamps, all of it in one cmpxchg loop",
	.source = "Rostedt, LKML 2024-02-19 (v3), one repair",
	.needs = NEED_STRICT_CLOCK,
	.extension = EXTEND_ON_GAP,
#endif
	.promises = PROMISE_ALL,
	.gap_bits = 32,
	.extra_per_nested = 3,
	.clock_reads = 1,
};

#define SCHEME_TAIL RING_TAIL_NUMBERED
#define SCHEME_START s->before = 0, s->write = 0

/* The stamp that one attempt's record carries. */
struct retry_attempt {
	uint64_t stamp;
	uint64_t value; /* of the field, or of what carries the rest */
	uint32_t type; /* FTRACE_TYPE_ABSOLUTE, FTRACE_TYPE_EXTEND or 0 */
};

/* B, behind `tail`. */
static inline struct retry_attempt retry_look(struct scheme_ring *s, uint64_t tail, uint64_t before)
{
	uint64_t write = shared_load("B: write", &s->write);
	struct retry_attempt at = { .stamp = clock_read("B: clock") };
	bool first = ring_tail_index(tail) == FTRACE_HEADER_BYTES; /* I3 */
	unsigned int bits = ring_stamp_bits(&s->ring);

#ifdef ABSOLUTE_LOW
	(void)before;
	if (!first && (at.stamp ^ write) >> bits)
		at.type = FTRACE_TYPE_ABSOLUTE;
	at.value = at.type ? at.stamp : at.stamp & bits_mask(bits);
#else
	if (!first && before != write)
		at.type = FTRACE_TYPE_ABSOLUTE;
	else if (!first && bits_overflow(at.stamp - write, bits))
		at.type = FTRACE_TYPE_EXTEND;
	if (!first)
		at.value = at.type == FTRACE_TYPE_ABSOLUTE ? at.stamp : at.stamp - write;
#endif
	return at;
}

/* C, before the claim. */
static inline void retry_announce(struct scheme_ring *s, uint64_t stamp)
{
#ifdef ABSOLUTE_LOW
	(void)s;
	(void)stamp;
#else
	shared_store("C: before", &s->before, stamp); /* I2 */
#endif
}

/* The record at `start` is ours: D, and its bytes. */
static inline struct reservation retry_place(struct scheme_ring *s, uint32_t len, uint64_t start,
					     uint64_t size, struct retry_attempt at)
{
	struct ring *ring = &s->ring;

	shared_store("D: write", &s->write, at.stamp); /* I2 */
	return ftrace_place(ring, ring_tail_at(ring, start),
			    ring_subbuf(ring, ring_tail_number(start)), size, len, at.stamp,
			    at.type, at.value);
}

/* All that is not plain, from B on: extensions, the ends of sub-buffers, attempts made void. */
RESERVE_SLOW struct reservation retry_slow(struct scheme_ring *s, uint32_t len, uint64_t tail,
					   uint64_t before, struct retry_attempt at)
{
	struct ring *ring = &s->ring;
	uint64_t plain = ftrace_record_bytes(len), size;

	if (plain > ring_max_record(ring))
		return reserve_lost(ring, plain);
	for (;;) {
		size = plain + (at.type ? FTRACE_TIME_BYTES : 0);
		retry_announce(s, at.stamp);
		if (unlikely(
			    !local_cmpxchg("C: claim", &ring->tail, &tail, tail + size))) { /* I1 */
			POINT_COUNT(retries);
		} else if (!ring_overshot(ring, tail, size)) {
			break;
		} else {
			if (!ring_move_on(ring, tail, size))
				return reserve_lost(ring, plain);
			tail = shared_load("A: tail again", &ring->tail);
			before = shared_load("A: before again", &s->before);
		}
		at = retry_look(s, tail, before);
	}
	if (ring_tail_index(tail) == FTRACE_HEADER_BYTES)
		ftrace_begin(ring, ring_tail_number(tail), at.stamp);
	return retry_place(s, len, tail, size, at);
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = ftrace_record_bytes(len);
	uint64_t tail = shared_load("A: tail", &ring->tail), seen = tail;
	uint64_t before = shared_load("A: before", &s->before);
	struct retry_attempt at = retry_look(s, tail, before);

	(void)id;
	if (unlikely(at.type || ring_tail_index(tail) == FTRACE_HEADER_BYTES ||
		     ring_tail_index(tail) + size > ring_subbuf_bytes(ring)))
		return reservation_slow(retry_slow(s, len, tail, before, at));
	retry_announce(s, at.stamp);
	if (unlikely(!local_cmpxchg("C: claim", &ring->tail, &seen, tail + size))) { /* I1 */
		POINT_COUNT(retries);
		at = retry_look(s, seen, before);
		return reservation_slow(retry_slow(s, len, seen, before, at));
	}
	return retry_place(s, len, tail, size, at);
}

#ifdef ABSOLUTE_LOW
#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	/* The format's delta is added to the upper bits of the time before. */
	cursor->time = bits_clear(cursor->time, cursor->stamp_bits);
	return ftrace_next(cursor, event);
}
#endif

#endif
