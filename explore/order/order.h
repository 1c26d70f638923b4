/* SPDX-License-Identifier: MIT */
/*
 * Executions under C11's memory order (machine.h): writers, their interrupts and a reader on CPUs
 * of their own, which run as far as a choice lets them. A step is an access to shared memory, or a
 * read of the clock, which is one for all CPUs and in order. Before each step another CPU may go
 * on, and a writer may be interrupted: the interrupt is a call, sees what its CPU sees, and returns
 * to the step.
 *
 * The row is the counting build (schemes/core/seam.h) with C11's atomics in place of x86-64's
 * instructions, compiled for ThreadSanitizer, whose functions are here (hooks.c): the compiler
 * tells of each access, and of the order that the code asks for.
 */
#ifndef STAMPEDE_EXPLORE_ORDER_ORDER_H
#define STAMPEDE_EXPLORE_ORDER_ORDER_H

#include "explore/engine/findings.h"
#include "explore/order/row.h"

struct order_search {
	const struct order_row *row;
	struct budget budget;
	struct ring_config config;
	uint32_t before; /* events recorded before */
	uint32_t full; /* sub-buffers filled before these */
	bool first_only;
	unsigned int without_oracle;
};

/* Negative errno, after a line on stderr. */
int order_run(const struct order_search *search, struct findings *findings);

#endif
