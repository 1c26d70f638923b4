/* SPDX-License-Identifier: MIT */
/*
 * A tracepoint of the kernel's as if it were a row: its writers call power:cpu_frequency, and a
 * tracer that listens to it records its number, in the tracer's own buffer. What each call was
 * between stays here, as struct kernel_call.
 */
#ifndef STAMPEDE_EXTRAS_KERNEL_TRACEPOINT_H
#define STAMPEDE_EXTRAS_KERNEL_TRACEPOINT_H

#include "extras/kernel/run.h"

extern const struct driver tracepoint_row;

/* ns of the clock that calls are timed by: LTTng's, which may be read in an NMI. */
uint64_t tracepoint_now(void);

/* Is this where LTTng gives an event its room and its time? */
bool tracepoint_hit(unsigned long address);

#endif
