// SPDX-License-Identifier: MIT
#include "explore/engine/outcomes.h"

#include <string.h>

#include "base/rng.h"
#include "base/table.h"

static struct table hashes;
static uint64_t sum;

void outcomes_begin(void)
{
	table_free(&hashes);
	sum = 0;
}

void outcomes_add(uint64_t hash)
{
	uint32_t before = hashes.count;

	table_number(&hashes, &hash, sizeof(hash));
	if (hashes.count > before)
		sum += rng_mix(hash);
}

void outcomes_copy(uint64_t *to, unsigned int most)
{
	uint32_t i;

	for (i = 0; i < hashes.count && i < most; i++)
		memcpy(&to[i], table_get(&hashes, i, NULL), sizeof(*to));
}

void outcomes_end(uint64_t *count, uint64_t *hash)
{
	*count = hashes.count;
	*hash = sum;
}
