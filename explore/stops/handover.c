// SPDX-License-Identifier: MIT
/*
 * The reader of another CPU, for the explorer: it hands over what is complete, as judge/live.c
 * does, and stops at each point of that (the counting build's points.hook). In a ring that discards
 * it reads in place; its looks at the ring are points, and between two of them it decodes.
 */
#include <string.h>

#include "explore/stops/row.h"
#include "schemes/core/ring.h"

#define PIECE 64 /* bytes that are copied between two points */

static void copy_in_pieces(void *to, const void *from, size_t bytes)
{
	size_t done, piece;

	for (done = 0; done < bytes; done += piece) {
		piece = bytes - done < PIECE ? bytes - done : PIECE;
		POINT("read: bytes");
		memcpy((uint8_t *)to + done, (const uint8_t *)from + done, piece);
	}
}

#define memcpy copy_in_pieces
#include "schemes/core/handover.h"
#undef memcpy

void explored_read(void *scheme, void *spare)
{
	struct ring *from = scheme, *to = spare;
	uint64_t copied, first, torn = 0;

	if (from->mode != RING_OVERWRITE) {
		explore_take(scheme);
		return;
	}
	copied = ring_copy_next(to, from, UINT64_MAX, &torn);
	if (!copied)
		return;
	first = to->consumed;
	explore_take(spare);
	ring_consume(from, first + copied);
}
