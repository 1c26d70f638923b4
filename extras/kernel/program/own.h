/* SPDX-License-Identifier: MIT */
/* The kernel's own ring buffer under the same interrupts: what its reader says, against windows. */
#ifndef STAMPEDE_EXTRAS_KERNEL_PROGRAM_OWN_H
#define STAMPEDE_EXTRAS_KERNEL_PROGRAM_OWN_H

#include "extras/kernel/program/epochs.h"

struct own {
	/* asked for */
	struct epochs epochs; /* its cpus, nested_least, seconds and with_nmi; and what came */
	uint64_t stall_ns; /* of a hardirq that comes into a reserve; 0: none lasts */

	/* found */
	uint64_t raw_events; /* that our reader took from sub-buffers, and not the kernel's own */
	uint64_t absolutes; /* stamps before these events */
	uint64_t extends;
	uint64_t zero_deltas; /* events with the time of the one before */
	uint64_t early; /* times before the event's own reserve began */
	uint64_t late; /* and after it ended */
	uint64_t back; /* times before the one of the event before */
	uint64_t
		in_stall; /* times in a stall, during which nobody recorded: whole wraps are lost */
	uint64_t worst_ns;
	uint64_t overrun; /* overwritten before they were read */
	uint64_t unaccounted; /* written, and neither read nor overwritten */
	uint64_t stalls;
};

/* An exit code, after a line on stderr. */
int own_run(struct kernel_device *device, struct own *own);

#endif
