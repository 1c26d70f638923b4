/* SPDX-License-Identifier: MIT */
/*
 * Workload `every`: a signal at every instruction of an event, on a virtual clock. FOLDER/page is
 * shared by the driver, by vclock.so in all programs of the tracer, and by judge-tracer, which
 * reads it if the driver ended early.
 */
#pragma once

#include <stdint.h>

#define EVERY_PAGE_BYTES 4096
#define EVERY_FIRST 10 /* plans from this on interrupt the first event of a thread */

enum every_state {
	EVERY_UNUSED, /* the driver has not begun, or the workload is another */
	EVERY_RUNS,
	EVERY_DONE,
	EVERY_NO_TRAP, /* this kernel or machine does not step */
	EVERY_READS_TSC, /* at pc, though adapter.json has another clock */
	EVERY_FORKS, /* a process began below record(); before pc */
	EVERY_ENDLESS, /* more instructions in an event than the limit, or it waits for ever; at pc
			*/
};

struct every_page {
	uint64_t clock; /* ns or ticks; 0: programs read the real clocks. An atomic add reads it */
	uint64_t realtime; /* ns to add for the clocks that are set to the time of day */
	uint64_t state;
	uint64_t pc, steps; /* of the event that is stepped */
	uint32_t at[3]; /* PLAN:K:L, as judge-tracer --at has it */
	int32_t owner; /* the thread that is stepped */
	uint32_t masked; /* it blocks signals, so no handler can run there */
};

/*
 * Runs all plans and writes FOLDER/truth, FOLDER/plans and FOLDER/maps. Returns an exit code; why
 * it is not 0 is in the page.
 */
int every_run(const char *folder);
