/* SPDX-License-Identifier: MIT */
/*
 * The per-CPU ring buffer that every scheme writes into.
 *
 * A ring is a power of two of sub-buffers, each a power of two of bytes: a format header, then
 * records. Sub-buffers are numbered from 0 without end; number n lives in slot n % count. Forms of
 * the tail word:
 *
 *   offset    bytes ever given out (free-running). A writer moves it by cmpxchg, or by a plain
 *             store where nothing can interrupt. At a sub-buffer's end the next one is not open
 *             yet: whoever writes first opens it, in the same cmpxchg that claims its record. A
 *             128-bit tail is such an offset and the newest stamp, moved together.
 *   numbered  {sub-buffer number : 44 | index : 20}. A writer adds its size by xadd first and looks
 *             later. Past the end the overshoot stays in the index, a cmpxchg moves the word to
 *             the next number, and the writer whose start still fits pads the rest.
 *   packed    {upper bits of a stamp | offset in 4-byte units}. As offset, but modulo what its bits
 *             hold, 512 MiB for 27 of them; the number that a slot last held tells the rest.
 *
 *   published as packed, but a record and all that belongs to it is written before the plain store of
 *             the tail, which publishes it; whoever comes between makes the writer start over. No
 *             commit counters, and so nobody but a reader knows how many records there are. A writer
 *             that started over elsewhere may leave the oldest sub-buffer half overwritten; its
 *             number says so.
 *
 * Commit, in the others: one counter per slot, {records : 32 | bytes : 32}, only ever added to, in one
 * instruction. Everything that is claimed is committed once: records, padding, and the format
 * header (by whoever opened the sub-buffer, after its bookkeeping). So number n is complete exactly
 * when the byte half says (n / count + 1) * size, and until then nobody can lap it: a nested
 * writer that comes round to an incomplete slot loses its event, which is counted.
 *
 * Shared words, their writers, how:
 *   tail                     all writers; cmpxchg, xadd or (serialised writers) plain store
 *   slot.commits             all writers; single-instruction add
 *   slot.content             the one writer that pads number n, before it commits the padding
 *   slot.number, .records_before, .lost_before
 *                            the one writer that opened the number, before it commits the header
 *   lost, refused            all writers; single-instruction add
 *   consumed, mode           the reader, which runs on the writer's CPU
 */
#ifndef STAMPEDE_SCHEMES_CORE_RING_H
#define STAMPEDE_SCHEMES_CORE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schemes/core/bits.h"
#include "schemes/core/clock.h"
#include "schemes/core/local.h"
#include "schemes/core/point.h"
#include "schemes/core/widths.h"

#define RING_INDEX_BITS 20
#define RING_INDEX_MASK ((UINT64_C(1) << RING_INDEX_BITS) - 1)
#define RING_RECORD (UINT64_C(1) << 32) /* one record, in slot.commits */
#define RING_MAX_SUBBUF_SHIFT (RING_INDEX_BITS - 2) /* leaves the index room to overshoot */

enum ring_tail {
	RING_TAIL_OFFSET,
	RING_TAIL_NUMBERED,
	RING_TAIL_PACKED,
	RING_TAIL_PUBLISHED,
};

#define RING_PACKED_UNIT 4

enum ring_mode {
	RING_OVERWRITE, /* flight recorder: the oldest sub-buffer gives way */
	RING_DISCARD, /* the new event is lost while the reader is behind */
};

struct subbuf {
	uint64_t commits; /* {records : 32 | bytes : 32}, free-running */
	uint64_t content; /* {number : 44 | bytes : 20}: number has padding after these bytes */
	uint64_t number; /* which number the slot holds */
	uint64_t lost_before; /* ring's lost events when it was opened */
	uint64_t records_before; /* records ever committed to the slot when it was opened */
} __attribute__((aligned(64)));

struct ring {
	uint64_t tail;
	uint64_t last; /* second half of a 128-bit tail: the newest stamp; others have their own */
	uint8_t *base;
	struct subbuf *subbufs;
	uint64_t lost; /* events lost because no sub-buffer was free */
	uint64_t refused; /* events larger than a sub-buffer */
	uint64_t stuck; /* events given up by a scheme that cannot finish (BOUNDED broken) */
	uint64_t consumed; /* first number that the reader has not released */
	uint64_t flush_stamp; /* clock at the last flush that closed one: its end stamp */
	uint64_t flush_number; /* which that is */
	enum ring_mode mode;
	enum ring_tail form;
	uint32_t header_bytes; /* of a sub-buffer */
	uint32_t subbuf_shift;
	uint32_t count_shift;
	uint32_t stamp_bits; /* T: width of the short time field */
	uint32_t counter_bits; /* W: width of the clock that the scheme may see */
	uint32_t packed_bits; /* of the offset in a packed tail */
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

/*
 * Geometry and widths are constants of the timed build, so that its reserve path has the
 * instructions a tracer with compiled-in geometry would have, and of the explored build, which has
 * other ones; the other builds set them per run.
 */
#ifndef PACKED_BITS
#define PACKED_BITS 27
#endif
#define RING_TIMED_SUBBUF_SHIFT 12
#define RING_TIMED_COUNT_SHIFT 8
#if defined(STAMPEDE_TIMED) || defined(STAMPEDE_EXPLORED)
#define RING_CONSTANT
#ifndef RING_FIXED_SUBBUF_SHIFT
#define RING_FIXED_SUBBUF_SHIFT RING_TIMED_SUBBUF_SHIFT
#define RING_FIXED_COUNT_SHIFT RING_TIMED_COUNT_SHIFT
#endif
#define ring_subbuf_shift(ring) ((void)(ring), RING_FIXED_SUBBUF_SHIFT)
#define ring_count_shift(ring) ((void)(ring), RING_FIXED_COUNT_SHIFT)
#define ring_stamp_bits(ring) ((void)(ring), STAMP_BITS)
#define ring_counter_bits(ring) ((void)(ring), COUNTER_BITS)
#define ring_packed_bits(ring) ((void)(ring), PACKED_BITS)
#else
#define ring_subbuf_shift(ring) ((ring)->subbuf_shift)
#define ring_count_shift(ring) ((ring)->count_shift)
#define ring_stamp_bits(ring) ((ring)->stamp_bits)
#define ring_counter_bits(ring) ((ring)->counter_bits)
#define ring_packed_bits(ring) ((ring)->packed_bits)
#endif

/*
 * What stays as ring_init() set it. The explorer's writers have it where stops.py knows it for
 * constant: nobody can come between two who only read.
 */
#ifdef STAMPEDE_EXPLORED
extern uint8_t *explore_constant_base;
extern struct subbuf *explore_constant_subbufs;
extern uint32_t explore_constant_header_bytes;
extern enum ring_mode explore_constant_mode;
#define ring_base(ring) ((void)(ring), explore_constant_base)
#define ring_subbufs(ring) ((void)(ring), explore_constant_subbufs)
#define ring_header_bytes(ring) ((void)(ring), explore_constant_header_bytes)
#define ring_mode(ring) ((void)(ring), explore_constant_mode)
#else
#define ring_base(ring) ((ring)->base)
#define ring_subbufs(ring) ((ring)->subbufs)
#define ring_header_bytes(ring) ((ring)->header_bytes)
#define ring_mode(ring) ((ring)->mode)
#endif

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
	local_add("commit", &subbuf->commits, records | size);
}

/* One event more that could not be recorded. */
static inline void ring_lost(struct ring *ring, uint64_t size)
{
	if (size > ring_max_record(ring))
		local_add_raw(&ring->refused, 1);
	else
		local_add_raw(&ring->lost, 1);
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

/* What a writer that opens a sub-buffer has to remember between its look and its claim. */
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

/*
 * May sub-buffer `number` be opened? Its slot must be complete from the round before (a writer that
 * was interrupted there still owns it) and, in discard mode, consumed. lost is sampled before the
 * claim: an event lost later belongs to a later sub-buffer.
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
 * Is `seen`, from which a writer found no room, not the tail any more? Then that says nothing: the
 * next sub-buffer may not be opened because a nested writer did so meanwhile, and there is room.
 */
static inline bool ring_moved(const struct ring *ring, uint64_t seen)
{
	return shared_load("moved?", &ring->tail) != seen;
}

/* The caller's cmpxchg opened the sub-buffer; it wrote what it must into the format header. */
static inline void ring_opened(struct ring *ring, const struct ring_opening *opening)
{
	struct subbuf *subbuf = ring_subbuf(ring, opening->number);

	subbuf->number = opening->number;
	subbuf->records_before = opening->records_before;
	subbuf->lost_before = opening->lost_before;
	/* Last: until the header is committed nobody can complete, and so reopen, the slot. */
	ring_commit(subbuf, ring_header_bytes(ring), 0);
	EXPLORED_PATH("switch");
}

/* Closes sub-buffer `number` after `content` bytes; the caller owns everything behind them. */
static inline void ring_pad(struct ring *ring, uint64_t number, uint64_t content)
{
	struct subbuf *subbuf = ring_subbuf(ring, number);

	if (content == ring_subbuf_bytes(ring))
		return;
	shared_store("pad: content", &subbuf->content, number << RING_INDEX_BITS | content);
	ring_commit(subbuf, ring_subbuf_bytes(ring) - content, 0);
}

/* ---- offset form ---- */

/* Bytes left in the open sub-buffer at `offset`; 0 at a sub-buffer's end: the next is not open. */
static inline uint64_t ring_room(const struct ring *ring, uint64_t offset)
{
	return -offset & (ring_subbuf_bytes(ring) - 1);
}

static inline uint8_t *ring_at(const struct ring *ring, uint64_t offset)
{
	return ring_base(ring) + (offset & (ring_bytes(ring) - 1));
}

static inline struct subbuf *ring_subbuf_at(const struct ring *ring, uint64_t offset)
{
	return ring_subbuf(ring, offset >> ring_subbuf_shift(ring));
}

/* The sub-buffer that a writer finding too little room at `offset` opens. */
static inline uint64_t ring_next_number(const struct ring *ring, uint64_t offset)
{
	return (offset + ring_subbuf_bytes(ring) - 1) >> ring_subbuf_shift(ring);
}

/* After a successful claim that left `offset` and opened a sub-buffer: books both. */
static inline void ring_switched(struct ring *ring, uint64_t offset,
				 const struct ring_opening *opening)
{
	if (ring_room(ring, offset))
		ring_pad(ring, opening->number - 1, offset & (ring_subbuf_bytes(ring) - 1));
	ring_opened(ring, opening);
}

/* ---- numbered form ---- */

static inline uint64_t ring_tail_number(uint64_t tail)
{
	return tail >> RING_INDEX_BITS;
}

static inline uint64_t ring_tail_index(uint64_t tail)
{
	return tail & RING_INDEX_MASK;
}

static inline uint8_t *ring_tail_at(const struct ring *ring, uint64_t tail)
{
	return ring_subbuf_base(ring, ring_tail_number(tail)) + ring_tail_index(tail);
}

/* Did a claim of `size` bytes at `tail` run past the end? */
static inline bool ring_overshot(const struct ring *ring, uint64_t tail, uint64_t size)
{
	return ring_tail_index(tail) + size > ring_subbuf_bytes(ring);
}

/*
 * A claim of `size` bytes at `tail` (its value before the xadd) ran past the end. Pads if the start
 * still fits, then moves the tail to the next sub-buffer unless a nested writer did. False: no free
 * sub-buffer; our share of the overshoot is taken back, so that the index cannot run over.
 */
static inline bool ring_move_on(struct ring *ring, uint64_t tail, uint64_t size)
{
	uint64_t number = ring_tail_number(tail), index = ring_tail_index(tail);
	uint64_t end = ring_subbuf_bytes(ring), now;
	struct ring_opening opening;

	if (index < end) {
		ring_pad(ring, number, index);
		size -= end - index;
	}
	now = shared_load("move: tail", &ring->tail);
	if (!ring_may_open(ring, number + 1, &opening)) {
		while (ring_tail_number(now) == number)
			if (local_cmpxchg("move: put back", &ring->tail, &now, now - size))
				return false;
		return true;
	}
	while (ring_tail_number(now) == number) {
		if (local_cmpxchg("move: next", &ring->tail, &now,
				  (number + 1) << RING_INDEX_BITS | ring_header_bytes(ring))) {
			ring_opened(ring, &opening);
			break;
		}
	}
	return true;
}

/* ---- packed form ---- */

static inline uint64_t ring_packed_mask(const struct ring *ring)
{
	return bits_mask(ring_packed_bits(ring));
}

/* The offset in a packed tail, in bytes; the upper bits of the true one are missing. */
static inline uint64_t ring_packed_offset(const struct ring *ring, uint64_t tail)
{
	return (tail & ring_packed_mask(ring)) * RING_PACKED_UNIT;
}

/* Most bytes of a ring with a packed tail: half of what the offset can tell apart. */
static inline uint64_t ring_packed_most(const struct ring *ring)
{
	return (ring_packed_mask(ring) + 1) * RING_PACKED_UNIT / 2;
}

/*
 * The number of the sub-buffer that holds the last byte before the packed offset. Its slot has that
 * number, or, while its opener is interrupted, the one of the round before: a ring's length back,
 * which is less than the offset's range.
 */
static inline uint64_t ring_packed_number(const struct ring *ring, uint64_t offset)
{
	uint64_t mask = (ring_packed_mask(ring) * RING_PACKED_UNIT) >> ring_subbuf_shift(ring);
	uint64_t number = (offset - 1) >> ring_subbuf_shift(ring) & mask;
	uint64_t held = shared_load("packed: number", &ring_subbuf(ring, number)->number);

	return held + ((number - held) & mask);
}

/* The number that a writer finding too little room behind a packed tail opens. */
static inline uint64_t ring_packed_next(const struct ring *ring, uint64_t tail)
{
	uint64_t offset = ring_packed_offset(ring, tail);

	/* An empty ring has no last byte; its slots hold number 0. */
	if (!offset && ring_has_commits(ring) && !ring_subbufs(ring)[0].commits)
		return 0;
	return ring_packed_number(ring, offset) + 1;
}

/* ---- set-up and reading, cold ---- */

/*
 * Prepares `ring` over zeroed memory: ring_bytes() at `base`, one struct subbuf per sub-buffer.
 * `header_bytes` is the format's sub-buffer header.
 */
void ring_init(struct ring *ring, const struct ring_config *config, uint8_t *base,
	       struct subbuf *subbufs, enum ring_tail form, uint32_t header_bytes);

/*
 * Closes the open sub-buffer at clock value `stamp`, so that everything recorded is complete. Not of
 * the published form, whose scheme has to do it.
 */
void ring_flush(struct ring *ring, uint64_t stamp);

/* The number of the first sub-buffer that a ring ever opens. */
static inline uint64_t ring_start_number(const struct ring *ring)
{
	return ring->form == RING_TAIL_NUMBERED || ring->form == RING_TAIL_PUBLISHED;
}

/* True if sub-buffer `number` was opened and holds what its header says. */
bool ring_holds(const struct ring *ring, uint64_t number);

/* Closed numbers [first, last) for a reader; overwriting held off, or writers idle. */
void ring_readable(const struct ring *ring, uint64_t *first, uint64_t *last);

/* Bytes of sub-buffer `number` that hold header and records, or 0 if it is not complete. */
uint32_t ring_content(const struct ring *ring, uint64_t number);

/* Records that the commit counter of complete sub-buffer `number` accounts for; ring_has_commits(). */
uint32_t ring_record_count(const struct ring *ring, uint64_t number);

/* Records that all commit counters account for since ring_init(); nothing may be writing. As above. */
uint64_t ring_total_records(const struct ring *ring);

/* Releases everything below `number` to the writers. */
void ring_consume(struct ring *ring, uint64_t number);

#endif
