// SPDX-License-Identifier: MIT
/* What the compiler calls on a board without a C library. */
#include <stddef.h>

#include "extras/mcu/masked.h"

void *memcpy(void *to, const void *from, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
	return to;
}

void *memset(void *to, int value, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		((volatile uint8_t *)to)[i] = (uint8_t)value;
	return to;
}

/* Of 64 bits, which only the head of an ftrace sub-buffer has. */
void __atomic_store_8(volatile void *word, unsigned long long value, int order)
{
	uint32_t before = cpu_mask();

	(void)order;
	*(volatile uint64_t *)word = value;
	cpu_unmask(before);
}
