// SPDX-License-Identifier: MIT
#include "explore/engine/stamps.h"

#include <string.h>

#include "base/fail.h"

void stamps_add(uint64_t *stamp, unsigned int count, uint64_t one)
{
	for (; count && stamp[count - 1] > one; count--)
		stamp[count] = stamp[count - 1];
	stamp[count] = one;
}

void stamps_remove(uint64_t *stamp, unsigned int count, uint64_t one)
{
	unsigned int at = 0;

	while (at < count && stamp[at] != one)
		at++;
	if (at == count)
		END_FAULT("a stamp that is not kept");
	memmove(&stamp[at], &stamp[at + 1], (count - at - 1) * sizeof(*stamp));
}

uint64_t stamps_widest(const uint64_t *stamp, unsigned int count)
{
	uint64_t widest = 0;
	unsigned int i;

	for (i = 1; i < count; i++)
		if (stamp[i] - stamp[i - 1] > widest)
			widest = stamp[i] - stamp[i - 1];
	return widest;
}
