/* SPDX-License-Identifier: MIT */
/*
 * ftrace's 27-bit deltas for a writer that is never interrupted, or believes so: one that finds
 * another writer at work is rejected. The caller reads the clock first and hands the stamp in.
 *
 * Source: Vincent Donnefort, kernel/trace/simple_ring_buffer.c, Linux 2026, which the hypervisor of
 * pKVM and other "remotes" record into.
 *
 * Layout: format/format_ftrace.h, all records with the length word (type_len 0), so 8 bytes of
 * header; an extend of 59 bits where the delta does not fit.
 *
 * Shared words: guard (the status READY or WRITING), cmpxchg and store; tail, last: plain stores of
 * the writer that has the guard. The kernel does not count rejected writers; ring.lost does
 * here.
 *
 * I1 and I2 are those of parts/guarded.h.
 * I3 The delta fits the field, or an extend carries it: if the stamp is not older than `last`.
 *
 * Known failure: I2 and I3. A writer that is interrupted before it has the guard has a stamp that
 * is older than the nested one's in `last`: the difference, below 0, is cut to 59 bits, and times
 * are 2^59 ticks late (18.3 years of ns) until the sub-buffer ends. A clock that goes back has the
 * same effect; the hypervisor's is corrected twice a second. Clock reads per event: 1, with or
 * without nested writers.
 */
#ifndef STAMPEDE_SCHEMES_SIMPLE_REMOTE_H
#define STAMPEDE_SCHEMES_SIMPLE_REMOTE_H

#define FTRACE_LENGTH_ALWAYS
#include "schemes/format/format_ftrace.h"
#include "schemes/parts/alone_forms.h"

static const struct scheme_desc scheme_desc = {
	.title = "27-bit delta, stamp before the claim, nested writers turned away",
	.source = "simple_ring_buffer.c, Linux 2026",
	.promises = PROMISE_ALL,
	.needs = NEED_MASKED_INTERRUPTS,
	.extension = EXTEND_ON_GAP,
	.gap_bits = 32,
	.clock_reads = 1,
	.turns_away = true,
};

static inline uint64_t alone_bytes(const struct scheme_ring *s, uint32_t id, uint32_t len,
				   uint64_t stamp, enum alone_form form)
{
	(void)id;
	return ftrace_record_bytes(len) + (alone_far(s, stamp, form) ? FTRACE_TIME_BYTES : 0);
}

static inline uint8_t *alone_put(struct scheme_ring *s, uint8_t *at, uint32_t id, uint32_t len,
				 uint64_t stamp, enum alone_form form)
{
	uint64_t delta = alone_delta(s, stamp, form);

	(void)id;
	if (unlikely(alone_far(s, stamp, form))) { /* I3 */
		at = ftrace_put_time(at, FTRACE_TYPE_EXTEND, delta, ring_stamp_bits(&s->ring));
		delta = 0;
	}
	shared_store("store last", &s->last, stamp);
	return ftrace_put(at, len, delta);
}

#define ALONE_BEGIN simple_begin
static inline void simple_begin(struct ring *ring, uint64_t offset,
				const struct ring_opening *opening, uint64_t stamp)
{
	ftrace_begin(ring, opening->number, stamp);
	ring_switched(ring, offset, opening);
}

#include "schemes/parts/guarded.h"

#endif
