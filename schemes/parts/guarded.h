/* SPDX-License-Identifier: MIT */
/*
 * reserve() of schemes whose writer is alone because it rejects writers that interrupt it. A writer
 * takes a guard before it looks at the ring; one that finds the guard taken loses its event. As in
 * the schemes' sources, the clock is read before the guard is taken.
 *
 * I1 The writer that has the guard is alone: tail and last are of the previous record until the
 *    guard is given back, after the commit.
 * I2 A writer that is interrupted between its clock read and the guard has a stamp that is older
 *    than the nested one's, which stands before it.
 *
 * Before it includes this the scheme defines what parts/alone.h says, and has a word `guard`.
 */
#ifndef STAMPEDE_SCHEMES_PARTS_GUARDED_H
#define STAMPEDE_SCHEMES_PARTS_GUARDED_H

#define ALONE_CLAIMS
#define ALONE_LOST(s) ordered_store("guard: free", &(s)->guard, GUARD_FREE)

enum { GUARD_FREE, GUARD_TAKEN };

#define SCHEME_BUSY
static inline bool scheme_busy(const struct scheme_ring *s)
{
	return s->guard == GUARD_TAKEN;
}

#include "schemes/parts/alone.h"

RESERVE_SLOW struct reservation guarded_away(struct scheme_ring *s, uint32_t id, uint32_t len,
					     uint64_t stamp)
{
	return reserve_lost(&s->ring, alone_bytes(s, id, len, stamp, ALONE_FIRST));
}

RESERVE struct reservation reserve(struct scheme_ring *s, uint32_t id, uint32_t len)
{
	struct ring *ring = &s->ring;
	uint64_t stamp = clock_read("clock"), taken = GUARD_FREE, offset, size; /* I2 */

	if (unlikely(!local_cmpxchg("guard", &s->guard, &taken, GUARD_TAKEN))) /* I1 */
		return reservation_slow(guarded_away(s, id, len, stamp));
	offset = shared_load("offset", &ring->tail);
	size = alone_bytes(s, id, len, stamp, ALONE_PLAIN);
	if (unlikely(!alone_plain(s, id, stamp) || size > ring_room(ring, offset)))
		return reservation_slow(alone_slow(s, id, len, offset, stamp));
	return alone_place(s, id, len, offset, size, stamp, ALONE_PLAIN);
}

#define SCHEME_COMMIT
RECORD void commit(struct scheme_ring *s, const struct reservation *rsv)
{
	ring_commit(rsv->subbuf, rsv->size, RING_RECORD);
	ordered_store("guard: free", &s->guard, GUARD_FREE);
}

#endif
