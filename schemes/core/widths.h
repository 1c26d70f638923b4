/* SPDX-License-Identifier: MIT */
/* Bits of the short time field and of the counter, where a row of schemes.def says nothing. */
#ifndef STAMPEDE_SCHEMES_CORE_WIDTHS_H
#define STAMPEDE_SCHEMES_CORE_WIDTHS_H

#include "schemes/core/seam.h"

#ifndef STAMP_BITS
#define STAMP_BITS 27
#endif
#ifndef COUNTER_BITS
#define COUNTER_BITS 64
#endif

/*
 * A build with a narrower field has a counter that is narrower by as much; what a row cuts stays
 * cut.
 */
#if SEAM_NARROW_BITS && STAMP_BITS < 64
#ifndef LAYOUT_CUT
#define LAYOUT_CUT 0
#endif
enum { ROW_STAMP_BITS = STAMP_BITS, ROW_COUNTER_BITS = COUNTER_BITS };
#if COUNTER_BITS < 64
#undef COUNTER_BITS
#define COUNTER_BITS (ROW_COUNTER_BITS - ROW_STAMP_BITS + SEAM_NARROW_BITS + LAYOUT_CUT)
#endif
#undef STAMP_BITS
#define STAMP_BITS (SEAM_NARROW_BITS + LAYOUT_CUT)
#endif

#endif
