/* SPDX-License-Identifier: MIT */
/*
 * Wraps and nested writers by plan, for the injected build: the timed build with a clock of rdtsc +
 * bias, and one named point, right behind the clock read, at which a nested writer can run. Both
 * cost every row, and the floor, the same few instructions.
 */
#ifndef STAMPEDE_SCHEMES_CORE_INJECT_H
#define STAMPEDE_SCHEMES_CORE_INJECT_H

#include <stdint.h>

struct injection {
	uint64_t bias_ticks; /* added to every clock read */
	uint64_t armed; /* nested writers that the next clock reads run, one inside the other */
	void (*nest)(void); /* runs one of them */
	/* The clock goes back by so much at the next of them; with a nest_depth of 0, only that. */
	uint64_t back_ticks;

	/*
	 * The plan: mean events between two of a kind, 0: none; gaps vary, so that no CPU learns
	 * them.
	 */
	uint64_t wrap_every; /* an event in so many comes a wrap later */
	uint64_t nest_every; /* an event in so many is interrupted */
	uint64_t nest_depth; /* by so many writers, one inside the other */
	uint64_t due; /* events until the next one, this one included */
	uint64_t random;
};

extern struct injection injection;

/* Events until the next of a kind that comes every `every` events: 1 .. 2 * every - 1. */
static inline uint64_t injection_gap(uint64_t every)
{
	uint64_t state = injection.random;

	if (!every)
		return UINT64_MAX;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	injection.random = state;
	return 1 + state % (2 * every - 1);
}

#endif
