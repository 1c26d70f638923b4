// SPDX-License-Identifier: MIT
#include "judge/loss.h"

/*
 * As much as any format puts around a payload: a full header with a large size, or a stamp event
 * beside a plain one, and the padding to 8 bytes.
 */
#define LOSS_AROUND 32
#define LOSS_HEADER 4 /* and no less than that */

/* Where the writers stand, by the form of the tail and not by what the schemes make of it. */
struct stand {
	uint64_t room; /* bytes left in the newest sub-buffer */
	uint64_t next; /* number that comes behind it */
};

static struct stand stand_of(const struct ring *ring)
{
	uint64_t tail = *(const volatile uint64_t *)&ring->tail;
	uint64_t size = UINT64_C(1) << ring->subbuf_shift, index = tail & RING_INDEX_MASK;

	if (ring_tail_is_numbered(ring))
		return (struct stand){ index < size ? size - index : 0,
				       (tail >> RING_INDEX_BITS) + 1 };
	if (!ring_tail_is_packed(ring))
		return (struct stand){ -tail & (size - 1),
				       (tail + size - 1) >> ring->subbuf_shift };
	return (struct stand){ -ring_packed_offset(ring, tail) & (size - 1),
			       ring_packed_next(ring, tail) };
}

/* Does the slot of `number` still lack bytes of the round before? */
static bool slot_held(const struct ring *ring, uint64_t number)
{
	const struct subbuf *slot = &ring->subbufs[number & bits_mask(ring->count_shift)];
	uint64_t rounds = number >> ring->count_shift;

	return ring_has_commits(ring) && (uint32_t) * (const volatile uint64_t *)&slot->commits !=
						 (uint32_t)(rounds << ring->subbuf_shift);
}

/*
 * Other CPUs go on, and a reader may: what was full then is, by the tail of now and what was read
 * before the event, no less full. If it may have been another ring, loss_ring_full() holds all of
 * them to it. A slot that was never used was not held.
 */
static enum loss reason_concurrent(const struct ring *ring, struct loss_look before, bool elsewhere)
{
	bool open;

	if (*(const volatile enum ring_mode *)&ring->mode == RING_DISCARD)
		return elsewhere || ring_end(ring, &open) - before.consumed >
					       bits_mask(ring->count_shift) ?
			       LOSS_FULL :
			       LOSS_UNEXPLAINED;
	if (!ring_has_commits(ring) || !(stand_of(ring).next >> ring->count_shift))
		return LOSS_UNEXPLAINED;
	return LOSS_HELD;
}

enum loss loss_reason(const struct ring *ring, struct loss_look before, uint32_t payload_bytes,
		      enum loss_company company, uint32_t known)
{
	uint64_t most = (UINT64_C(1) << ring->subbuf_shift) - ring->header_bytes;
	bool discards = *(const volatile enum ring_mode *)&ring->mode == RING_DISCARD;
	/* The tail first: what a reader releases in between, a nested writer may use at once. */
	struct stand stand = stand_of(ring);
	uint64_t consumed = *(const volatile uint64_t *)&ring->consumed;

	if (*(const volatile uint64_t *)&ring->stuck != before.stuck)
		return known & LOSS_SLOW ? LOSS_STUCK : LOSS_UNEXPLAINED;
	if ((uint64_t)payload_bytes + LOSS_AROUND > most)
		return (uint64_t)payload_bytes + LOSS_HEADER > most ? LOSS_LARGE : LOSS_LARGEST;
	if (known & LOSS_INSIDE)
		return LOSS_BUSY;
	if (company == LOSS_CONCURRENT || company == LOSS_ELSEWHERE)
		return reason_concurrent(ring, before, company == LOSS_ELSEWHERE);
	/* A reader that came in between may have made room, and a nested writer used it. */
	if (consumed == before.consumed && stand.room >= (uint64_t)payload_bytes + LOSS_AROUND)
		return LOSS_UNEXPLAINED;
	if (discards && stand.next - before.consumed > bits_mask(ring->count_shift))
		return LOSS_FULL;
	if (company == LOSS_NESTED && slot_held(ring, stand.next))
		return LOSS_HELD;
	return LOSS_UNEXPLAINED;
}

bool loss_ring_full(const struct ring *ring)
{
	return ring->mode == RING_DISCARD &&
	       stand_of(ring).next - ring->consumed > bits_mask(ring->count_shift);
}

const char *loss_name(enum loss loss)
{
	static const char *const names[LOSSES] = { "full",  "held", "large",	  "largest",
						   "stuck", "busy", "unexplained" };

	return names[loss];
}
