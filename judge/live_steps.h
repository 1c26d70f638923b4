/* SPDX-License-Identifier: MIT */
/*
 * A visit of the judge's reader to a ring (judge/live.h). The explorer runs these very steps, and
 * stops between them.
 */
#pragma once

#include "schemes/core/handover.h"

/*
 * All that is complete goes through `use`, which reads it and gives it back in `from`, the ring or
 * its copies; no more than a ring has, since a writer may well be as quick as this. How many
 * sub-buffers that were.
 */
static inline uint64_t live_steps(struct handover *reader, struct ring *ring, struct ring *spare,
				  void (*use)(void *arg, struct ring *from), void *arg)
{
	uint64_t left = ring_count_mask(ring) + 1, taken = 0, first = ring->consumed, copies;

	if (ring->mode != RING_OVERWRITE) {
		use(arg, ring);
		return ring->consumed - first;
	}
	for (; left; left -= copies) {
		copies = handover_copies(reader, ring, spare,
					 left < HANDOVER_COPIES ? left : HANDOVER_COPIES);
		if (!copies)
			return taken;
		first = spare->consumed;
		use(arg, spare);
		taken += spare->consumed - first;
		reader->torn += reader->copied - spare->consumed;
		ring_consume(spare, reader->copied);
	}
	handover_give_back(ring, spare);
	return taken;
}
