// SPDX-License-Identifier: MIT
#include "explore/outcomes.h"

#include <stdlib.h>
#include <string.h>

static uint64_t *table; /* open addressing; 0 is no hash */
static uint64_t size, used, sum;

static void grow(void)
{
	uint64_t *old = table, old_size = size, i;

	size = size ? 2 * size : 1024;
	table = calloc(size, sizeof(*table));
	if (!table)
		abort();
	used = sum = 0;
	for (i = 0; i < old_size; i++)
		if (old[i])
			outcomes_add(old[i]);
	free(old);
}

void outcomes_begin(void)
{
	free(table);
	table = NULL;
	size = 0;
	grow();
}

void outcomes_add(uint64_t hash)
{
	uint64_t at;

	hash += !hash;
	for (at = hash & (size - 1); table[at]; at = (at + 1) & (size - 1))
		if (table[at] == hash)
			return;
	table[at] = hash;
	sum += hash * 0x9e3779b97f4a7c15u ^ hash >> 31;
	if (++used > size / 2)
		grow();
}

void outcomes_end(uint64_t *count, uint64_t *hash)
{
	*count = used;
	*hash = sum;
	free(table);
	table = NULL;
	size = 0;
}
