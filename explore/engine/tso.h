/* SPDX-License-Identifier: MIT */
/*
 * Store buffers, as x86-TSO has them (Owens, Sarkar, Sewell, 2009): each CPU's stores wait in a
 * queue of its own and reach memory in its order; the CPU that made them sees them at once, others
 * when they are in memory; a locked instruction or mfence waits until the queue is empty. What a
 * locked instruction itself stores is in memory at once.
 *
 * The running CPU's view, memory with its queue applied, stands where the row's memory always is.
 * So nobody else sees what is in the queue while it runs, and when its stores leave matters only
 * at a switch to another CPU: there the search chooses how many of the newest stay behind
 * (--delays counts them). While another CPU runs, the search chooses before which of its accesses
 * each of them reaches memory, and how many of that CPU's own stores to the same place came before.
 * Where an access touches none of the waiting places the order would make no difference.
 *
 * What one step stores is one element of the queue: a step is an instruction, but what has no stop
 * (--stops shared: some words of a payload, stops.py's quiet ones) goes with the one before it.
 * Interrupts do not drain: an interrupt's return does on real CPUs, so this is the weaker model.
 */
#ifndef STAMPEDE_EXPLORE_ENGINE_TSO_H
#define STAMPEDE_EXPLORE_ENGINE_TSO_H

#include <stdbool.h>
#include <stdint.h>

#include "explore/engine/world.h"

#define TSO_PIECES_MAX 64 /* what waits at a CPU; the oldest leave when it is full */

/* Some bytes of one word that a store writes. */
struct tso_piece {
	uint64_t value;
	uint16_t word; /* of the row's memory */
	uint8_t mask; /* of its bytes */
	uint8_t last; /* of a store */
};

struct tso_queue {
	uint8_t pieces;
	uint8_t held; /* stores that stayed over a switch: the oldest */
	struct tso_piece piece[TSO_PIECES_MAX];
};

/* After world_begin(): the budget allows stores to wait, and from now on they do. */
void tso_begin(void);

/* Do they? All others here are called only then. */
static inline bool tso_on(void)
{
	return world_watch;
}

/* Can a queue still make a difference to somebody? */
bool tso_open(void);

/* How many of the running CPU's stores can stay behind at a switch. */
unsigned int tso_held_most(void);

/*
 * The n-th store that can reach memory here, as tso_drain() takes it; else `n` is less by how many
 * there are. `idle`: between events.
 */
bool tso_alternative(bool idle, unsigned int *n, uint64_t *which);

/* The oldest of a CPU's stores, behind so many of the running one's own: TSO_BEHIND. */
void tso_drain(uint64_t which);

/* A number of stores, beside a CPU, in the number of an action. */
#define TSO_STORES(number) ((unsigned int)((number) >> 8))
#define TSO_CPU(number) ((unsigned int)((number)&0xff))

/* At the end of everything: the running CPU's leave first. */
void tso_end(void);

/* `memory`: a copy of the row's, which gets what is in memory; put back, it is what is there. */
void tso_save(struct tso_queue *queues, uint8_t *memory, size_t bytes);
void tso_restore(const struct tso_queue *queues);

#endif
