// SPDX-License-Identifier: MIT
#define XXH_INLINE_ALL
#include "base/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

#include "base/fail.h"

/* Each chunk is twice the one before; a string fits in the least. */
#define CHUNK_LEAST (64 * 1024)
#define CHUNK_MOST (16 * 1024 * 1024)
#define ALIGN 8
#define SPARSE 16
#define HUGE_BYTES ((size_t)2 * 1024 * 1024)

uint64_t table_hash(const void *bytes, size_t count, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, count, seed);
}

void table_free(struct table *table)
{
	uint32_t i;

	for (i = 0; i < table->chunks; i++)
		free(table->chunk[i]);
	free(table->chunk);
	free(table->string);
	free(table->slot);
	*table = (struct table){ .count = 0 };
}

const void *table_get(const struct table *table, uint32_t number, size_t *bytes)
{
	const struct table_string *string = &table->string[number];

	if (bytes)
		*bytes = string->bytes;
	return string->at;
}

static struct table_slot *find(const struct table *table, uint32_t hash, const void *bytes,
			       size_t count)
{
	const struct table_string *string;
	struct table_slot *slot;
	uint32_t at;

	for (at = hash;; at++) {
		slot = &table->slot[at & (table->slots - 1)];
		if (!slot->number)
			return slot;
		if (slot->hash != hash)
			continue;
		string = &table->string[slot->number - 1];
		if (string->bytes == count && !memcmp(string->at, bytes, count))
			return slot;
	}
}

void table_clear(struct table *table)
{
	uint32_t i, at;

	/* Most are few, in a table that was once large. The newest is the last of its chain. */
	if (table->count > table->slots / SPARSE)
		memset(table->slot, 0, table->slots * sizeof(*table->slot));
	else
		for (i = table->count; i-- > 0;) {
			at = table->string[i].hash;
			while (table->slot[at & (table->slots - 1)].number != i + 1)
				at++;
			table->slot[at & (table->slots - 1)].number = 0;
		}
	/* The newest chunk is the largest. */
	for (i = 0; i + 1 < table->chunks; i++)
		free(table->chunk[i]);
	if (table->chunks) {
		table->chunk[0] = table->chunk[table->chunks - 1];
		table->chunks = 1;
	}
	table->chunk_left = table->chunk_size;
	table->count = 0;
}

static void *taken(void *memory)
{
	if (!memory)
		end_memory("a table");
	return memory;
}

/* In pages of 2 MiB where the system has them: each small one costs a fault when it is touched. */
static void *taken_huge(size_t bytes)
{
	void *memory = taken(aligned_alloc(HUGE_BYTES, bytes));

	madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

/* Half of the slots are used at most. */
static void grow(struct table *table)
{
	uint32_t slots = table->slots ? 2 * table->slots : 1024, i, at;
	struct table_slot *slot = taken(calloc(slots, sizeof(*slot)));

	for (i = 0; i < table->slots; i++) {
		if (!table->slot[i].number)
			continue;
		for (at = table->slot[i].hash; slot[at & (slots - 1)].number; at++)
			continue;
		slot[at & (slots - 1)] = table->slot[i];
	}
	free(table->slot);
	table->slot = slot;
	table->slots = slots;
	table->string = taken(realloc(table->string, slots / 2 * sizeof(*table->string)));
	table->total_bytes += slots / 2 * (sizeof(*slot) + sizeof(*table->string) / 2);
}

static uint8_t *room(struct table *table, size_t bytes)
{
	size_t size = table->chunk_size ? 2 * table->chunk_size : CHUNK_LEAST;

	if (bytes > table->chunk_left) {
		if (size > CHUNK_MOST)
			size = CHUNK_MOST;
		table->chunk =
			taken(realloc(table->chunk, (table->chunks + 1) * sizeof(*table->chunk)));
		table->chunk[table->chunks++] =
			size % HUGE_BYTES ? taken(malloc(size)) : taken_huge(size);
		table->chunk_left = table->chunk_size = size;
		table->total_bytes += size;
	}
	table->chunk_left -= bytes;
	return table->chunk[table->chunks - 1] + (table->chunk_size - table->chunk_left - bytes);
}

uint32_t table_number(struct table *table, const void *bytes, size_t count)
{
	uint32_t hash = (uint32_t)table_hash(bytes, count, 0);
	struct table_slot *slot;
	uint8_t *at;

	if (table->count >= table->slots / 2)
		grow(table);
	slot = find(table, hash, bytes, count);
	if (slot->number)
		return slot->number - 1;
	at = room(table, (count + ALIGN - 1) / ALIGN * ALIGN);
	memcpy(at, bytes, count);
	table->string[table->count] = (struct table_string){ at, (uint32_t)count, hash };
	*slot = (struct table_slot){ hash, ++table->count };
	return table->count - 1;
}
