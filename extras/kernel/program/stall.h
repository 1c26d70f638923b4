/* SPDX-License-Identifier: MIT */
/* Hardirqs that were made long: a time in the midst of one is of nobody's event. */
#ifndef STAMPEDE_EXTRAS_KERNEL_PROGRAM_STALL_H
#define STAMPEDE_EXTRAS_KERNEL_PROGRAM_STALL_H

#include <stdbool.h>

#include "extras/kernel/run.h"

/* Strictly between a stall's begin and its end? */
static inline bool is_in_stall(const struct kernel_image *image, uint64_t time)
{
	uint64_t i;

	for (i = 0; i < image->stalls && i < KERNEL_STALLS; i++)
		if (time > image->stall_begin_ns[i] && time < image->stall_end_ns[i])
			return true;
	return false;
}

#endif
