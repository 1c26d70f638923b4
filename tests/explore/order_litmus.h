/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests for build/explore --order c11: test_c11.sh writes a LITMUS() for each, with how many
 * CPUs it has, how many of R() they set, and whether x and y matter in the end. An outcome is 1,
 * then these, a digit each.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "explore/order/row.h"

static struct {
	_Atomic uint64_t x, y;
} all;
static uint64_t r[4];

#define R(n) r[n]
#define LD(at, order) atomic_load_explicit(&all.at, memory_order_##order)
#define ST(at, value, order) atomic_store_explicit(&all.at, value, memory_order_##order)
#define ADD(at, order) atomic_fetch_add_explicit(&all.at, 1, memory_order_##order)
#define FENCE(order) atomic_thread_fence(memory_order_##order)
#define PLAIN(at) (*(uint64_t *)(void *)&all.at)

/* Returns the old value. */
#define SWAP(at, old, next, success, failure) \
	({ \
		uint64_t was = old; \
		atomic_compare_exchange_strong_explicit( \
			&all.at, &was, next, memory_order_##success, memory_order_##failure); \
		was; \
	})
#define CAS(at, old, next) SWAP(at, old, next, relaxed, relaxed)

static uint64_t digits(unsigned int count, bool final)
{
	uint64_t all_digits = 1;
	unsigned int i;

	for (i = 0; i < count; i++)
		all_digits = all_digits << 4 | r[i];
	return final ? all_digits << 8 | all.x << 4 | all.y : all_digits;
}

struct order_row order_row = { .memory = &all, .bytes = sizeof(all) };

/* The object holds all tests; $LITMUS_TEST names the one that it is this time. */
#define LITMUS(name, count, read, final, threads) \
	static void name##_thread(unsigned int cpu) \
	{ \
		switch (cpu) { \
			threads \
		} \
	} \
	static uint64_t name##_outcome(void) \
	{ \
		return digits(read, final); \
	} \
	__attribute__((constructor)) static void name##_begin(void) \
	{ \
		if (strcmp(getenv("LITMUS_TEST"), #name)) \
			return; \
		order_row.cpus = count; \
		order_row.thread = name##_thread; \
		order_row.outcome = name##_outcome; \
	}
