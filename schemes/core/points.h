/* SPDX-License-Identifier: MIT */
/*
 * The hook at each point, and what points count. It acts on rows of the counting build
 * (core/seam.h), whoever sets it; so a caller of such rows includes this and is of no build itself.
 */
#ifndef STAMPEDE_SCHEMES_CORE_POINTS_H
#define STAMPEDE_SCHEMES_CORE_POINTS_H

#include <stdint.h>

struct points {
	void (*hook)(void *arg, const char *label); /* NULL: nobody interrupts */
	void *arg;
	uint64_t clock_reads;
	uint64_t atomics; /* read-modify-write of a shared word, the commit included */
	uint64_t cmpxchgs; /* of these */
	uint64_t retries; /* attempts given up because another writer came between */
};

extern struct points points;

#endif
