/* SPDX-License-Identifier: MIT */
#pragma once

#include "extras/kernel/shim/shim.h"

#define bit_CMPXCHG16B (1u << 13)

static inline int __get_cpuid(unsigned int leaf, unsigned int *a, unsigned int *b, unsigned int *c,
			      unsigned int *d)
{
	cpuid(leaf, a, b, c, d);
	return 1;
}
