/* SPDX-License-Identifier: MIT */
/*
 * reserve() of schemes whose writer is alone because it turns away whoever comes into it: a guard
 * is taken before the ring is looked at, and who finds it taken loses its event. The clock is read
 * before the guard is taken, as those do that the schemes are from.
 *
 * I1 Who has the guard is alone: tail and last are of the record before, until it is given back
 *    behind the commit.
 * I2 A writer that is interrupted between its clock read and the guard has a stamp that is older
 *    than the nested one's, which stands before it.
 *
 * Before it includes this the scheme includes its format and defines
 *   struct scheme_ring                                 { ring; last; guard; ... }
 *   guarded_plain(s, id, stamp)                        is the record's form the plain one?
 *   guarded_bytes(s, id, len, stamp, form)             of the whole record
 *   guarded_put(s, at, id, len, stamp, form)           writes it, returns the payload's place
 *   guarded_begin(ring, offset, opening, stamp)        writes the header of a sub-buffer, and books
 * and includes parts/guard_forms.h before these.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_GUARDED_H
#define STAMPEDE_SCHEMES_PARTS_GUARDED_H

#include "schemes/parts/guard_forms.h"

enum { GUARD_FREE, GUARD_TAKEN };

#define SCHEME_BUSY
static inline bool scheme_busy(const struct scheme_ring *s)
{
	return s->guard == GUARD_TAKEN;
}

/* With the guard: the record's place, and what the next one counts from. */
static inline struct reservation guarded_place(struct scheme_ring *s, uint32_t id, uint32_t len,
					       uint64_t start, uint64_t size, uint64_t stamp,
					       enum guarded_form form)
{
	struct ring *ring = &s->ring;
	uint8_t *payload = guarded_put(s, ring_at(ring, start), id, len, stamp, form);

	shared_store("tail", &ring->tail, start + size); /* I1 */
	return (struct reservation){
		.payload = payload,
		.subbuf = ring_subbuf_at(ring, start),
		.size = size,
		.stamp = stamp,
	};
}

/* Any form, in this sub-buffer, the next one or none. */
RESERVE_SLOW struct reservation guarded_slow(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t offset, uint64_t stamp)
{
	struct ring *ring = &s->ring;
	uint64_t size = guarded_bytes(s, id, len, stamp, GUARDED_ANY);
	uint64_t number = ring_next_number(ring, offset);
	struct ring_opening opening;
	struct reservation rsv;

	if (size <= ring_room(ring, offset))
		return guarded_place(s, id, len, offset, size, stamp, GUARDED_ANY);
	size = guarded_bytes(s, id, len, stamp, GUARDED_FIRST);
	if (size > ring_max_record(ring) || !ring_may_open(ring, number, &opening)) {
		rsv = reserve_lost(ring, size);
		ordered_store("guard: free", &s->guard, GUARD_FREE);
		return rsv;
	}
	rsv = guarded_place(s, id, len,
			    (number << ring_subbuf_shift(ring)) + ring_header_bytes(ring), size,
			    stamp, GUARDED_FIRST);
	guarded_begin(ring, offset, &opening, stamp);
	return rsv;
}

RESERVE_SLOW struct reservation guarded_away(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t stamp)
{
	return reserve_lost(&s->ring, guarded_bytes(s, id, len, stamp, GUARDED_FIRST));
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t stamp = clock_read("clock"), taken = GUARD_FREE, offset, size; /* I2 */

	if (unlikely(!local_cmpxchg("guard", &s->guard, &taken, GUARD_TAKEN))) /* I1 */
		return reservation_slow(guarded_away(s, id, len, stamp));
	offset = shared_load("offset", &ring->tail);
	size = guarded_bytes(s, id, len, stamp, GUARDED_PLAIN);
	if (unlikely(!guarded_plain(s, id, stamp) || size > ring_room(ring, offset)))
		return reservation_slow(guarded_slow(s, id, len, offset, stamp));
	return guarded_place(s, id, len, offset, size, stamp, GUARDED_PLAIN);
}

#define SCHEME_COMMIT
RECORD void commit(struct scheme_ring *s, const struct reservation *rsv)
{
	ring_commit(rsv->subbuf, rsv->size, RING_RECORD);
	ordered_store("guard: free", &s->guard, GUARD_FREE);
}

#endif
