/* SPDX-License-Identifier: MIT */
/*
 * The ring's words, and the books of its sub-buffers, which are the same for every form of the
 * tail.
 *
 * A ring is a power of two of sub-buffers, each a power of two of bytes: a format header, then
 * records. Sub-buffers are numbered from 0 without end; number n lies in slot n % count.
 *
 * A slot has one commit counter, {records : 32 | bytes : 32}, which only grows. Whatever is claimed
 * in the slot is committed once: each record, the padding, and the format header, which the writer
 * that opened the sub-buffer commits when its books are written. So number n is complete exactly
 * when the byte half says (n / count + 1) * size, and nobody can lap it before: a nested writer
 * that comes round to an incomplete slot loses its event, and the loss is counted. (Rings of the
 * published form have no commits: core/ring_packed.h.)
 *
 * Shared words, their writers, how:
 *   tail                     all writers; cmpxchg, xadd or (serialised writers) plain store
 *   slot.commits             all writers; add
 *   slot.content             the writer that pads number n; plain store
 *   slot.number, .records_before, .lost_before
 *                            the writer that opened the number; plain stores
 *   lost, refused, stuck     all writers; add
 *   consumed, mode           the reader, which runs on the writers' CPU; plain stores
 *
 * I1 What is claimed is committed once, in one instruction, behind the last store into it: an
 *    interrupt finds the counter with all of it or with nothing.
 * I2 The books of a number are written before its header is committed. Until then the slot cannot
 *    be complete, so nobody opens it again and writes them too.
 * I3 The content of a number is written before its padding is committed: as I2.
 * I4 The tail leaves a sub-buffer by one cmpxchg against the word that the writer has seen, so one
 *    writer alone pads and one alone opens.
 * I5 Each event that is not recorded is counted once, in one instruction.
 */
#ifndef STAMPEDE_SCHEMES_CORE_SUBBUF_H
#define STAMPEDE_SCHEMES_CORE_SUBBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schemes/core/bits.h"
#include "schemes/core/clock.h"
#include "schemes/core/hooks.h"
#include "schemes/core/local.h"
#include "schemes/core/point.h"
#include "schemes/core/widths.h"

/* Of {number | bytes}; with LOCAL_BITS=32 numbers are told apart mod 2^20, and commits are bytes.
 */
#define RING_INDEX_BITS (LOCAL_BITS == 64 ? 20 : 12)
#define RING_INDEX_MASK ((UINT64_C(1) << RING_INDEX_BITS) - 1)
#define RING_RECORD (UINT64_C(1) << 32) /* one record, in slot.commits */
#define RING_MAX_SUBBUF_SHIFT (RING_INDEX_BITS - 2) /* leaves the index room to overshoot */

/* core/ring.h describes them. */
enum ring_tail {
	RING_TAIL_OFFSET,
	RING_TAIL_NUMBERED,
	RING_TAIL_PACKED,
	RING_TAIL_PUBLISHED,
};

enum ring_mode {
	RING_OVERWRITE, /* flight recorder: the oldest sub-buffer gives way */
	RING_DISCARD, /* the new event is lost while the reader is behind */
};

struct subbuf {
	local_uint commits; /* {records : 32 | bytes : 32}, free-running */
	local_uint content; /* {number : 44 | bytes : 20}: number has padding after these bytes */
	local_uint number; /* which number the slot holds */
	local_uint lost_before; /* ring's lost events when it was opened */
	local_uint records_before; /* records ever committed to the slot when it was opened */
} __attribute__((aligned(64)));

struct ring {
	local_word tail;
	uint64_t last; /* second half of a 128-bit tail: the newest stamp; others have their own */
	uint8_t *base;
	struct subbuf *subbufs;
	local_uint lost; /* events lost because no sub-buffer was free */
	local_uint refused; /* events larger than a sub-buffer */
	local_uint stuck; /* events given up by a scheme that cannot finish (BOUNDED broken) */
	local_uint consumed; /* first number that the reader has not released */
	local_uint flush_stamp; /* clock at the last flush that closed one: its end stamp */
	local_uint flush_number; /* which that is */
	enum ring_mode mode;
	enum ring_tail form;
	uint32_t header_bytes; /* of a sub-buffer */
	uint32_t subbuf_shift;
	uint32_t count_shift;
	uint32_t stamp_bits; /* T: width of the short time field */
	uint32_t counter_bits; /* W: width of the clock that the scheme may see */
	uint16_t packed_bits; /* of the offset in a packed tail */
	uint16_t packed_unit_shift; /* log2 of what it counts, in bytes */
	uint32_t fixed_bytes; /* payload size of events whose header carries none */
	uint32_t cpu;
};

struct ring_config {
	enum ring_mode mode;
	uint32_t subbuf_shift; /* log2 of bytes, 6 .. RING_MAX_SUBBUF_SHIFT */
	uint32_t count_shift; /* log2 of sub-buffers, >= 1 */
	uint32_t stamp_bits;
	uint32_t counter_bits;
	uint32_t fixed_bytes;
	uint32_t cpu;
};

/* Geometry and widths (core/hooks.h). */
#define ring_subbuf_shift(ring) RING_GEOMETRY(ring, subbuf_shift, SEAM_SUBBUF_SHIFT)
#define ring_count_shift(ring) RING_GEOMETRY(ring, count_shift, SEAM_COUNT_SHIFT)
#define ring_stamp_bits(ring) RING_GEOMETRY(ring, stamp_bits, STAMP_BITS)
#define ring_counter_bits(ring) RING_GEOMETRY(ring, counter_bits, COUNTER_BITS)

RING_CONSTANTS

static inline uint8_t *ring_base(const struct ring *ring)
{
	return RING_SET_ONCE(ring, base);
}

static inline struct subbuf *ring_subbufs(const struct ring *ring)
{
	return RING_SET_ONCE(ring, subbufs);
}

static inline uint32_t ring_header_bytes(const struct ring *ring)
{
	return RING_SET_ONCE(ring, header_bytes);
}

static inline enum ring_mode ring_mode(const struct ring *ring)
{
	return RING_SET_ONCE(ring, mode);
}

/* Bytes of a sub-buffer, its header included. */
static inline uint64_t ring_subbuf_bytes(const struct ring *ring)
{
	return UINT64_C(1) << ring_subbuf_shift(ring);
}

/* Bytes of the whole ring. */
static inline uint64_t ring_bytes(const struct ring *ring)
{
	return UINT64_C(1) << (ring_subbuf_shift(ring) + ring_count_shift(ring));
}

static inline uint64_t ring_count_mask(const struct ring *ring)
{
	return (UINT64_C(1) << ring_count_shift(ring)) - 1;
}

static inline struct subbuf *ring_subbuf(const struct ring *ring, uint64_t number)
{
	return &ring_subbufs(ring)[number & ring_count_mask(ring)];
}

/* First byte of sub-buffer `number`: its format header. */
static inline uint8_t *ring_subbuf_base(const struct ring *ring, uint64_t number)
{
	return ring_base(ring) + ((number & ring_count_mask(ring)) << ring_subbuf_shift(ring));
}

/* Largest record that a sub-buffer can hold, in bytes. */
static inline uint64_t ring_max_record(const struct ring *ring)
{
	return ring_subbuf_bytes(ring) - ring_header_bytes(ring);
}

/* Makes `size` bytes of `subbuf` readable, with `records` (0 or RING_RECORD) more records. */
static inline void ring_commit(struct subbuf *subbuf, uint64_t size, uint64_t records)
{
	local_add("commit", &subbuf->commits, records | size); /* I1 */
}

/* One event more that could not be recorded. */
static inline void ring_lost(struct ring *ring, uint64_t size)
{
	if (size > ring_max_record(ring))
		local_add_raw(&ring->refused, 1); /* I5 */
	else
		local_add_raw(&ring->lost, 1); /* I5 */
}

/*
 * Records ever committed to the slot of `number` at a moment when `bytes` (mod 2^32) of that
 * number are. The byte half carries into the record half; how often is known, since the bytes are.
 */
static inline uint32_t ring_records(const struct ring *ring, uint64_t number, uint64_t commits,
				    uint64_t bytes)
{
	uint64_t rounds = number >> ring_count_shift(ring);

	return (uint32_t)((commits - ((rounds << ring_subbuf_shift(ring)) + bytes)) >> 32);
}

/* State of a writer that opens a sub-buffer, from its look to its claim. */
struct ring_opening {
	uint64_t number;
	uint64_t lost_before;
	uint64_t records_before;
};

/* Are records counted as they are committed? */
static inline bool ring_has_commits(const struct ring *ring)
{
	return ring->form != RING_TAIL_PUBLISHED;
}

/* Is the tail {sub-buffer number | index}? */
static inline bool ring_tail_is_numbered(const struct ring *ring)
{
	return ring->form == RING_TAIL_NUMBERED;
}

/* Is the tail {upper bits of a stamp | offset}? */
static inline bool ring_tail_is_packed(const struct ring *ring)
{
	return ring->form == RING_TAIL_PACKED || ring->form == RING_TAIL_PUBLISHED;
}

/*
 * May sub-buffer `number` be opened? Its slot must be complete from the round before (a writer that
 * was interrupted there still owns it) and, in discard mode, consumed. lost is read before the
 * claim: an event that is lost later belongs to a later sub-buffer.
 */
static inline bool ring_may_open(struct ring *ring, uint64_t number, struct ring_opening *opening)
{
	struct subbuf *subbuf = ring_subbuf(ring, number);
	uint64_t commits = shared_load("open: commits", &subbuf->commits);
	uint64_t rounds = number >> ring_count_shift(ring);

	if (ring_has_commits(ring) &&
	    (uint32_t)commits != (uint32_t)(rounds << ring_subbuf_shift(ring)))
		return false;
	if (ring_mode(ring) == RING_DISCARD &&
	    number - shared_load("open: consumed", &ring->consumed) > ring_count_mask(ring))
		return false;
	opening->number = number;
	opening->lost_before = shared_load("open: lost", &ring->lost);
	opening->records_before = ring_records(ring, number, commits, 0);
	return true;
}

/*
 * Has the tail moved since a writer found no room behind `seen`? Then that finding is void: the
 * next sub-buffer could not be opened because a nested writer has done so meanwhile, and there is
 * room.
 */
static inline bool ring_moved(const struct ring *ring, uint64_t seen)
{
	/* Commits of another CPU that say it is not free stand behind that one's claim. */
	fence(__ATOMIC_ACQUIRE);
	return shared_load("moved?", &ring->tail) != seen;
}

/* The caller's cmpxchg opened the sub-buffer; it wrote what it must into the format header. */
static inline void ring_opened(struct ring *ring, const struct ring_opening *opening)
{
	struct subbuf *subbuf = ring_subbuf(ring, opening->number);

	once_store(&subbuf->records_before, opening->records_before);
	once_store(&subbuf->lost_before, opening->lost_before);
	fence(__ATOMIC_RELEASE); /* a reader of the packet before looks at the number first */
	once_store(&subbuf->number, opening->number);
	ring_commit(subbuf, ring_header_bytes(ring), 0); /* I2: behind the books */
	POINT_PATH("switch");
}

/* Closes sub-buffer `number` after `content` bytes; the caller owns everything behind them. */
static inline void ring_pad(struct ring *ring, uint64_t number, uint64_t content)
{
	struct subbuf *subbuf = ring_subbuf(ring, number);

	if (content == ring_subbuf_bytes(ring))
		return;
	/* I3 */
	shared_store("pad: content", &subbuf->content, number << RING_INDEX_BITS | content);
	ring_commit(subbuf, ring_subbuf_bytes(ring) - content, 0);
}

#endif
