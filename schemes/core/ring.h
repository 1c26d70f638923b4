/* SPDX-License-Identifier: MIT */
/*
 * The per-CPU ring buffer that every scheme writes into: core/subbuf.h has its words and the books
 * of its sub-buffers. The tail word, which says how much was given out, has one of four forms:
 *
 *   offset      bytes ever given out                                     core/ring_offset.h
 *   numbered    {sub-buffer number : 44 | index : 20}                    core/ring_numbered.h
 *   packed      {upper bits of a stamp | offset in 4-byte units}         core/ring_packed.h
 *   published   the same word; its store publishes, there is no commit   core/ring_packed.h
 */
#ifndef STAMPEDE_SCHEMES_CORE_RING_H
#define STAMPEDE_SCHEMES_CORE_RING_H

#include "schemes/core/ring_numbered.h"
#include "schemes/core/ring_offset.h"
#include "schemes/core/ring_packed.h"
#include "schemes/core/subbuf.h"

/*
 * Prepares `ring` over zeroed memory: ring_bytes() at `base`, one struct subbuf per sub-buffer.
 * `header_bytes` is the format's sub-buffer header.
 */
void ring_init(struct ring *ring, const struct ring_config *config, uint8_t *base,
	       struct subbuf *subbufs, enum ring_tail form, uint32_t header_bytes);

/*
 * Completes the open sub-buffer at clock value `stamp`; false if none was open. Not for the
 * published form, whose schemes do it themselves.
 */
bool ring_flush(struct ring *ring, uint64_t stamp);

/* The number of the first sub-buffer that a ring ever opens. */
static inline uint64_t ring_start_number(const struct ring *ring)
{
	return ring_tail_is_numbered(ring) || !ring_has_commits(ring);
}

/*
 * As ring_end(), of a packed tail that was loaded some time ago; it is loaded again, into *tail, if
 * that is too long.
 */
uint64_t ring_packed_end(const struct ring *ring, uint64_t *tail);

/* The number behind the newest sub-buffer, and whether that one is still open. */
uint64_t ring_end(const struct ring *ring, bool *open);

/* Closed numbers [first, last) for a reader; overwriting held off, or writers idle. */
void ring_readable(const struct ring *ring, uint64_t *first, uint64_t *last);

/* Bytes of sub-buffer `number` that hold header and records, or 0 if it is not complete. */
uint32_t ring_content(const struct ring *ring, uint64_t number);

/*
 * Records that the commit counter of complete sub-buffer `number` accounts for;
 * ring_has_commits().
 */
uint32_t ring_record_count(const struct ring *ring, uint64_t number);

/*
 * Records that all commit counters account for since ring_init(); nothing may be writing. As
 * above.
 */
uint64_t ring_total_records(const struct ring *ring);

/* Releases everything below `number` to the writers. */
void ring_consume(struct ring *ring, uint64_t number);

#endif
