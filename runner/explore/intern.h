/* SPDX-License-Identifier: MIT */
/* Byte strings of one length, each kept once and known by a number. */
#ifndef STAMPEDE_RUNNER_EXPLORE_INTERN_H
#define STAMPEDE_RUNNER_EXPLORE_INTERN_H

#include <stddef.h>
#include <stdint.h>

/* A hash of any bytes, for tables in memory; another one in another build. */
uint64_t intern_hash(const void *bytes, size_t count, uint64_t seed);

struct intern {
	size_t bytes; /* of each */
	uint32_t count;
	struct interned {
		uint32_t hash;
		uint32_t number; /* + 1; 0: none */
	} * table; /* open addressing */
	uint32_t table_size;
	uint8_t **chunk;
	uint32_t chunks;
};

void intern_begin(struct intern *intern, size_t bytes);
void intern_end(struct intern *intern);

/* The number of these bytes, from 0 in the order they first came; aborts without memory. */
uint32_t intern(struct intern *intern, const void *bytes);

const void *intern_get(const struct intern *intern, uint32_t number);

#endif
