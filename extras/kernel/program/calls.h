/* SPDX-License-Identifier: MIT */
/* A tracepoint called under the same interrupts, while a tracer listens to it. */
#ifndef STAMPEDE_EXTRAS_KERNEL_PROGRAM_CALLS_H
#define STAMPEDE_EXTRAS_KERNEL_PROGRAM_CALLS_H

#include "extras/kernel/program/epochs.h"

struct calls {
	/* asked for */
	const char *path; /* where the calls go, for traced.h: overwritten */
	struct epochs epochs; /* its cpus, nested_least, seconds and with_nmi; and what came */
	uint64_t stall_ns; /* of a hardirq that comes into the tracer's reserve; 0: none lasts */
};

/*
 * Epochs until there were as many calls of interrupts as asked for, and all four levels at once, or
 * the time is over. Of each and of each CPU the file gets struct kernel_image, struct kernel_calls,
 * and the calls. An exit code, after a line on stderr.
 */
int calls_run(struct kernel_device *device, struct calls *calls);

#endif
