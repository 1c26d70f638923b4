/* SPDX-License-Identifier: MIT */
/*
 * A reader on another CPU: all that it does with the words of writers stands here, for the judge
 * (judge/live_steps.h), for who takes a scheme (extras/take/tracer.h) and for the explorer, which
 * stops it at each point.
 *
 * A ring that overwrites is copied, some sub-buffers at a time, into a spare ring of the same
 * geometry; behind that the reader looks whether a writer may have begun to overwrite them. On
 * x86-64 a writer's plain stores keep the order that this needs; elsewhere nothing does.
 */
#ifndef STAMPEDE_SCHEMES_CORE_HANDOVER_H
#define STAMPEDE_SCHEMES_CORE_HANDOVER_H

#include <string.h>

#include "schemes/core/ring.h"

#define HANDOVER_COPIES 16 /* of sub-buffers, between two looks at the tail, at most */

/* A reader's own, beside the ring and the spare one. */
struct handover {
	uint64_t copied; /* the number behind the copies; the spare's `consumed` is read next */
	uint64_t torn; /* copies that a writer may have overtaken */
	bool attached;
};

/* False: there is a reader. */
static inline bool handover_attach(struct handover *reader)
{
	if (__atomic_exchange_n(&reader->attached, true, __ATOMIC_ACQUIRE))
		return false;
	reader->copied = 0; /* by a reader that is no more */
	return true;
}

static inline void handover_detach(struct handover *reader)
{
	__atomic_store_n(&reader->attached, false, __ATOMIC_RELEASE);
}

/*
 * The first number from `number` on whose slot is certainly still its own when the tail says `end`.
 * The writer that opens the next sub-buffer may have written there before its tail says so: the
 * oldest one's never is.
 */
static inline uint64_t ring_oldest_safe(const struct ring *ring, uint64_t number, uint64_t end)
{
	return end - number > ring_count_mask(ring) ? end - ring_count_mask(ring) : number;
}

/* The first `bytes` of sub-buffer `number`, and its books before them. */
static inline void ring_copy_slot(struct ring *to, const struct ring *from, uint64_t number,
				  uint64_t bytes)
{
	uint8_t *at = ring_subbuf_base(to, number);
	const uint8_t *source = ring_subbuf_base(from, number);
	uint64_t done, piece;

	POINT("read: books");
	racy_copy(ring_subbuf(to, number), ring_subbuf(from, number), sizeof(struct subbuf));
	/* Books that say it is there, and bytes of before, would be believed. */
	fence(__ATOMIC_ACQUIRE);
	for (done = 0; done < bytes; done += piece) {
		piece = POINT_PIECE(bytes - done);
		POINT("read: bytes");
		racy_copy(at + done, source + done, piece);
	}
}

/* The tail of a ring whose newest sub-buffer is `number`, and closed. */
static inline uint64_t ring_tail_behind(const struct ring *ring, uint64_t number)
{
	uint64_t offset = (number + 1) << ring_subbuf_shift(ring);

	if (ring_tail_is_numbered(ring))
		return number << RING_INDEX_BITS | ring_subbuf_bytes(ring);
	if (ring_tail_is_packed(ring))
		return offset >> ring_packed_unit_shift(ring) & ring_packed_mask(ring);
	return offset;
}

/*
 * Copies [first, last) of `from`, as far as they are complete, and the head of the next one, which
 * tells where the last one ends. The number behind the last one copied; what a writer may have
 * overtaken is among them.
 */
static inline uint64_t ring_copy_some(struct ring *to, const struct ring *from, uint64_t first,
				      uint64_t last)
{
	uint64_t next;

	for (next = first; next < last && ring_content(from, next); next++)
		ring_copy_slot(to, from, next, ring_subbuf_bytes(from));
	ring_copy_slot(to, from, next, ring_header_bytes(from));
	to->lost = once_load(&from->lost);
	to->flush_number = once_load(&from->flush_number);
	to->flush_stamp = once_load(&from->flush_stamp);
	return next;
}

/*
 * Copies the oldest sub-buffers of `from` that are complete, not consumed and still there to `to`,
 * at most `most` of them, and fewer than its ring has. How many: from to->consumed on, and with
 * nothing else in `to`; 0: there is none. *torn grows by the copies that a writer may have
 * overtaken, which are worth nothing and left out.
 *
 * A look at the tail takes its line away from the writer, which costs that one more than the copy
 * of a sub-buffer does: hence two looks for all of them.
 */
static inline uint64_t ring_copy_next(struct ring *to, const struct ring *from, uint64_t most,
				      uint64_t *torn)
{
	uint64_t first, last, next, end;
	bool open;

	end = ring_end(from, &open);
	for (;;) {
		first = ring_oldest_safe(from, from->consumed, end);
		last = end - open;
		to->consumed = first;
		if (first >= last)
			return 0;
		next = ring_copy_some(to, from, first, last - first < most ? last : first + most);
		fence(__ATOMIC_ACQUIRE);
		end = ring_end(from, &open);
		to->consumed = ring_oldest_safe(from, first, end);
		if (to->consumed < next) {
			*torn += to->consumed - first;
			to->tail = ring_tail_behind(to, next - 1);
			return next - to->consumed;
		}
		if (to->consumed == first)
			return 0; /* not complete: who writes it is interrupted */
		*torn += next - first;
	}
}

/* Tells the ring what was read of its copies. */
static inline void handover_give_back(struct ring *ring, const struct ring *spare)
{
	ring_consume(ring, spare->consumed);
}

/*
 * How many copies there are to be read in `spare`, from spare->consumed on. When all were read they
 * are given back, with the next copies and not before: that line is the writer's.
 */
static inline uint64_t handover_copies(struct handover *reader, struct ring *ring,
				       struct ring *spare, uint64_t most)
{
	uint64_t copies;

	if (spare->consumed >= reader->copied) {
		handover_give_back(ring, spare);
		copies = ring_copy_next(spare, ring, most, &reader->torn);
		reader->copied = spare->consumed + copies;
	}
	return reader->copied - spare->consumed;
}

/*
 * How many sub-buffers can be read in place, `most` at most, from *first on. Closed is not
 * complete: its writers, or the one that pads its end, may be interrupted.
 */
static inline uint64_t handover_in_place(const struct ring *ring, uint64_t most, uint64_t *first)
{
	uint64_t last, count = 0;

	ring_readable(ring, first, &last);
	while (count < most && *first + count < last && ring_content(ring, *first + count))
		count++;
	return count;
}

#endif
