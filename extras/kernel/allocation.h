/* SPDX-License-Identifier: MIT */
/* Allocations that fail when they are told to: kernels that people run have no fault injection. */
#ifndef STAMPEDE_EXTRAS_KERNEL_ALLOCATION_H
#define STAMPEDE_EXTRAS_KERNEL_ALLOCATION_H

#include <linux/types.h>

/* Asked before each allocation of the module: is it the one that the parameter fail_at names? */
bool allocation_fails(void);

#endif
