/* SPDX-License-Identifier: MIT */
/*
 * reserve() of schemes whose writer is alone, because nested ones are masked (parts/masked.h) or
 * rejected (parts/guarded.h): its record counts from the previous record.
 *
 * I1 A writer in here is alone: tail and last are of the previous record until it has stored both.
 *
 * Before it includes this the scheme includes its format and parts/alone_forms.h, and defines
 *   alone_bytes(s, id, len, stamp, form)               of the whole record
 *   alone_put(s, at, id, len, stamp, form)             writes it, stores last, returns the payload
 * and, with ALONE_PLAIN_OWN, where more than the distance to the previous record decides that,
 *   alone_plain(s, id, stamp)                          is the record's form the plain one?
 * and, where its sub-buffers are not CTF packets,
 *   ALONE_BEGIN(ring, offset, opening, stamp)          writes a sub-buffer's header and bookkeeping
 */
#ifndef STAMPEDE_SCHEMES_PARTS_ALONE_H
#define STAMPEDE_SCHEMES_PARTS_ALONE_H

#include "schemes/parts/alone_forms.h"

/* Further work where an event is lost. */
#ifndef ALONE_LOST
#define ALONE_LOST(s) ((void)(s))
#endif

#ifndef ALONE_BEGIN
#define ALONE_BEGIN ctf_begin
#endif

#ifndef ALONE_PLAIN_OWN
static inline bool alone_plain(const struct scheme_ring *s, uint32_t id, uint64_t stamp)
{
	(void)id;
	return !alone_far(s, stamp, ALONE_ANY);
}
#endif

/* The record's place, and what the next one counts from. */
static inline struct reservation alone_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t start, uint64_t size, uint64_t stamp,
					     enum alone_form form)
{
	struct ring *ring = &s->ring;
	uint8_t *payload = alone_put(s, ring_at(ring, start), id, len, stamp, form);

	shared_store("tail", &ring->tail, start + size); /* I1 */
	return (struct reservation){
		.payload = payload,
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

/* Any form, in this sub-buffer, the next one or none. */
RESERVE_SLOW struct reservation alone_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					   uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = alone_bytes(s, id, len, stamp, ALONE_ANY);
	uint64_t number = ring_next_number(ring, offset);
	struct ring_opening opening;
	struct reservation rsv;

	if (size <= ring_room(ring, offset))
		return alone_place(s, id, len, offset, size, stamp, ALONE_ANY);
	size = alone_bytes(s, id, len, stamp, ALONE_FIRST);
	if (size > ring_max_record(ring) || !ring_may_open(ring, number, &opening)) {
		rsv = reserve_lost(ring, size);
		ALONE_LOST(s);
		return rsv;
	}
	rsv = alone_place(s, id, len, (number << ring_subbuf_shift(ring)) + ring_header_bytes(ring),
			  size, stamp, ALONE_FIRST);
	ALONE_BEGIN(ring, offset, &opening, stamp);
	return rsv;
}

#ifndef ALONE_CLAIMS
RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t offset = shared_load("offset", &ring->tail);
	uint64_t stamp = clock_read("clock");
	uint64_t size = alone_bytes(s, id, len, stamp, ALONE_PLAIN);

	if (unlikely(!alone_plain(s, id, stamp) || size > ring_room(ring, offset)))
		return reservation_slow(alone_slow(s, id, len, offset, stamp));
	return alone_place(s, id, len, offset, size, stamp, ALONE_PLAIN);
}
#endif

#endif
