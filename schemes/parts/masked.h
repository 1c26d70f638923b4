/* SPDX-License-Identifier: MIT */
/*
 * record() of schemes whose writers must not nest: the whole of record_plain() with interrupts
 * masked (parts/mask.h). Part of parts/defaults.h, for schemes with SCHEME_MASKED.
 *
 * MASK_SOFT: the scheme has a struct soft_mask mask. A nested writer that comes meanwhile runs when
 * the section is left, and is stamped then. Otherwise the interrupting signals are blocked.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_MASKED_H
#define STAMPEDE_SCHEMES_PARTS_MASKED_H

#include "schemes/parts/mask.h"

#ifdef MASK_SOFT
/* Runs what came while the mask was held, until nothing is due. */
RECORD_SLOW void masked_due(struct scheme_ring *s)
{
	unsigned int level;

	do {
		for (level = MASK_LEVELS; level-- > 0;)
			while (mask_soft_next(&s->mask, level))
				deferred_run(s, level);
	} while (mask_soft_leave(&s->mask));
}

#define SCHEME_DEFER
static inline bool defer(struct scheme_ring *s, unsigned int level)
{
	return mask_soft_defer(&s->mask, level);
}

RECORD bool record(struct scheme_ring *s, uint32_t id, uint32_t len, struct source *src)
{
	bool recorded;

	/* A deferred run comes here with the mask held, and leaves it held. */
	if (unlikely(shared_load("held?", &s->mask.masked)))
		return record_plain(s, id, len, src);
	mask_soft_enter(&s->mask);
	recorded = record_plain(s, id, len, src);
	if (unlikely(mask_soft_leave(&s->mask)))
		masked_due(s);
	return recorded;
}
#else
#define SCHEME_BLOCKS 1
RECORD bool record(struct scheme_ring *s, uint32_t id, uint32_t len, struct source *src)
{
	sigset_t saved;
	bool recorded;

	mask_hard_enter(&saved);
	recorded = record_plain(s, id, len, src);
	mask_hard_leave(&saved);
	return recorded;
}
#endif

#endif
