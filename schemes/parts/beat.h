/* SPDX-License-Identifier: MIT */
/*
 * A ring with the clock of parts/synthetic.h, and its beat, for rows whose wraps are told by one
 * (NEED_BEAT). The packet that a record opens begins with the 64-bit time that the machine would
 * synthesise for that record's clock read; BEAT_SEEN(ring, time) is what of it is stored.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_BEAT_H
#define STAMPEDE_SCHEMES_PARTS_BEAT_H

#include "schemes/parts/synthetic.h"

struct scheme_ring {
	struct ring ring;
	struct synthetic clock;
};

#define SCHEME_START synthetic_init(&s->clock, ring_counter_bits(&s->ring), clock_now())

#define SCHEME_BEAT
static inline void beat(struct scheme_ring *s)
{
	synthetic_beat(&s->clock, ring_counter_bits(&s->ring));
}

static inline uint64_t claim_begin(struct scheme_ring *s, uint64_t *begin)
{
	uint64_t stamp = synthetic_read(&s->clock, ring_counter_bits(&s->ring), begin);

#ifdef BEAT_SEEN
	*begin = BEAT_SEEN(&s->ring, *begin);
#endif
	return stamp;
}

#define CLAIM_NOW

#endif
