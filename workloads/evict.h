/* SPDX-License-Identifier: MIT */
/* What a program's other work takes from a tracer: caches, translations, code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/place/place.h"

enum evict_kind {
	EVICT_NONE,
	EVICT_L1,
	EVICT_L2,
	EVICT_LLC,
	EVICT_TLB,
	EVICT_CODE,
	EVICT_ALL,
	EVICT_HUGE, /* as EVICT_ALL; one ring is on a huge page (cold.c) */
	EVICT_POLLED, /* these three: by another CPU (cold.c) */
	EVICT_SHARED,
	EVICT_NEIGHBOUR,
	EVICT_KINDS,
};

extern const char *const evict_names[EVICT_KINDS];

struct evict {
	size_t bytes[EVICT_KINDS]; /* of data that a kind reads; 0: nobody knows the cache */
	uint8_t *data; /* of the largest */
	size_t data_bytes;
	uint8_t *pages; /* EVICT_PAGES mappings of one page */
	uint64_t random;
};

/* For the caches of CPU `pu`. An exit code, after a line on stderr. */
extern size_t evict_most; /* bytes of one eviction at most: a test's, which no machine's cache makes
			     long */
int evict_open(struct evict *evict, const struct place *place, unsigned int pu);
void evict_close(struct evict *evict);

/*
 * Bytes of data after whose reading lines that were cached come from memory, as they do after
 * `most` bytes: `least` times a power of two, or `most`. For where only the caches of all
 * CPUs together are known. 0: no memory.
 */
size_t evict_measured(size_t least, size_t most);

/* Is this a kind that cannot be had here? Says so in a line on stderr. */
bool evict_unknown(const struct evict *evict, enum evict_kind kind);

void evict(struct evict *evict, enum evict_kind kind);

#define EVICT_HUGE_BYTES ((size_t)2 << 20)

/* Zeroed memory on one huge page, for munmap(EVICT_HUGE_BYTES). NULL: errno says why not. */
void *evict_huge_page(void);
