// SPDX-License-Identifier: MIT
#define XXH_INLINE_ALL
#include "explore/intern.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

/* Each chunk is twice the one before; a string fits in the least. */
#define CHUNK_LEAST (64 * 1024)
#define CHUNK_MOST (16 * 1024 * 1024)
#define ALIGN 8
#define TABLE_SPARSE 16
#define HUGE_BYTES ((size_t)2 * 1024 * 1024)

uint64_t intern_hash(const void *bytes, size_t count, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, count, seed);
}

void intern_end(struct intern *intern)
{
	uint32_t i;

	for (i = 0; i < intern->chunks; i++)
		free(intern->chunk[i]);
	free(intern->chunk);
	free(intern->string);
	free(intern->table);
	*intern = (struct intern){.count = 0};
}

const void *intern_get(const struct intern *intern, uint32_t number, size_t *bytes)
{
	const struct interned_string *string = &intern->string[number];

	if (bytes)
		*bytes = string->bytes;
	return string->at;
}

static struct interned *find(const struct intern *intern, uint32_t hash, const void *bytes,
			     size_t count)
{
	const struct interned_string *string;
	struct interned *place;
	uint32_t at;

	for (at = hash;; at++) {
		place = &intern->table[at & (intern->table_size - 1)];
		if (!place->number)
			return place;
		if (place->hash != hash)
			continue;
		string = &intern->string[place->number - 1];
		if (string->bytes == count && !memcmp(string->at, bytes, count))
			return place;
	}
}

void intern_clear(struct intern *intern)
{
	uint32_t i, at;

	/* Most are few, in a table that was once large. The newest is the last of its row there. */
	if (intern->count > intern->table_size / TABLE_SPARSE)
		memset(intern->table, 0, intern->table_size * sizeof(*intern->table));
	else
		for (i = intern->count; i-- > 0;) {
			at = intern->string[i].hash;
			while (intern->table[at & (intern->table_size - 1)].number != i + 1)
				at++;
			intern->table[at & (intern->table_size - 1)].number = 0;
		}
	/* The newest chunk is the largest. */
	for (i = 0; i + 1 < intern->chunks; i++)
		free(intern->chunk[i]);
	if (intern->chunks) {
		intern->chunk[0] = intern->chunk[intern->chunks - 1];
		intern->chunks = 1;
	}
	intern->chunk_left = intern->chunk_size;
	intern->count = 0;
}

static void *taken(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* In pages of 2 MiB where the system has them: each small one costs a fault when it is touched. */
static void *taken_huge(size_t bytes)
{
	void *memory = taken(aligned_alloc(HUGE_BYTES, bytes));

	madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

/* There is one place for each two in the table. */
static void grow(struct intern *intern)
{
	uint32_t size = intern->table_size ? 2 * intern->table_size : 1024, i, at;
	struct interned *table = taken(calloc(size, sizeof(*table)));

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
	intern->string = taken(realloc(intern->string, size / 2 * sizeof(*intern->string)));
	intern->total_bytes += size / 2 * (sizeof(*table) + sizeof(*intern->string) / 2);
}

static uint8_t *room(struct intern *intern, size_t bytes)
{
	size_t size = intern->chunk_size ? 2 * intern->chunk_size : CHUNK_LEAST;

	if (bytes > intern->chunk_left) {
		if (size > CHUNK_MOST)
			size = CHUNK_MOST;
		intern->chunk = taken(realloc(intern->chunk,
					      (intern->chunks + 1) * sizeof(*intern->chunk)));
		intern->chunk[intern->chunks++] =
			size % HUGE_BYTES ? taken(malloc(size)) : taken_huge(size);
		intern->chunk_left = intern->chunk_size = size;
		intern->total_bytes += size;
	}
	intern->chunk_left -= bytes;
	return intern->chunk[intern->chunks - 1] +
	       (intern->chunk_size - intern->chunk_left - bytes);
}

uint32_t intern(struct intern *intern, const void *bytes, size_t count)
{
	uint32_t hash = (uint32_t)intern_hash(bytes, count, 0);
	struct interned *place;
	uint8_t *at;

	if (intern->count >= intern->table_size / 2)
		grow(intern);
	place = find(intern, hash, bytes, count);
	if (place->number)
		return place->number - 1;
	at = room(intern, (count + ALIGN - 1) / ALIGN * ALIGN);
	memcpy(at, bytes, count);
	intern->string[intern->count] = (struct interned_string){at, (uint32_t)count, hash};
	*place = (struct interned){hash, ++intern->count};
	return intern->count - 1;
}
