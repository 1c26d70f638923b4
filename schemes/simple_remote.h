/* SPDX-License-Identifier: MIT */
/*
 * ftrace's 27-bit deltas for a writer that is never interrupted, or believes so: whoever finds
 * another one at work is turned away. The caller reads the clock first and hands the stamp in.
 *
 * Source: Vincent Donnefort, kernel/trace/simple_ring_buffer.c, Linux 2026, which the hypervisor of
 * pKVM and other "remotes" record into.
 *
 * Layout: format/format_ftrace.h, all records with the length word (type_len 0), so 8 bytes of
 * header; an extend of 59 bits where the delta does not fit.
 *
 * Shared words: status, READY or WRITING, cmpxchg and store; tail, last: plain stores of the writer
 * that has WRITING. There a writer that is turned away is counted nowhere; here in ring.lost.
 *
 * I1 Who has WRITING is alone: tail and last are of the record before.
 * I2 The delta fits the field, or an extend carries it: if the clock goes forward and the stamp is
 *    not older than `last`.
 *
 * Known failure: I2. A writer that is interrupted between its clock read and WRITING has a stamp
 * that is older than the nested one's in `last`: the difference, below 0, is cut to 59 bits, and
 * times are 2^59 ticks late (18.3 years of ns) until the sub-buffer ends. So does a clock that goes
 * back; the hypervisor's is corrected twice a second.
 * Clock reads per event: 1, whatever comes in between.
 */
#ifndef STAMPEDE_SCHEMES_SIMPLE_REMOTE_H
#define STAMPEDE_SCHEMES_SIMPLE_REMOTE_H

#define FTRACE_LENGTH_ALWAYS
#include "schemes/format/format_ftrace.h"

enum { SIMPLE_READY, SIMPLE_WRITING };

struct scheme_ring {
	struct ring ring;
	uint64_t last;
	uint64_t status;
};

static const struct scheme_desc scheme_desc = {
	.title = "27-bit delta, stamp before the claim, nested writers turned away",
	.source = "simple_ring_buffer.c, Linux 2026",
	.promises = PROMISE_ALL,
	.needs = NEED_MASKED_INTERRUPTS,
	.extension = EXTEND_ON_GAP,
	.gap_bits = 32,
	.clock_reads = 1,
	.clock_reads_extended = 1,
	.turns_away = true,
};

static void scheme_init(struct scheme_ring *s, const struct ring_config *config, uint8_t *base,
			struct subbuf *subbufs)
{
	ring_init(&s->ring, config, base, subbufs, RING_TAIL_OFFSET, FTRACE_HEADER_BYTES);
	s->last = 0;
	s->status = SIMPLE_READY;
}

#define SCHEME_BUSY
static inline bool scheme_busy(const struct scheme_ring *s)
{
	return s->status == SIMPLE_WRITING;
}

static inline struct reservation simple_place(struct scheme_ring *s, uint32_t len, uint64_t start,
					      uint64_t size, uint64_t stamp, uint32_t type,
					      uint64_t delta)
{
	struct ring *ring = &s->ring;

	shared_store("tail", &ring->tail, start + size); /* I1 */
	shared_store("store last", &s->last, stamp); /* I1 */
	return ftrace_place(ring, ring_at(ring, start), ring_subbuf_at(ring, start), size, len,
			    stamp, type, delta);
}

static inline struct reservation simple_lost(struct scheme_ring *s, uint64_t size)
{
	struct reservation lost = reserve_lost(&s->ring, size);

	ordered_store("ready", &s->status, SIMPLE_READY);
	return lost;
}

/* An extend, the next sub-buffer, or both in turn. */
RESERVE_SLOW struct reservation simple_slow(struct scheme_ring *s, uint32_t len, uint64_t offset,
					    uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = ftrace_record_bytes(len), number = ring_next_number(ring, offset), start;
	uint64_t delta = stamp - s->last;
	bool extend = bits_overflow(delta, ring_stamp_bits(ring));
	struct ring_opening opening;
	struct reservation rsv;

	if (extend && size + FTRACE_TIME_BYTES <= ring_room(ring, offset))
		return simple_place(s, len, offset, size + FTRACE_TIME_BYTES, stamp,
				    FTRACE_TYPE_EXTEND, delta);
	if (size > ring_max_record(ring) || !ring_may_open(ring, number, &opening))
		return simple_lost(s, size);
	start = (number << ring_subbuf_shift(ring)) + FTRACE_HEADER_BYTES;
	rsv = simple_place(s, len, start, size, stamp, 0, 0);
	ftrace_begin(ring, number, stamp);
	ring_switched(ring, offset, &opening);
	return rsv;
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = ftrace_record_bytes(len), ready = SIMPLE_READY, offset, delta;
	uint64_t stamp = clock_read("clock");

	(void)id;
	if (unlikely(!local_cmpxchg("writing", &s->status, &ready, SIMPLE_WRITING))) /* I1 */
		return reservation_slow(reserve_lost(ring, size));
	offset = shared_load("offset", &ring->tail);
	delta = stamp - shared_load("last", &s->last);
	if (unlikely(bits_overflow(delta, ring_stamp_bits(ring)) || size > ring_room(ring, offset)))
		return reservation_slow(simple_slow(s, len, offset, stamp));
	return simple_place(s, len, offset, size, stamp, 0, delta);
}

#define SCHEME_COMMIT
RECORD void commit(struct scheme_ring *s, const struct reservation *rsv)
{
	ring_commit(rsv->subbuf, rsv->size, RING_RECORD);
	ordered_store("ready", &s->status, SIMPLE_READY);
}

#endif
