/* SPDX-License-Identifier: MIT */
/*
 * Why an event was lost, by what the ring shows: the oracle of losses, which believes no scheme. It
 * looks at the ring as the losing writer leaves it. The writers that this writer interrupted have
 * not gone on meanwhile, and those that interrupted it cannot have freed anything. Only a reader
 * can, and what the reader had released before the event is remembered.
 *
 *   full         discard mode: the sub-buffer that comes next is not read yet
 *   held         overwrite mode, or discard mode with room: a writer that was interrupted has not
 *                completed the slot that comes next
 *   large        no sub-buffer can hold the event
 *   largest      with its header perhaps none can; the ring's own count decides
 *   stuck        the scheme gave up, and counted that (a promise of its own, BOUNDED), while the
 *                clock went on by a wrap at least: nothing else stops a writer
 *   busy         it interrupted a writer that declares to keep all others out
 *   unexplained  none of these: the event had room
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "schemes/core/ring.h"

enum loss {
	LOSS_FULL,
	LOSS_HELD,
	LOSS_LARGE,
	LOSS_LARGEST,
	LOSS_STUCK,
	LOSS_BUSY,
	LOSS_UNEXPLAINED,
	LOSSES,
};

struct loss_counts {
	local_word of[LOSSES];
};

/* State that others may change while a writer runs. */
struct loss_look {
	uint64_t consumed;
	uint64_t stuck;
};

/* Other writers that may write when an event is lost. */
enum loss_company {
	LOSS_ALONE, /* the writer has interrupted no other */
	LOSS_NESTED, /* it may have interrupted one */
	LOSS_CONCURRENT, /* writers of other CPUs */
	LOSS_ELSEWHERE, /* the same, and it may have been another ring that had no room */
};

/* What the harness knows of an event, independently of the scheme. */
enum loss_known {
	LOSS_INSIDE = 1 << 0, /* it came into a writer of a row that turns such events away */
	LOSS_SLOW = 1 << 1, /* the clock went on by a wrap or more since it began */
};

/* Before an event; no access of the row's. */
__attribute__((no_sanitize("thread"))) static inline struct loss_look
loss_look(const struct ring *ring)
{
	return (struct loss_look){ .consumed = ring->consumed, .stuck = ring->stuck };
}

/*
 * An event of `payload_bytes`, before which the ring looked like `before`, was just lost. `known`:
 * enum loss_known.
 */
enum loss loss_reason(const struct ring *ring, struct loss_look before, uint32_t payload_bytes,
		      enum loss_company company, uint32_t known);

/*
 * Is `ring` full for its writers, in discard mode? Then this is why it lost events since a drain.
 */
bool loss_ring_full(const struct ring *ring);

static inline uint64_t loss_total(const struct loss_counts *counts)
{
	uint64_t total = 0;
	unsigned int loss;

	for (loss = 0; loss < LOSSES; loss++)
		total += counts->of[loss];
	return total;
}

static inline void loss_add(struct loss_counts *sum, const struct loss_counts *one)
{
	unsigned int loss;

	for (loss = 0; loss < LOSSES; loss++)
		sum->of[loss] += one->of[loss];
}

const char *loss_name(enum loss loss);
