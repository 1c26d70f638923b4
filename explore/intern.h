/* SPDX-License-Identifier: MIT */
/* Byte strings, each kept once and known by a number. */
#ifndef STAMPEDE_EXPLORE_INTERN_H
#define STAMPEDE_EXPLORE_INTERN_H

#include <stddef.h>
#include <stdint.h>

/* A hash of any bytes, for tables in memory; another one in another build. */
uint64_t intern_hash(const void *bytes, size_t count, uint64_t seed);

/* All zero: without any. */
struct intern {
	uint32_t count;
	struct interned {
		uint32_t hash;
		uint32_t number; /* + 1; 0: none */
	} * table; /* open addressing */
	uint32_t table_size;
	struct interned_string {
		const uint8_t *at;
		uint32_t bytes;
		uint32_t hash;
	} * string; /* by number */
	uint8_t **chunk; /* what they lie in */
	uint32_t chunks;
	size_t chunk_size, chunk_left; /* of the newest */
	uint64_t total_bytes; /* of memory taken */
};

void intern_end(struct intern *intern);

/* Forgets all; memory is kept for others. */
void intern_clear(struct intern *intern);

/* The number of these bytes, from 0 in the order they first came; aborts without memory. */
uint32_t intern(struct intern *intern, const void *bytes, size_t count);

/* *bytes, unless NULL, gets their count. Aligned as a uint64_t. */
const void *intern_get(const struct intern *intern, uint32_t number, size_t *bytes);

#endif
