// SPDX-License-Identifier: MIT
#include "workloads/neighbour.h"

#include "base/fail.h"
#include "base/time.h"

#define WAIT_NS 20000000

/* Adds nothing: atomic, so that what a writer stores meanwhile stays. */
static void touch(uint64_t *word, size_t words, bool writes)
{
	size_t i;

	for (i = 0; i < words; i += 8)
		if (writes)
			__atomic_fetch_add(&word[i], 0, __ATOMIC_RELAXED);
		else
			(void)__atomic_load_n(&word[i], __ATOMIC_RELAXED);
}

static void *run(void *arg)
{
	struct neighbour *neighbour = arg;
	const volatile uint8_t *data = neighbour->data;
	unsigned int i;
	size_t at;

	if (place_bind_self(neighbour->place, neighbour->pu))
		return NULL;
	while (!__atomic_load_n(&neighbour->stop, __ATOMIC_RELAXED)) {
		for (at = 0; neighbour->kind == EVICT_NEIGHBOUR && at < neighbour->bytes; at += 64)
			(void)data[at];
		for (i = 0; neighbour->kind != EVICT_NEIGHBOUR && i < neighbour->count; i++)
			touch(neighbour->shared[i].word, neighbour->shared[i].words,
			      neighbour->kind == EVICT_SHARED);
		__atomic_add_fetch(&neighbour->laps, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

int neighbour_start(struct neighbour *neighbour)
{
	neighbour->there = !pthread_create(&neighbour->thread, NULL, run, neighbour);
	return neighbour->there ? 0 : fail_with(EXIT_RESOURCE, "no thread for the other CPU");
}

void neighbour_wait(const struct neighbour *neighbour)
{
	uint64_t laps = __atomic_load_n(&neighbour->laps, __ATOMIC_ACQUIRE) + 2;
	uint64_t limit = time_ns() + WAIT_NS;

	while (__atomic_load_n(&neighbour->laps, __ATOMIC_ACQUIRE) < laps && time_ns() < limit)
		;
}

void neighbour_stop(struct neighbour *neighbour)
{
	__atomic_store_n(&neighbour->stop, true, __ATOMIC_RELAXED);
	if (neighbour->there)
		pthread_join(neighbour->thread, NULL);
	neighbour->there = false;
}
