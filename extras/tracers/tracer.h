/* SPDX-License-Identifier: MIT */
/*
 * For a tracer that is called from C or C++: the adapter defines `tracer` and is linked with
 * driver.c, which has the workloads, the truth and main(). Adapters in other languages write both
 * files themselves (files.h).
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tracer_calls {
	/* May write into `folder`. Returns 0, or an exit code after a line on stderr; 4 means that
	 * the tracer cannot run here. */
	int (*open)(const char *folder);
	/* Records an event with both numbers. In workload `signals`, nested handlers call it, too.
	 */
	void (*record)(unsigned int stream, uint64_t seq);
	/* The clock that the tracer reads, in the units that its reader reports. */
	uint64_t (*clock)(void);
	/* Called after the last event: flushes, and writes the lines of `decoded`, unless NULL:
	 * then `run` writes them. Returns an exit code. */
	int (*close)(const char *folder, FILE *decoded);
};

extern const struct tracer_calls tracer;

#ifdef __cplusplus
}
#endif
