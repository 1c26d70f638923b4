/* SPDX-License-Identifier: MIT */
/*
 * Memory as C11 has it, by views (after Kang et al., "A promising semantics for relaxed-memory
 * concurrency", 2017): each place, eight aligned bytes, has its stores in an order of its own, and
 * each CPU a view, the oldest store of each place that it may still load. A store carries a view:
 * of its CPU, if it is a release, or of that CPU's last release fence; who loads it with acquire,
 * or loads it and then has an acquire fence, has that view too. An atomic read-modify-write stands
 * right behind the store that it read, and carries that one's view on.
 *
 *   relaxed    atomic and volatile accesses
 *   plain      all others: the same, and a load of them may be late: it gives what another CPU
 *              stores after it, up to this CPU's next fence, ordered access or access of that
 *              place. So a plain load may pass the stores behind it, whatever depends on it.
 *              An atomic or volatile load never does (load buffering is left out).
 *
 * A load that does not give the newest store, a store that does not come last at its place, and a
 * late load cost one of order_left.delays each. A late load's value is one that the CPU whose store
 * it is has stored there in an earlier execution of the search.
 *
 * What the running CPU loads is put where the code will find it just before it looks, and what it
 * stores is taken from there before anything else happens.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_CPUS 4

/* From now on [at, at + bytes), of whole places, is memory that CPUs share. */
void machine_share(void *at, size_t bytes);
void machine_share_nothing(void);

/* What shared memory holds now is known to all CPUs. */
void machine_begin(void);

/* All memory holds the newest stores. Of a late load that no store came for: false. */
bool machine_end(void);

/* Another CPU goes on: what it knows is where it will look. */
void machine_switch(unsigned int cpu);

/* The running CPU's store that machine_store() has said will come, has come. */
void machine_stored(void);

bool machine_shares(const volatile void *at);

/* Of the running CPU; `order`: as __ATOMIC_RELAXED, or MACHINE_PLAIN. */
#define MACHINE_PLAIN (-1)
void machine_load(const volatile void *at, size_t bytes, int order);
void machine_store(const volatile void *at, size_t bytes, int order);
void machine_fence(int order);

/* Stores `next(old)` behind what it read, unless `expected` is given and is not that. */
bool machine_update(volatile uint64_t *at, uint64_t (*next)(uint64_t old, uint64_t value),
		    uint64_t value, const uint64_t *expected, int order, int failed, uint64_t *old);
