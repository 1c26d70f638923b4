/* SPDX-License-Identifier: MIT */
/* extended_header as it is often written: `last` has 32 bits, and 2^32 ticks are lost in a gap. */
#ifndef STAMPEDE_TESTS_JUDGE_NARROW_LAST_H
#define STAMPEDE_TESTS_JUDGE_NARROW_LAST_H

#include "schemes/format/format_ctf.h"

struct scheme_ring {
	struct ring ring;
	uint32_t last;
};

static const struct scheme_desc scheme_desc = {
	.title = "a last of 32 bits",
	.source = "made up",
	.promises = PROMISE_ALL,
	.extension = EXTEND_ON_GAP,
	.extra_per_nested = 2,
	.clock_reads = 1,
	.clock_reads_extended = 1,
};

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, RING_TAIL_OFFSET, CTF_PACKET_HEADER_BYTES);
	s->last = 0;
}

struct extend_seen;
static inline bool extend_far(const struct scheme_ring *s, const struct extend_seen *seen,
			      uint64_t stamp)
{
	(void)seen;
	return bits_overflow((uint32_t)stamp - shared_load("last", &s->last),
			     ring_stamp_bits(&s->ring));
}

static inline void extend_remember(struct scheme_ring *s, uint64_t stamp)
{
	shared_store("store last", &s->last, (uint32_t)stamp);
}

#include "schemes/parts/extend.h"

#endif
