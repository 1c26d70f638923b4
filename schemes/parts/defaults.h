/* SPDX-License-Identifier: MIT */
/* Defaults for what a scheme did not define itself; include after the scheme's header. */
#ifndef STAMPEDE_SCHEMES_PARTS_DEFAULTS_H
#define STAMPEDE_SCHEMES_PARTS_DEFAULTS_H

#include "schemes/core/scheme.h"

#ifndef SCHEME_COMMIT
/* Makes the record readable once everything else in its sub-buffer is. */
RECORD void commit(struct scheme_ring *s, const struct reservation *rsv)
{
	(void)s;
	ring_commit(rsv->subbuf, rsv->size, RING_RECORD);
}
#endif

#ifndef SCHEME_RECORD
static __attribute__((noinline, cold)) bool record_rest(struct scheme_ring *s,
							struct reservation rsv, uint32_t len,
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
	EXPLORED_PATH("plain");
	commit(s, &rsv);
	return true;
}

#ifdef SCHEME_MASKED
#include "schemes/parts/masked.h"
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

#ifndef SCHEME_BLOCKS
#define SCHEME_BLOCKS 0
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
	ring_flush(&s->ring, 0);
	/*
	 * Only now: a nested writer that came before the close must not have a later stamp than the
	 * end. One that opens the next sub-buffer in between gives its begin as the end.
	 */
	s->ring.flush_stamp = scheme_now(s);
}
#endif

#ifndef SCHEME_UNSUPPORTED
static inline const char *scheme_unsupported(void)
{
	return NULL;
}
#endif

#endif
