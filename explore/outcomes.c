// SPDX-License-Identifier: MIT
#include "explore/outcomes.h"

#include "base/table.h"

static struct table seen;
static uint64_t sum;

void outcomes_begin(void)
{
	table_free(&seen);
	sum = 0;
}

void outcomes_add(uint64_t hash)
{
	uint32_t before = seen.count;

	table_number(&seen, &hash, sizeof(hash));
	if (seen.count > before)
		sum += hash * 0x9e3779b97f4a7c15u ^ hash >> 31;
}

void outcomes_end(uint64_t *count, uint64_t *hash)
{
	*count = seen.count;
	*hash = sum;
	table_free(&seen);
}
