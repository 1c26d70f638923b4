/* SPDX-License-Identifier: MIT */
/*
 * The whole stamp in every record, read before the place is claimed: records are in the order of
 * their claims, not of their times, and the reader sorts them.
 *
 * Source: perf_events of Linux, where the time is taken when the sample is prepared and the space
 * is claimed afterwards, by a cmpxchg that is tried again with the same time (kernel/events/core.c
 * and ring_buffer.c); its tool sorts.
 *
 * Layout: that of full_tsc: u64 stamp | u16 id | u16 size [u32 size], payload, in CTF packets. perf
 * has a header of 8 bytes, and the time is one of the fields that the user chooses.
 *
 * Shared words: tail, cmpxchg.
 * I1 No record depends on another: any stamp is right, wherever it stands.
 * I2 A record is out of order only with those that came between its clock read and its claim: a
 *    reader finds it after at most as many of them as writers may nest there.
 *
 * Known failure: none but the order; a reader that seeks by begin stamps finds the wrong packet.
 * Clock reads per event: 1, with or without nested writers.
 */
#ifndef STAMPEDE_SCHEMES_UNORDERED_FULL_H
#define STAMPEDE_SCHEMES_UNORDERED_FULL_H

/* Readers of CTF take packets and streams to be in order. */
#define SCHEME_FORMAT FORMAT_OF_ITS_OWN

#include "schemes/format/format_ctf.h"

struct scheme_ring {
	struct ring ring;
};

static const struct scheme_desc scheme_desc = {
	.title = "64-bit stamp taken before the claim, a reader that sorts",
	.source = "perf_events, Linux 6.x",
	.promises = PROMISES & ~PROMISE_MONOTONIC,
	.extension = EXTEND_NEVER,
	.clock_reads = 1,
};

#define SCHEME_START

static inline struct reservation unordered_place(struct ring *ring, uint32_t id, uint32_t len,
						 uint64_t start, uint64_t size, uint64_t stamp)
{
	return (struct reservation){
		.payload = ctf_large_put(ring_at(ring, start), 8, id, len, stamp, 64),
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

/* Opens sub-buffers, and claims for writers that were interrupted on the plain path. */
RESERVE_SLOW struct reservation unordered_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					       uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = ctf_large_record(8, len);
	struct ctf_claim fit;

	for (;;) {
		if (!ctf_fit(ring, offset, size, &fit)) {
			if (!ring_moved(ring, offset))
				return reserve_lost(ring, size);
		} else if (local_cmpxchg("claim again", &ring->tail, &offset, fit.start + size)) {
			break;
		}
		POINT_COUNT(retries);
		offset = shared_load("offset again", &ring->tail);
	}
	if (fit.opens)
		ctf_begin(ring, offset, &fit.opening, stamp);
	return unordered_place(ring, id, len, fit.start, size, stamp);
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t size = ctf_large_record(8, len), stamp = clock_read("clock");
	uint64_t offset = shared_load("offset", &ring->tail), seen = offset;

	if (unlikely(size > ring_room(ring, offset)))
		return reservation_slow(unordered_slow(s, id, len, offset, stamp));
	if (unlikely(!local_cmpxchg("claim", &ring->tail, &seen, offset + size))) {
		POINT_COUNT(retries);
		return reservation_slow(unordered_slow(s, id, len, seen, stamp));
	}
	return unordered_place(ring, id, len, offset, size, stamp);
}

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	return ctf_large_next(cursor, 8, event);
}

#endif
