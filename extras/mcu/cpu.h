/* SPDX-License-Identifier: MIT */
/* Interrupts off, and back to what they were. */
#pragma once

#include <stdint.h>

static inline __attribute__((always_inline)) uint32_t cpu_mask(void)
{
	uint32_t before;

#ifdef __riscv
	__asm__ volatile("csrrci %0, mstatus, 8" : "=r"(before) : : "memory");
#else
	__asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
#endif
	return before;
}

static inline __attribute__((always_inline)) void cpu_unmask(uint32_t before)
{
#ifdef __riscv
	__asm__ volatile("csrs mstatus, %0" : : "r"(before & 8) : "memory");
#else
	__asm__ volatile("msr primask, %0" : : "r"(before) : "memory");
#endif
}
