/* SPDX-License-Identifier: MIT */
/*
 * A 64-bit time in every header, summed up from the differences of a narrower counter: each event
 * adds what has passed since the one before. Interrupts are off from the clock read to the commit.
 *
 * Source: Zephyr, timing_ns_get() and CTF_EVENT, pull requests 93210 (2025-07), 105940 and 112448
 * (2026-06). Zephyr stores the sum in nanoseconds, here it is in ticks.
 *
 * Layout: as full_tsc.h: u64 time | u16 id | u16 size [u32 size], payload.
 *
 * Shared words, by masked writers only: tail, counter and sum, plain stores.
 * I1 Between the clock read and the store of counter no other writer records: the difference is
 *    that to the previous event's reading, which is in the sum already.
 * I2 A lost event adds its difference as well.
 *
 * Known failure: a gap of a wrap of the counter or more loses the wraps, for ever, in silence: the
 * times stay in order. So the row needs BEAT, an event of any kind. Without a mask a nested writer
 * between the reading and the store is added twice (history).
 * Clock reads per event: 1.
 */
#ifndef STAMPEDE_SCHEMES_ACCUMULATED_H
#define STAMPEDE_SCHEMES_ACCUMULATED_H

#define SCHEME_FORMAT \
	{ \
		.kind = FORMAT_CTF_LARGE, .stamp_bytes = 8 \
	}

#include "schemes/format/format_ctf.h"
#include "schemes/parts/mask.h"

struct scheme_ring {
	struct ring ring;
	local_uint counter; /* at the previous event */
	uint64_t sum;
};

static const struct scheme_desc scheme_desc = {
	.title = "64-bit sum of a counter's differences, interrupts off",
	.source = "Zephyr, timing_ns_get(), 2026-06",
	.promises = PROMISE_ALL & ~PROMISE_WRAP_PROOF,
	.needs = NEED_BEAT,
	.extension = EXTEND_NEVER,
	.clock_reads = 1,
	.beats_per_wrap = 2,
};

#define SCHEME_START s->sum = s->counter = clock_now()

static inline struct reservation sum_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					   uint64_t start, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = ctf_large_record(8, len);

	shared_store("tail", &ring->tail, start + size); /* I1 */
	return (struct reservation){
		.payload = ctf_large_put(ring_at(ring, start), 8, id, len, s->sum, 64),
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

RESERVE_SLOW struct reservation sum_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					 uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	struct ctf_claim claim;
	struct reservation rsv;

	if (!ctf_fit_next(ring, offset, ctf_large_record(8, len), &claim))
		return reserve_lost(ring, ctf_large_record(8, len));
	rsv = sum_place(s, id, len, claim.start, stamp);
	ctf_begin(ring, offset, &claim.opening, s->sum);
	return rsv;
}

/* With interrupts off. */
RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	uint64_t offset = shared_load("offset", &s->ring.tail);
	uint64_t stamp = clock_read("clock");
	uint64_t passed = stamp - shared_load("counter", &s->counter);

	shared_store("store counter", &s->counter, stamp); /* I1, I2 */
	POINT("store sum"); /* 64 bits, on a machine of 32-bit accesses too */
	s->sum += passed & bits_mask(ring_counter_bits(&s->ring)); /* I1, I2 */
	if (unlikely(ctf_large_record(8, len) > ring_room(&s->ring, offset)))
		return reservation_slow(sum_slow(s, id, len, offset, stamp));
	return sum_place(s, id, len, offset, stamp);
}

#define SCHEME_MASKED

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	cursor->stamp_bits = 64;
	return ctf_large_next(cursor, 8, event);
}

#endif
