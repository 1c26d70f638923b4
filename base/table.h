/* SPDX-License-Identifier: MIT */
/* Byte strings, each kept once and known by a number. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A hash of any bytes, for tables in memory; another one in another build. */
uint64_t table_hash(const void *bytes, size_t count, uint64_t seed);

/* All zero: without any. */
struct table {
	uint32_t count;
	struct table_slot {
		uint32_t hash;
		uint32_t number; /* + 1; 0: free */
	} * slot; /* open addressing */
	uint32_t slots;
	struct table_string {
		const uint8_t *at;
		uint32_t bytes;
		uint32_t hash;
	} * string; /* by number */
	uint8_t **chunk; /* what they lie in */
	uint32_t chunks;
	size_t chunk_size, chunk_left; /* of the newest */
	uint64_t total_bytes; /* of memory taken */
};

void table_free(struct table *table);

/* Forgets all; memory is kept for others. */
void table_clear(struct table *table);

/* The number of these bytes, from 0 in the order they first came; ends the process without memory.
 */
uint32_t table_number(struct table *table, const void *bytes, size_t count);

/* *bytes, unless NULL, gets their count. Aligned as a uint64_t. */
const void *table_get(const struct table *table, uint32_t number, size_t *bytes);
