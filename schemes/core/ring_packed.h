/* SPDX-License-Identifier: MIT */
/*
 * The packed form of the tail: {bits of a stamp | offset}, the offset in units of 4 bytes unless
 * the row has others. It works as that of the offset form, modulo what its bits hold, 512 MiB for
 * 27 of them; the number that a slot last held tells the rest.
 *
 * The published form has the same word. There a record and all that belongs to it are written
 * before the plain store of the tail that publishes them, and an interrupted writer starts over: so
 * there are no commit counters, and nobody but a reader knows how many records there are. A writer
 * that went on to start over elsewhere may leave the oldest sub-buffer half overwritten; its number
 * says so.
 */
#ifndef STAMPEDE_SCHEMES_CORE_RING_PACKED_H
#define STAMPEDE_SCHEMES_CORE_RING_PACKED_H

#include "schemes/core/subbuf.h"

#define RING_PACKED_UNIT 4
#ifndef PACKED_BITS
#define PACKED_BITS 27 /* of the offset */
#endif
#ifdef PACKED_WHOLE
#define PACKED_EVERY true /* record carries its whole stamp: parts/packed.h */
#else
#define PACKED_EVERY false
#endif
#ifdef PACKED_WORD32
#define PACKED_WORD_BITS 32 /* of the tail, for machines that swap no more */
#else
#define PACKED_WORD_BITS 64
#endif

#ifndef PACKED_UNIT_SHIFT
#define PACKED_UNIT_SHIFT \
	2 /* log2 of a unit's bytes; a row with another one sets it in its ring \
	   */
#endif

#define ring_packed_unit_shift(ring) RING_GEOMETRY(ring, packed_unit_shift, PACKED_UNIT_SHIFT)
#define ring_packed_bits(ring) RING_GEOMETRY(ring, packed_bits, PACKED_BITS)

/* After ring_init(), in a row whose tail is packed. */
static inline void ring_packed_init(struct ring *ring)
{
	ring->packed_bits = PACKED_BITS;
	ring->packed_unit_shift = PACKED_UNIT_SHIFT;
}

static inline uint64_t ring_packed_mask(const struct ring *ring)
{
	return bits_mask(ring_packed_bits(ring));
}

/* The offset in a packed tail, in bytes; the upper bits of the true one are missing. */
static inline uint64_t ring_packed_offset(const struct ring *ring, uint64_t tail)
{
#if SEAM_PAYLOAD_GIVEN && SEAM_GEOMETRY_CONSTANT
	_Static_assert(SEAM_SUBBUF_SHIFT + SEAM_COUNT_SHIFT < PACKED_BITS + PACKED_UNIT_SHIFT,
		       "this row's ring has at most 256 MiB (varint_low: 64)");
#endif
	return (tail & ring_packed_mask(ring)) << ring_packed_unit_shift(ring);
}

/* Most bytes of a ring with a packed tail: half of what the offset can tell apart. */
static inline uint64_t ring_packed_most(const struct ring *ring)
{
	return ((ring_packed_mask(ring) + 1) << ring_packed_unit_shift(ring)) / 2;
}

/*
 * The number of the sub-buffer that holds the last byte before the packed offset. Its slot has that
 * number or, while the writer that opened it is interrupted, the one of the round before: a ring's
 * length back, which is less than the offset's range.
 */
static inline uint64_t ring_packed_number(const struct ring *ring, uint64_t offset)
{
	uint64_t mask =
		(ring_packed_mask(ring) << ring_packed_unit_shift(ring)) >> ring_subbuf_shift(ring);
	uint64_t number = (offset - 1) >> ring_subbuf_shift(ring) & mask;
	uint64_t held = shared_load("packed: number", &ring_subbuf(ring, number)->number);

	return held + ((number - held) & mask);
}

/* The number that a writer finding too little room behind a packed tail opens. */
static inline uint64_t ring_packed_next(const struct ring *ring, uint64_t tail)
{
	uint64_t offset = ring_packed_offset(ring, tail);

	POINT("packed: empty?");
	/* An empty ring has no last byte; its slots hold number 0. */
	if (!offset && ring_has_commits(ring) && !once_load(&ring_subbufs(ring)[0].commits))
		return 0;
	return ring_packed_number(ring, offset) + 1;
}

#endif
