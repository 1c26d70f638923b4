// SPDX-License-Identifier: MIT
/*
 * What the compiler calls where the CPU has no instruction for it: a Cortex-M0+ none for the
 * atomics of schemes/core/local.h, and none of these machines one for 64 bits, which only the
 * head of a sub-buffer has.
 */
#include <stdbool.h>
#include <stddef.h>

#include "extras/mcu/cpu.h"

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

bool __atomic_compare_exchange_4(volatile void *word, void *old, unsigned int next, bool weak,
				 int done, int failed)
{
	uint32_t before = cpu_mask(), seen = *(volatile uint32_t *)word;
	bool same = seen == *(uint32_t *)old;

	(void)weak;
	(void)done;
	(void)failed;
	*(uint32_t *)old = seen;
	if (same)
		*(volatile uint32_t *)word = next;
	cpu_unmask(before);
	return same;
}

unsigned int __atomic_fetch_add_4(volatile void *word, unsigned int value, int order)
{
	uint32_t before = cpu_mask(), seen = *(volatile uint32_t *)word;

	(void)order;
	*(volatile uint32_t *)word = seen + value;
	cpu_unmask(before);
	return seen;
}

void __atomic_store_8(volatile void *word, unsigned long long value, int order)
{
	uint32_t before = cpu_mask();

	(void)order;
	*(volatile uint64_t *)word = value;
	cpu_unmask(before);
}
