/* SPDX-License-Identifier: MIT */
/* What the compiler calls on a Cortex-M0+, which has no LDREX: the same with interrupts off. */
#pragma once

#include <stdbool.h>

#include "extras/mcu/cpu.h"

#ifndef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_4
__attribute__((weak)) bool __atomic_compare_exchange_4(volatile void *word, void *old,
						       unsigned int next, bool weak, int done,
						       int failed)
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

__attribute__((weak)) unsigned int __atomic_fetch_add_4(volatile void *word, unsigned int value,
							int order)
{
	uint32_t before = cpu_mask(), seen = *(volatile uint32_t *)word;

	(void)order;
	*(volatile uint32_t *)word = seen + value;
	cpu_unmask(before);
	return seen;
}
#endif
