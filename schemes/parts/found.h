/* SPDX-License-Identifier: MIT */
/*
 * The row of a program that build/every-scheme has found. The header before this one defines
 *
 *   FOUND_BEFORE, FOUND_CLAIM, FOUND_AFTER   operations of the program, which are macros here
 *   FOUND_SLOW, FOUND_SLOW_PATH              its slow path, and when it is taken
 *   FOUND_FORM, FOUND_TEST                   the record, and where it is short
 *   FOUND_EXACT                              SLOW_LOST: the record is not declared inexact
 *   FOUND_MASKS                              it masks interrupts
 *   FOUND_PROMISES, FOUND_NEEDS, FOUND_EXTENSION, FOUND_CLOCKS   of the description
 *
 * t, w, b, c are what was read of the tail, S, B and the clock; t2 and w2 what was read again.
 * Layout: parts/packed.h where the tail is packed, else format/format_ftrace.h, where type 29 is
 * padding of as many bytes as the time field says, or, with none, a stamp alone: u32, u64.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_FOUND_H
#define STAMPEDE_SCHEMES_PARTS_FOUND_H

#define FORM_WHOLE 0
#define FORM_DELTA 2
#define FORM_PACKED 3
#define SLOW_FAR 1
#define SLOW_LONG 2
#define SLOW_LOST 3
#define STAMP_EVENT_BYTES 12

#include <signal.h>

#if FOUND_FORM == FORM_PACKED
#include "schemes/parts/packed.h"
#else
#define SCHEME_FORMAT FORMAT_OF_ITS_OWN
#include "schemes/format/format_ftrace.h"
#endif
#if FOUND_MASKS
#include "schemes/parts/mask.h"
#define SCHEME_BLOCKS 1
#define FOUND_LEAVE \
	if (masked) \
	mask_hard_leave(&saved), masked = false
#else
#define FOUND_LEAVE (void)0
#endif

static const struct scheme_desc scheme_desc = {
	.title = "found by exhaustive search",
	.source = "build/every-scheme",
	.promises = FOUND_PROMISES,
	.needs = FOUND_NEEDS,
	.extension = FOUND_EXTENSION,
	.extra_per_nested = 3,
	.zeros_per_nested = FOUND_SLOW_PATH == SLOW_LOST,
	.clock_reads = FOUND_CLOCKS,
	.more_clock_reads = FOUND_SLOW_PATH == SLOW_FAR ? FOUND_CLOCKS + 1 : 0,
	.gap_bits = FOUND_FORM == FORM_PACKED ? 0 : 32,
};

#define OP_load_tail t = shared_load("load tail", &ring->tail)
#define OP_load_S w = shared_load("load S", &s->s)
#define OP_load_B b = shared_load("load B", &s->b)
#define OP_clock c = clock_read("clock")
#define OP_store_S shared_store("store S", &s->s, c)
#define OP_store_B shared_store("store B", &s->b, c)
#define OP_store_place_in_B shared_store("store place", &s->b, FOUND_END)
#define OP_load_tail_again t2 = shared_load("load tail again", &ring->tail)
#define OP_load_S_again w2 = shared_load("load S again", &s->s)
#define OP_mask mask_hard_enter(&saved), masked = true
#define OP_unmask FOUND_LEAVE
#define REL_words (w == b)
#define REL_twice (w == w2)
#define REL_tails (t == t2)
#define REL_near (!bits_overflow(c - w, bits))
#define REL_upper (!((c ^ w) >> bits))
#define REL_place (t == b)
#define REL_packed (!((packed_upper(ring, c) ^ t) >> ring_packed_bits(ring)))
#define REL_end (t == FOUND_END)

/* Each claim leaves its place in `start`, or starts over. */
#define FOUND_AGAIN \
	{ \
		FOUND_LEAVE; \
		goto again; \
	}
#define OP_xadd_tail \
	start = local_xadd("claim", &ring->tail, size); \
	FOUND_OPEN
#define OP_xadd_tail_or_pad \
	OP_xadd_tail if (start != t) \
	{ \
		found_fill(ring, start, size, c, false); \
		FOUND_AGAIN \
	}
#define OP_cmpxchg_tail \
	start = t; \
	if (!local_cmpxchg("claim", &ring->tail, &start, FOUND_NEXT)) \
		FOUND_AGAIN \
	FOUND_OPEN
#define OP_store_tail \
	shared_store("claim", &ring->tail, FOUND_NEXT); \
	start = t; \
	FOUND_OPEN
#define FOUND_STAMP_ALONE found_fill(ring, start, size, c, true)

/* The words of reserve(); a tail that is not loaded begins no sub-buffer. */
#define FOUND_WORDS \
	unsigned int bits = ring_stamp_bits(ring); \
	local_uint t = (local_uint)-1, start = 0; \
	uint64_t t2 = 0, w = 0, w2 = 0, b = 0, c = 0; \
	bool whole, masked = false; \
	sigset_t saved; \
	(void)t2, (void)w, (void)w2, (void)b, (void)bits, (void)start, (void)masked, (void)saved

#if FOUND_FORM == FORM_PACKED
#define FOUND_NEXT next
#define FOUND_END next
#define FOUND_OPEN
#define SCHEME_TAIL RING_TAIL_PACKED
#define SCHEME_START ring_packed_init(&s->ring), s->s = 0, s->b = 0

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	struct packed_claim claim;
	local_uint next;
	bool leaves;
	FOUND_WORDS;

again:
	FOUND_BEFORE
	whole = !FOUND_TEST;
	claim = (struct packed_claim){ .start = ring_packed_offset(ring, t),
				       .full = whole || id >= PACKED_IDS };
	claim.size = packed_bytes(id, len, claim.full);
	next = t + claim.size / RING_PACKED_UNIT;
	leaves = packed_leaves(ring, t, next);
	next = packed_upper(ring, c) | (next & ring_packed_mask(ring));
	if (leaves) {
		if (!packed_fit(ring, id, len, t, c, whole, &claim)) {
			if (ring_moved(ring, t))
				FOUND_AGAIN
			FOUND_LEAVE;
			return reservation_slow(reserve_lost(ring, claim.size));
		}
		next = claim.next;
	}
	FOUND_CLAIM
	if (leaves && claim.opens)
		ctf_begin(ring, ring_packed_offset(ring, t), &claim.opening, c);
	FOUND_AFTER
	return (struct reservation){
		.payload = packed_put(ring, ring_at(ring, claim.start), id, len, c, claim.full),
		.subbuf = leaves ? ring_subbuf(ring, claim.number) :
				   ring_subbuf_at(ring, claim.start),
		.size = claim.size,
		.stamp = c,
	};
}
#else
#define FOUND_NEXT t + size
#define FOUND_END (start + size)
#define FOUND_OPEN \
	if (ring_overshot(ring, start, size)) { \
		if (ring_move_on(ring, start, size)) \
			FOUND_AGAIN \
		FOUND_LEAVE; \
		return reservation_slow(reserve_lost(ring, plain)); \
	}
#define SCHEME_TAIL RING_TAIL_NUMBERED
#define SCHEME_START s->s = 0, s->b = 0
#define FOUND_LOW (FOUND_FORM != FORM_DELTA)

/* Padding, or a stamp alone: a record of type 29 at `start`, which is committed. */
static inline void found_fill(struct ring *ring, uint64_t start, uint64_t size, uint64_t stamp,
			      bool alone)
{
	uint8_t *at = ring_tail_at(ring, start);

	put_u32(at, (alone ? 0 : (uint32_t)size << FTRACE_TYPE_BITS) | FTRACE_TYPE_PADDING);
	if (alone)
		put_u64(at + 4, stamp);
	if (ring_tail_index(start) == FTRACE_HEADER_BYTES)
		ftrace_begin(ring, ring_tail_number(start), stamp);
	ring_commit(ring_subbuf(ring, ring_tail_number(start)), size, 0);
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t value, size, plain = ftrace_record_bytes(len);
	bool first, exact = true, lost = false;
	struct reservation rsv;
	FOUND_WORDS;

	(void)id;
	if (plain + FTRACE_TIME_BYTES > ring_max_record(ring))
		return reservation_slow(reserve_lost(ring, plain));
again:
	FOUND_BEFORE
	whole = ring_tail_index(t) != FTRACE_HEADER_BYTES &&
		(FOUND_FORM == FORM_WHOLE || !FOUND_TEST);
#if FOUND_SLOW_PATH == SLOW_FAR
	if (whole) {
		size = STAMP_EVENT_BYTES;
		FOUND_SLOW
		goto again;
	}
#endif
	size = plain + (whole ? FTRACE_TIME_BYTES : 0);
	FOUND_CLAIM
	lost = FOUND_SLOW_PATH == SLOW_LOST && start != t;
#if FOUND_SLOW_PATH > SLOW_FAR
	if (lost || (FOUND_SLOW_PATH == SLOW_LONG && whole)) {
		FOUND_SLOW
		exact = !lost || FOUND_EXACT;
	} else
#endif
	{
		FOUND_AFTER
	}
	first = ring_tail_index(start) == FTRACE_HEADER_BYTES;
	if (first)
		ftrace_begin(ring, ring_tail_number(start), c);
	exact |= first;
	if (FOUND_LOW)
		value = whole ? c : c & bits_mask(bits);
	else if (first || !exact)
		value = 0;
	else
		value = whole ? (lost ? c - w : c) : (c - w) & bits_mask(bits);
	rsv = ftrace_place(ring, ring_tail_at(ring, start),
			   ring_subbuf(ring, ring_tail_number(start)), size, len, c,
			   !whole			 ? 0 :
			   FOUND_LOW || !(first || lost) ? FTRACE_TYPE_ABSOLUTE :
							   FTRACE_TYPE_EXTEND,
			   value);
	rsv.inexact = !exact;
	return rsv;
}

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	uint64_t left, before = cursor->time;
	enum decode_result result;
	uint32_t word;

	for (left = cursor_left(cursor); left >= 4; left -= word) {
		word = get_u32(cursor->at);
		if (ftrace_type(word) != FTRACE_TYPE_PADDING)
			break;
		word >>= FTRACE_TYPE_BITS;
		if (word > left || (!word && left < STAMP_EVENT_BYTES))
			return DECODE_BAD;
		if (!word) {
			*event = (struct event){ .id = EVENT_ID_UNKNOWN,
						 .header_bytes = STAMP_EVENT_BYTES,
						 .flags = EVENT_EXTENDED | EVENT_STAMP_ONLY,
						 .time = get_u64(cursor->at + 4) };
			return cursor_take(cursor, left, event);
		}
		cursor->at += word;
	}
	/* What the format adds to the time before is added to that one's upper bits. */
	if (FOUND_LOW)
		cursor->time = bits_clear(before, cursor->stamp_bits);
	result = ftrace_next(cursor, event);
	if (FOUND_LOW && result == DECODE_EVENT && event->time < before) {
		event->time += UINT64_C(1) << cursor->stamp_bits;
		cursor->time = event->time;
	}
	return result;
}
#endif

#endif
