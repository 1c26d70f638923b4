/* SPDX-License-Identifier: MIT */
/* The clock of a row on a board (CLOCK_GIVEN of core/clock_real.h). */
#pragma once

#include "extras/mcu/machine.h"
#include "schemes/core/bits.h"
#include "schemes/core/widths.h"

#ifdef PRICE
#define CLOCK_JUMPED 0
#else
extern volatile uint32_t clock_jumped[2]; /* by how many ticks, low and high word (record.c) */
#define CLOCK_JUMPED clock_jumped[0]
#endif

static inline uint64_t clock_given(void)
{
	return (machine_counter() + CLOCK_JUMPED) & (uint32_t)bits_mask(COUNTER_BITS);
}
