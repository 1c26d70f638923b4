/* SPDX-License-Identifier: MIT */
/* A thread on another CPU that is in the way of writers (cold.c). */
#pragma once

#include <pthread.h>

#include "judge/driver.h"
#include "workloads/evict.h"

struct neighbour {
	/* The caller's; a copy, since beside his own pointers are words that a writer changes. */
	const struct place *place;
	unsigned int pu;
	enum evict_kind kind; /* POLLED, SHARED or NEIGHBOUR */
	const uint8_t *data; /* that NEIGHBOUR reads */
	size_t bytes;
	struct {
		uint64_t *word;
		size_t words;
	} shared[DRIVERS_MAX + 2]; /* what writers change, for POLLED and SHARED */
	unsigned int count;

	pthread_t thread;
	bool there, stop;
	_Alignas(64) uint64_t laps;
};

/* An exit code, after a line on stderr. */
int neighbour_start(struct neighbour *neighbour);

/* Until it has been everywhere since this call; 20 ms at most, for it may have lost its CPU. */
void neighbour_wait(const struct neighbour *neighbour);

/* Of one that was not started: nothing. */
void neighbour_stop(struct neighbour *neighbour);
