/* SPDX-License-Identifier: MIT */
/*
 * Executions under C11's memory order (machine.h): writers, their interrupts and a reader on CPUs
 * of their own, which run as far as a choice lets them. A step is an access to shared memory, or a
 * read of the clock, which is one for all CPUs. Before each step another CPU may go on, and a
 * writer may be interrupted: the interrupt is a call, sees what its CPU sees, and returns to the
 * step.
 *
 * A CPU may read the clock before the loads in front of that read have come back. So a read that
 * is not fenced (CLOCK_ORDER) gives the time of its step, or costs one of order_left.delays and
 * gives an earlier one, between reads of other CPUs: as early as its CPU's last read or fence, or
 * the begin or end of an interrupt there. It is never late: what it is for, the claim, leaves its
 * CPU behind it.
 *
 * The row is the counting build (schemes/core/seam.h) with C11's atomics in place of x86-64's
 * instructions, compiled for ThreadSanitizer, whose functions are here (hooks.c): the compiler
 * tells of each access, and of the order that the code asks for.
 */
#pragma once

#include "explore/engine/findings.h"
#include "explore/order/row.h"

struct order_search {
	const struct order_row *row;
	struct budget budget;
	struct ring_config config;
	uint32_t before; /* events recorded before */
	uint32_t full; /* sub-buffers filled before these */
	unsigned int jumps; /* sizes below, of which the clock may jump before it is read */
	const uint64_t *jump;
	bool first_only;
	unsigned int without_oracle;
};

/* Negative errno, after a line on stderr. */
int order_run(const struct order_search *search, struct findings *findings);
