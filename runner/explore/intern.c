// SPDX-License-Identifier: MIT
#define XXH_INLINE_ALL
#include "intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define CHUNK 256 /* strings that are allocated together */

uint64_t intern_hash(const void *bytes, size_t count, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, count, seed);
}

void intern_begin(struct intern *intern, size_t bytes)
{
	*intern = (struct intern){.bytes = bytes};
}

void intern_end(struct intern *intern)
{
	uint32_t i;

	for (i = 0; i < intern->chunks; i++)
		free(intern->chunk[i]);
	free(intern->chunk);
	free(intern->table);
	*intern = (struct intern){.bytes = 0};
}

const void *intern_get(const struct intern *intern, uint32_t number)
{
	return intern->chunk[number / CHUNK] + (number % CHUNK) * intern->bytes;
}

static struct interned *find(const struct intern *intern, uint32_t hash, const void *bytes)
{
	struct interned *place;
	uint32_t at;

	for (at = hash;; at++) {
		place = &intern->table[at & (intern->table_size - 1)];
		if (!place->number ||
		    (place->hash == hash &&
		     !memcmp(intern_get(intern, place->number - 1), bytes, intern->bytes)))
			return place;
	}
}

static void grow(struct intern *intern)
{
	uint32_t size = intern->table_size ? 2 * intern->table_size : 1024, i, at;
	struct interned *table = calloc(size, sizeof(*table));

	if (!table)
		abort();
	for (i = 0; i < intern->table_size; i++) {
		if (!intern->table[i].number)
			continue;
		for (at = intern->table[i].hash; table[at & (size - 1)].number; at++)
			continue;
		table[at & (size - 1)] = intern->table[i];
	}
	free(intern->table);
	intern->table = table;
	intern->table_size = size;
}

uint32_t intern(struct intern *intern, const void *bytes)
{
	uint32_t hash = (uint32_t)intern_hash(bytes, intern->bytes, 0);
	struct interned *place;

	if (intern->count >= intern->table_size / 2)
		grow(intern);
	place = find(intern, hash, bytes);
	if (place->number)
		return place->number - 1;
	if (intern->count == intern->chunks * CHUNK) {
		intern->chunk =
			realloc(intern->chunk, (intern->chunks + 1) * sizeof(*intern->chunk));
		if (!intern->chunk)
			abort();
		intern->chunk[intern->chunks] = malloc(CHUNK * intern->bytes);
		if (!intern->chunk[intern->chunks++])
			abort();
	}
	memcpy(intern->chunk[intern->count / CHUNK] + (intern->count % CHUNK) * intern->bytes,
	       bytes, intern->bytes);
	*place = (struct interned){hash, ++intern->count};
	return intern->count - 1;
}
