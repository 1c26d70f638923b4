/* SPDX-License-Identifier: MIT */
/* The clock of a scheme that is taken for a board: a counter of the program's, of COUNTER_BITS. */
#pragma once

#include "schemes/core/local.h"

#ifndef CLOCK
#error "define CLOCK() before this header: a counter that goes up, of COUNTER_BITS bits"
#endif

/* CLOCK() may be a sum of plain variables: none of them is kept from before the tail was read. */
static inline uint64_t clock_now(void)
{
	barrier();
	return (uint32_t)CLOCK() & bits_mask(COUNTER_BITS);
}
#define clock_read(label) clock_now()
