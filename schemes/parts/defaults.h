/* SPDX-License-Identifier: MIT */
/*
 * The rest of a row, after its scheme's header: defaults for the hooks that the scheme does not
 * have, and record(), which is made of them.
 *
 * All hooks, and what a scheme gets without them. A scheme defines the macro, which says that it
 * has the hook, and the function:
 *
 *   macro               function or meaning                       without it
 *   SCHEME_START        what sets the scheme's own words behind    it defines scheme_init() itself
 *                       ring_init(), in place of scheme_init()
 *   SCHEME_TAIL         the form of the tail (core/ring.h)        RING_TAIL_OFFSET
 *   SCHEME_RECORD       record(s, id, len, src): reserve, fill    all three, one after the other
 *                       and commit in one
 *   SCHEME_COMMIT       commit(s, rsv): publishes the record      adds to the commit counter
 *   SCHEME_DISCARD      discard(s, rsv, len): takes a reserved    nothing is taken back
 *                       record of `len` payload bytes back before
 *                       it is committed; false: too late, it must
 *                       be committed
 *   SCHEME_BEAT         beat(s): what has to be done once per     nothing
 *                       beat, before the beat's event
 *   SCHEME_BEAT_SILENT  the beat records no event; another one    the beat records an event
 *                       records it later (history)
 *   SCHEME_MASKED       reserve, fill and commit run with         writers nest
 *                       interrupts masked (parts/masked.h);
 *                       with MASK_SOFT the scheme has a
 *                       struct soft_mask mask
 *   SCHEME_DEFER        defer(s, level): the nested writer has    false: it runs at once
 *                       to wait, and is noted; comes with a
 *                       soft mask (parts/masked.h)
 *   SCHEME_BUSY         scheme_busy(s): a writer is at work,      false
 *                       and one that interrupts it is rejected
 *                       (desc.turns_away)
 *   SCHEME_BLOCKS       1: signals are blocked while a writer     0
 *                       runs; comes with a hard mask
 *   SCHEME_RESTARTS     the record is written inside a section    the payload is filled in between
 *                       that starts over (parts/restart.h)        reserve and commit
 *   SCHEME_JOIN         s->by_cpu, rings that threads which move  a ring stays with its writers
 *                       between CPUs go to; s->moves counts them
 *   SCHEME_FLUSH        flush(s): closes the open sub-buffer; a   ring_flush()
 *                       must with a ring of the published form
 *   SCHEME_CLAIM_BITS   of the word that a claim swaps, adds to   those of the tail; with a mask 0:
 *                       or publishes in one step                  plain stores do
 *   SCHEME_NOW          scheme_now(s): the 64-bit clock, as the   clock_now()
 *                       scheme knows it
 *   SCHEME_UNSUPPORTED  scheme_unsupported(): why the row cannot  NULL: it can
 *                       run on this machine
 *   SCHEME_NEXT         decode_next(cursor, event): the next      that of the format
 *                       record, from bytes alone
 *
 * Before the header of its format:
 *
 *   SCHEME_FORMAT       a struct scheme_format                    the format's first form
 *   CTF_STAMP_EVENT     records may be stamp events               none are (format/format_ctf.h)
 *   CTF_COMPACT_IDS     ids that fit beside the stamp             29, or 28 with stamp events
 *
 * Before parts/claim.h, the claim of records of one size:
 *
 *   (always)            claim_begin(s, &begin): reads the clock
 *   CLAIM_HEADER        claim_bytes(), claim_put()                it defines reserve() itself
 *
 * Before parts/extend.h, the claim of records that may carry the whole stamp; it defines reserve():
 *
 *   (always)            extend_far(), extend_remember()
 *   EXTEND_HEADER       extend_record(), extend_put(),            compact CTF headers
 *                       extend_begin()
 *   EXTEND_SEEN         struct extend_seen, extend_see(),         the offset, claimed by cmpxchg
 *                       extend_claim()
 */
#ifndef STAMPEDE_SCHEMES_PARTS_DEFAULTS_H
#define STAMPEDE_SCHEMES_PARTS_DEFAULTS_H

#include "schemes/core/scheme.h"

#ifdef SCHEME_START
#ifndef SCHEME_TAIL
#define SCHEME_TAIL RING_TAIL_OFFSET
#endif
static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, SCHEME_TAIL, FORMAT_HEADER_BYTES);
	SCHEME_START;
}
#endif

#ifndef SCHEME_COMMIT
/* Makes the record readable once everything else in its sub-buffer is. */
RECORD void commit(struct scheme_ring *s, const struct reservation *rsv)
{
	(void)s;
	ring_commit(rsv->subbuf, rsv->size, RING_RECORD);
}
#endif

#ifndef SCHEME_RECORD
RECORD_SLOW bool record_rest(struct scheme_ring *s, struct reservation rsv, uint32_t len,
			     struct source *src)
{
	if (!rsv.payload)
		return false;
	payload_fill(&rsv, src, len);
	commit(s, &rsv);
	return true;
}

/* Reserve, fill and commit one event of `len` payload bytes. */
RECORD bool record_plain(struct scheme_ring *s, uint32_t id, uint32_t len, struct source *src)
{
	struct reservation rsv = reserve(s, id, len);

	if (unlikely(rsv.slow))
		return record_rest(s, rsv, len, src);
	payload_fill(&rsv, src, len);
	POINT_PATH("plain");
	commit(s, &rsv);
	return true;
}

#ifdef SCHEME_MASKED
#include "schemes/parts/masked.h"
#elif defined(PACKED_WORD32)
#include "schemes/parts/packed32.h"
#else
/* Records one event of `len` payload bytes. False: it was lost, and counted by the ring. */
RECORD bool record(struct scheme_ring *s, uint32_t id, uint32_t len, struct source *src)
{
	return record_plain(s, id, len, src);
}
#endif
#endif

#ifndef SCHEME_BEAT
static inline void beat(struct scheme_ring *s)
{
	(void)s;
}
#endif

#ifndef SCHEME_DEFER
static inline bool defer(struct scheme_ring *s, unsigned int level)
{
	(void)s;
	(void)level;
	return false;
}
#endif

/* The reader: the format's own, unless the scheme has one. */
static inline bool decode_begin(const struct ring *ring, uint64_t number, uint32_t content_bytes,
				struct cursor *cursor)
{
	FORMAT_FINISH(ring, number, content_bytes);
	return FORMAT_CURSOR(ring, number, content_bytes, cursor);
}

/* The end stamp of sub-buffer `number`, read up to a record of `last`. */
static inline uint64_t decode_end(const struct ring *ring, uint64_t number, uint64_t last)
{
	(void)ring;
	(void)number;
	return FORMAT_END(ring, number, last);
}

#ifndef SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	return FORMAT_NEXT(cursor, event);
}
#endif

#ifndef SCHEME_BUSY
static inline bool scheme_busy(const struct scheme_ring *s)
{
	(void)s;
	return false;
}
#endif

#ifndef SCHEME_BLOCKS
#define SCHEME_BLOCKS 0
#endif

#ifndef SCHEME_CLAIM_BITS
#ifdef SCHEME_MASKED
#define SCHEME_CLAIM_BITS 0
#else
#define SCHEME_CLAIM_BITS PACKED_WORD_BITS
#endif
#endif

#ifndef SCHEME_NOW
static inline uint64_t scheme_now(struct scheme_ring *s)
{
	(void)s;
	return clock_now();
}
#endif

#ifndef SCHEME_FLUSH
static inline void flush(struct scheme_ring *s)
{
#ifdef LOCKED
	/*
	 * Read before the close: who opens the next sub-buffer behind it, on another CPU, has a
	 * later stamp, whenever this is stored. Where events came in between, the last is the end.
	 */
	ring_flush(&s->ring, scheme_now(s));
#else
	/*
	 * Read behind the close: no nested writer that came before it has a later stamp than the
	 * end. If one opens the next sub-buffer in between, its begin is the end. The end stays
	 * where nothing was open: this flush may have interrupted the writer that opens the next.
	 */
	if (ring_flush(&s->ring, 0))
		once_store(&s->ring.flush_stamp, scheme_now(s));
#endif
}
#endif

#ifndef SCHEME_UNSUPPORTED
static inline const char *scheme_unsupported(void)
{
	return NULL;
}
#endif

#endif
