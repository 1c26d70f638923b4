// SPDX-License-Identifier: MIT
/*
 * The storm on the timed build: the code that bench times, in its geometry, under real signals. Its
 * payload is the stamp alone, without context and sequence; so rounds are short, nothing is ever
 * overwritten, and what the harness asked for, by its own count, is what is decoded or lost.
 */
#include "workloads/engine/thread.h"

#define RECORD_MOST 32 /* bytes of the largest record with its share of sub-buffer headers */
#define ROUND_PART 8 /* of what the ring holds: nested writers need room as well */

struct ring_config engine_timed_geometry(const struct engine_config *config, uint64_t *state)
{
	struct ring_config ring =
		buffer_config(config->driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);

	ring.mode = rng_next(state) >> 32 & 1 ? RING_OVERWRITE : RING_DISCARD;
	return ring;
}

uint64_t engine_timed_round(const struct ring *ring, uint64_t *state)
{
	uint64_t random = rng_next(state), most = ring_bytes(ring) / RECORD_MOST;

	/* Some are as long as a batch of bench: its loop may go wrong late. */
	return 1 + random % (random >> 32 & 3 ? most / ROUND_PART : most);
}

void engine_timed_drained(struct engine_thread *thread, struct check *check)
{
	const struct ring *ring = buffer_ring(&thread->ring->buffer);
	uint64_t asked = thread->asked - thread->asked_before;

	/* Flushes leave sub-buffers half empty. */
	bool fits = 2 * asked * RECORD_MOST < ring_bytes(ring);

	thread->asked_before = thread->asked;
	thread->filled |= !fits;
	if (check->resync[CONTEXT_TASK] && fits)
		check_violate(check, ORACLE_CONSERVATION,
			      "overwritten, in a ring that holds all that was asked for",
			      check->next_number, 0, check->last_time, NULL);
	thread->overrun |= check->resync[CONTEXT_TASK];
	check->resync[CONTEXT_TASK] = false; /* a later event has no sequence that ends it */
}

bool engine_timed_excuses(const struct engine_thread *thread)
{
	const struct driver *driver = thread->driver;

	return driver->timed && driver->desc->zeros_per_nested;
}

void engine_timed_judge(struct engine_thread *thread, struct check *check)
{
	const struct ring *ring = buffer_ring(&thread->ring->buffer);
	const struct writer *writer = thread->writer;
	uint64_t lost = ring->lost + ring->refused + ring->stuck, nested = 0;
	unsigned int context;

	for (context = CONTEXT_TASK + 1; context < CONTEXTS; context++) {
		nested += writer->entered[context];
		/* Nothing decoded says whose it is. */
		check->by_context[context] = writer->entered[context];
	}
	check->by_context[CONTEXT_TASK] = check->events - nested;
	check->windowless = true;
	if (!thread->overrun && check->events + lost != thread->asked)
		check_violate(check, ORACLE_CONSERVATION,
			      "asked for is not what was decoded and lost", check->next_number, 0,
			      check->last_time, NULL);
	/* The payload has no room to say that a stamp is inexact by declaration. */
	if (check->violations[ORACLE_EXACT] <= nested * check->desc->zeros_per_nested) {
		check->violations[ORACLE_EXACT] = 0;
		check->wraps_lost = 0;
	}
}
