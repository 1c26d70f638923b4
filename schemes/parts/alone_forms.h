/* SPDX-License-Identifier: MIT */
/*
 * What a scheme of parts/alone.h stands on: its words, with MASK_SOFT those of a mask and else of a
 * guard (parts/guarded.h), and the form that a record is to have.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_ALONE_FORMS_H
#define STAMPEDE_SCHEMES_PARTS_ALONE_FORMS_H

#ifdef MASK_SOFT
#include "schemes/parts/mask.h"
#endif

struct scheme_ring {
	struct ring ring;
	uint64_t last; /* stamp of the previous record */
#ifdef MASK_SOFT
	struct soft_mask mask;
#else
	uint64_t guard;
#endif
};

#ifdef MASK_SOFT
#define SCHEME_START s->last = 0
#else
#define SCHEME_START s->last = 0, s->guard = 0
#endif

enum alone_form {
	ALONE_PLAIN, /* alone_plain() says that it has the plain one */
	ALONE_ANY, /* what its stamp and id call for */
	ALONE_FIRST, /* it opens a sub-buffer, whose begin stamp is its own */
};

static inline uint64_t alone_delta(const struct scheme_ring *s, uint64_t stamp,
				   enum alone_form form)
{
#ifdef XOR
	return form == ALONE_FIRST ? 0 : stamp ^ s->last;
#else
	return form == ALONE_FIRST ? 0 : stamp - s->last;
#endif
}

/* Is the difference too large for the field? The first of a sub-buffer has none. */
static inline bool alone_far(const struct scheme_ring *s, uint64_t stamp, enum alone_form form)
{
	return form == ALONE_ANY && bits_overflow(stamp - s->last, ring_stamp_bits(&s->ring));
}

#endif
