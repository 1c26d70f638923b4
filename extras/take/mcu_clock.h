/* SPDX-License-Identifier: MIT */
/*
 * The clock of a scheme that is taken for a board: a counter of the program's, of COUNTER_BITS. It
 * may be a sum of plain variables; none of them is kept from before the tail was read.
 */
#pragma once

#include "schemes/core/local.h"

#ifndef CLOCK
#error "define CLOCK() before this header: a counter that goes up, of COUNTER_BITS bits"
#endif

#define clock_now() \
	(__atomic_signal_fence(__ATOMIC_SEQ_CST), \
	 (uint64_t)((uint32_t)CLOCK() & (uint32_t)bits_mask(COUNTER_BITS)))
#define clock_read(label) clock_now()
