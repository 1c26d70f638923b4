/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that are the same on every machine: xorshift where a sequence is wanted, splitmix
 * where any seed must do, as in a shuffle that can be had again from its seed.
 */
#pragma once

#include <stdint.h>

#define RNG_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* The next of a xorshift sequence; *state is not 0 (rng_seed()). */
static inline uint64_t rng_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Splitmix's finalizer: all bits of the value depend on all bits of the argument. */
static inline uint64_t rng_mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

/* The next of a splitmix sequence; *state may be anything. */
static inline uint64_t rng_split(uint64_t *state)
{
	*state += RNG_GOLDEN;
	return rng_mix(*state);
}

/* A state for rng_next(), another one for each `stream` of a user's seed. */
static inline uint64_t rng_seed(uint64_t seed, uint64_t stream)
{
	uint64_t state = (seed + 1) * RNG_GOLDEN + stream;

	return state ? state : RNG_GOLDEN;
}

/* Fisher and Yates, by rng_split(). */
static inline void rng_shuffle(unsigned int *order, unsigned int count, uint64_t *state)
{
	unsigned int i, other, kept;

	for (i = count; i > 1; i--) {
		other = (unsigned int)(rng_split(state) % i);
		kept = order[i - 1];
		order[i - 1] = order[other];
		order[other] = kept;
	}
}
