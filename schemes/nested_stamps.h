/* SPDX-License-Identifier: MIT */
/*
 * ftrace's 27-bit deltas under nesting: two stamps, stored before and after the claim, tell a
 * writer whether it came into another one's time update. If so, it stores an absolute stamp. A
 * writer that finds that it was itself interrupted takes its delta from the interrupting event, or
 * gives up and stores a delta of zero.
 *
 * Source: Steven Rostedt, "ring-buffer: Incorporate absolute timestamp into add_timestamp logic"
 * and the text of the design, 2020-06-29; in the form of Linux 6.8 and later, with two repairs:
 *  - the slow path's delta is used only if it fits the field or room for an extend was claimed;
 *  - "nobody came since" compares the whole tail word, sub-buffer number included: the index alone
 *    is put back when a nested writer moves on to the next sub-buffer.
 *
 * Layout: format/format_ftrace.h.
 *
 * Shared words, all writers: tail {number : 44 | index : 20}, xadd (CLAIM_CMPXCHG: cmpxchg);
 * before, write: plain stores. before != write is a legal, self-healing state: "a time update is
 * under way or was given up, do not trust write".
 *
 *   A  read tail, before, write; read the clock; decide what the record must carry
 *   B  before = stamp
 *   C  claim
 *   D  not interrupted since A: write = stamp; the delta to the old write is right
 *   E  interrupted A..C: read before, read the clock again, before = that, read write
 *   F  nobody came since C and write was trustworthy: delta to write; else delta 0
 *
 * ABSOLUTE_ALWAYS: every event carries the 8-byte absolute stamp, as in the kernel's absolute mode,
 * which production systems run to avoid zero deltas. Ours keeps D to F: a writer that learns its
 * place too late (F fails) still stores a delta of zero, since an absolute stamp taken after a
 * nested writer's would come before it in the buffer.
 *
 * I1 before == write only if the stamp in both is that of the newest record.
 * I2 A zero delta repeats the time of a record that came inside this reserve: inside its window.
 * I3 The first record of a sub-buffer has its begin stamp and delta 0.
 * I4 A claim moves the tail in one instruction. So start == tail of A (D), and tail == end (F), say
 *    that no record that is still there was claimed in between.
 *
 * Known failure: a clock that gives the same value twice: a stale store of an equal stamp then
 * looks like a finished update. Zero deltas are declared inexact and counted.
 * Clock reads per event: 1; 2 if interrupted between A and C; one more per sub-buffer moved.
 */
#ifndef STAMPEDE_SCHEMES_NESTED_STAMPS_H
#define STAMPEDE_SCHEMES_NESTED_STAMPS_H

#include "schemes/format/format_ftrace.h"

/* The stamp that every record carries, independently of its predecessor. */
#ifdef ABSOLUTE_ALWAYS
#define NESTED_TYPE FTRACE_TYPE_ABSOLUTE
#define NESTED_TYPE_BYTES FTRACE_TIME_BYTES
#else
#define NESTED_TYPE 0
#define NESTED_TYPE_BYTES 0
#endif

struct scheme_ring {
	struct ring ring;
	uint64_t before;
	uint64_t write;
};

static const struct scheme_desc scheme_desc = {
#ifdef CLAIM_CMPXCHG
	.title = "before/write stamps, claim by cmpxchg",
#elif defined(ABSOLUTE_ALWAYS)
	.title = "before/write stamps, all events absolute",
#else
	.title = "before/write stamps, claim by xadd",
#endif
	.source = "Rostedt, LKML 2020-06-29; Linux 6.8, two repairs",
	.promises = PROMISE_ALL,
#ifdef ABSOLUTE_ALWAYS
	/* A stamp that is whole is right even where equal stamps let before == write by chance. */
	.extension = EXTEND_ALWAYS,
	.gap_bits = 32,
#else
	.needs = NEED_STRICT_CLOCK,
	.extension = EXTEND_ON_GAP,
	.gap_bits = 32,
#endif
	.extra_per_nested = 2,
	.zeros_per_nested = 1,
	.clock_reads = 1,
	.alignment = SCHEME_ALIGNMENT,
};

#define SCHEME_TAIL RING_TAIL_NUMBERED
#define SCHEME_START s->before = 0, s->write = 0

/* A writer's state after A. */
struct nested_attempt {
	uint64_t tail;
	uint64_t before;
	uint64_t write;
	uint64_t stamp;
};

static inline struct nested_attempt nested_look(struct scheme_ring *s)
{
	struct nested_attempt at;

	at.tail = shared_load("A: tail", &s->ring.tail);
	at.before = shared_load("A: before", &s->before);
	at.write = shared_load("A: write", &s->write);
	at.stamp = clock_read("A: clock");
	return at;
}

/* C: claims `size` bytes and returns the tail that they start at. */
static inline uint64_t nested_claim(struct scheme_ring *s, uint64_t tail, uint64_t size)
{
#ifdef CLAIM_CMPXCHG
	while (unlikely(!local_cmpxchg("C: claim", &s->ring.tail, &tail, tail + size))) /* I4 */
		POINT_COUNT(retries);
	return tail;
#else
	(void)tail;
	return local_xadd("C: claim", &s->ring.tail, size); /* I4 */
#endif
}

/* E and F: the delta of a writer that was interrupted between A and C. True: it is exact. */
static inline bool nested_interrupted(struct scheme_ring *s, struct nested_attempt *at,
				      uint64_t end, bool room, uint64_t *delta)
{
	at->before = shared_load("E: before", &s->before);
	at->stamp = clock_read("E: clock");
	shared_store("E: store before", &s->before, at->stamp); /* I1 */
	at->write = shared_load("E: write", &s->write);
	*delta = at->stamp - at->write;
	if (shared_load("F: tail", &s->ring.tail) == end && at->write == at->before &&
	    at->write < at->stamp && (room || !bits_overflow(*delta, ring_stamp_bits(&s->ring))))
		return true;
	*delta = 0;
	return false;
}

static inline struct reservation nested_place(struct scheme_ring *s, uint32_t len, uint64_t start,
					      uint64_t size, uint64_t stamp, uint32_t type,
					      uint64_t value)
{
	struct ring *ring = &s->ring;

	return ftrace_place(ring, ring_tail_at(ring, start),
			    ring_subbuf(ring, ring_tail_number(start)), size, len, stamp, type,
			    value);
}

/*
 * After C: the record of `size` bytes at `start` is ours and inside its sub-buffer. `type` is what
 * room was claimed for: FTRACE_TYPE_ABSOLUTE, FTRACE_TYPE_EXTEND or 0.
 */
RESERVE_SLOW struct reservation nested_claimed(struct scheme_ring *s, uint32_t len,
					       struct nested_attempt at, uint64_t start,
					       uint64_t size, uint32_t type)
{
	struct ring *ring = &s->ring;
	bool first = ring_tail_index(start) == FTRACE_HEADER_BYTES, exact = true;
	struct reservation rsv;
	uint64_t delta;

	if (start == at.tail) {
		shared_store("D: write", &s->write, at.stamp); /* I1 */
		delta = type == FTRACE_TYPE_ABSOLUTE ? at.stamp : at.stamp - at.write;
	} else {
		exact = nested_interrupted(s, &at, start + size, type != 0, &delta);
		/* The room for an absolute stamp carries the delta. */
		type = type ? FTRACE_TYPE_EXTEND : 0;
	}
	if (first) {
		ftrace_begin(ring, ring_tail_number(start), at.stamp);
		delta = 0;
		exact = true;
		type = type ? FTRACE_TYPE_EXTEND : 0;
	}
	if (NESTED_TYPE && exact) {
		type = NESTED_TYPE;
		delta = at.stamp;
	}
	rsv = nested_place(s, len, start, size, at.stamp, type, delta);
	rsv.inexact = !exact;
	return rsv;
}

/* From B on, with everything that is not plain; starts over after each sub-buffer's end. */
RESERVE_SLOW struct reservation nested_slow(struct scheme_ring *s, uint32_t len,
					    struct nested_attempt at)
{
	struct ring *ring = &s->ring;
	uint64_t size, start;
	uint32_t type;

	for (;;) {
		type = NESTED_TYPE;
		if (ring_tail_index(at.tail) != FTRACE_HEADER_BYTES) {
			if (at.before != at.write)
				type = FTRACE_TYPE_ABSOLUTE;
			else if (!type && bits_overflow(at.stamp - at.write, ring_stamp_bits(ring)))
				type = FTRACE_TYPE_EXTEND;
		}
		size = ftrace_record_bytes(len) + (type ? FTRACE_TIME_BYTES : 0);
		/* With an extend it may be too long here, and still fit the next one without. */
		if (ftrace_record_bytes(len) + NESTED_TYPE_BYTES > ring_max_record(ring))
			return reserve_lost(ring, ftrace_record_bytes(len) + NESTED_TYPE_BYTES);
		shared_store("B: before", &s->before, at.stamp); /* I1 */
		start = nested_claim(s, at.tail, size);
		if (!ring_overshot(ring, start, size))
			return nested_claimed(s, len, at, start, size, type);
		if (!ring_move_on(ring, start, size))
			return reserve_lost(ring, ftrace_record_bytes(len) + NESTED_TYPE_BYTES);
		at = nested_look(s);
	}
}

RESERVE_SLOW struct reservation nested_overshoot(struct scheme_ring *s, uint32_t len,
						 uint64_t start, uint64_t size)
{
	if (!ring_move_on(&s->ring, start, size))
		return reserve_lost(&s->ring, size);
	return nested_slow(s, len, nested_look(s));
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	struct nested_attempt at = nested_look(s);
	uint64_t size = ftrace_record_bytes(len) + NESTED_TYPE_BYTES, start;
	uint64_t delta = at.stamp - at.write;

	(void)id;
	/* At the start of a sub-buffer write belongs to another one. */
	if (unlikely(at.before != at.write ||
		     (!NESTED_TYPE && bits_overflow(delta, ring_stamp_bits(ring))) ||
		     ring_tail_index(at.tail) == FTRACE_HEADER_BYTES ||
		     size > ring_max_record(ring)))
		return reservation_slow(nested_slow(s, len, at));
	shared_store("B: before", &s->before, at.stamp); /* I1 */
	start = nested_claim(s, at.tail, size);
	if (unlikely(ring_overshot(ring, start, size)))
		return reservation_slow(nested_overshoot(s, len, start, size));
	if (unlikely(start != at.tail))
		return reservation_slow(nested_claimed(s, len, at, start, size, NESTED_TYPE));
	shared_store("D: write", &s->write, at.stamp); /* I1 */
	return nested_place(s, len, start, size, at.stamp, NESTED_TYPE,
			    NESTED_TYPE ? at.stamp : delta);
}

/*
 * As in Linux 6.8: write is the stamp of a record that will be gone, so before must differ from it
 * when the place is given back; the next event is then absolute. No clock gets to NESTED_NEVER; the
 * kernel stores 0.
 */
#define NESTED_NEVER UINT64_MAX
#define SCHEME_DISCARD
static inline bool discard(struct scheme_ring *s, const struct reservation *rsv, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t tail = shared_load("discard: tail", &ring->tail);
	const uint8_t *end = rsv->payload + ftrace_payload_bytes(len);

	/*
	 * The first record of a sub-buffer stays, which is not so in the kernel: a writer that was
	 * interrupted before its claim would become the first without knowing it, and stamp the
	 * sub-buffer later than what nests in it.
	 */
	if (ring_tail_at(ring, tail) != end ||
	    ring_tail_index(tail) == FTRACE_HEADER_BYTES + rsv->size)
		return false;
	shared_store("discard: before", &s->before, NESTED_NEVER); /* I1 */
	/* Only the newest record goes: nobody has claimed behind it. */
	return local_cmpxchg("discard: take back", &ring->tail, &tail, tail - rsv->size);
}

#endif
