/* SPDX-License-Identifier: MIT */
/*
 * The difference to the previous record in units of 64 ns and as few bytes as it takes, never 0.
 *
 * Source: Go's execution tracer since 1.22 (runtime/tracebuf.go): no time comes twice; a stamp that
 * is not after the previous one becomes that one plus 1, and a batch begins with a stamp of its
 * own, from another clock read.
 *
 * Layout: as varint_delta.h, but the begin stamp is the batch's own. Go's payload is a row of
 * LEB128 as well, and Go's batch ends where the longest form of an event would not fit, here where
 * this event does not.
 *
 * Shared words, by masked writers only (parts/mask.h): tail and last, plain stores.
 * I1 Between the clock read and the store of last no other writer records: last is the stamp of the
 *    previous record.
 *
 * Go keeps nested writers out by a buffer for each thread and another one for signals; here they
 * run late, by the soft mask, and are stamped when they run.
 *
 * Known failure: events closer than a unit get times that no clock read gave, ever further ahead
 * until there is a pause; a batch that begins meanwhile lies before the end of the previous one.
 * The first event of a batch is a unit late wherever both reads fall into one unit.
 * Clock reads per event: 1, and two more for each batch.
 */
#ifndef STAMPEDE_SCHEMES_VARINT_DELTA_GO_H
#define STAMPEDE_SCHEMES_VARINT_DELTA_GO_H

#define SCHEME_FORMAT FORMAT_OF_ITS_OWN
#define VARINT_LEAST 1

#include "schemes/format/format_varint.h"
#include "schemes/parts/mask.h"

#define DELTA_UNIT_SHIFT 7 /* 64 ns of a clock of 2 GHz */

struct scheme_ring {
	struct ring ring;
	uint64_t last; /* in units */
	struct soft_mask mask;
};

static const struct scheme_desc scheme_desc = {
	.title = "difference of 1 to 10 bytes, in units of 64 ns, never 0",
	.source = "Go 1.22, runtime/tracebuf.go",
	.promises = PROMISE_BOUNDED, /* and no times at all: see above */
	.extension = EXTEND_NEVER, /* no field is too short for what it carries */
	.clock_reads = 1,
};

#define SCHEME_START s->last = 0

/* Ticks to the record before, in units. */
static inline uint64_t delta_units(const struct scheme_ring *s, uint64_t stamp)
{
	uint64_t units = (stamp >> DELTA_UNIT_SHIFT) - shared_load("last", &s->last);

	return (int64_t)units <= 0 ? 1 : units;
}

static inline struct reservation delta_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t start, uint64_t stamp, uint64_t units,
					     unsigned int bytes)
{
	struct ring *ring = &s->ring;
	uint64_t size = varint_record(id, len, bytes);

	shared_store("tail", &ring->tail, start + size); /* I1 */
	shared_store("store last", &s->last, s->last + units); /* I1 */
	return (struct reservation){
		.payload = varint_put(ring_at(ring, start), id, len, units, bytes, VARINT_GROUP),
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

/* An id that needs more, or a new batch and its first event. */
RESERVE_SLOW struct reservation delta_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					   uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t units = delta_units(s, stamp), size;
	struct ctf_claim claim;

	size = varint_record(id, len, varint_bytes(units, VARINT_GROUP));
	if (size > ring_room(ring, offset)) {
		/* Both clocks of the batch may be a wrap apart: room for the longest form. */
		size = varint_record(id, len, VARINT_WHOLE);
		if (!ctf_fit_next(ring, offset, size, &claim))
			return reserve_lost(ring, size);
		s->last = clock_read("clock: batch") >> DELTA_UNIT_SHIFT;
		ctf_begin(ring, offset, &claim.opening, s->last << DELTA_UNIT_SHIFT);
		offset = claim.start;
		stamp = clock_read("clock again");
		units = delta_units(s, stamp);
	}
	return delta_place(s, id, len, offset, stamp, units, varint_bytes(units, VARINT_GROUP));
}

/* With the mask held. */
RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t offset = shared_load("offset", &ring->tail);
	uint64_t stamp = clock_read("clock");
	uint64_t units = delta_units(s, stamp);
	unsigned int bytes = varint_bytes(units, VARINT_GROUP);

	if (unlikely(id >= VARINT_IDS || varint_record(id, len, bytes) > ring_room(ring, offset)))
		return reservation_slow(delta_slow(s, id, len, offset, stamp));
	return delta_place(s, id, len, offset, stamp, units, bytes);
}

#define SCHEME_MASKED

#define SCHEME_NEXT
static inline enum decode_result decode_next(struct cursor *cursor, struct event *event)
{
	return varint_next_delta(cursor, event, DELTA_UNIT_SHIFT);
}

#endif
