/* SPDX-License-Identifier: MIT */
/*
 * A tracer that is called from C or C++: an adapter defines `tracer`, and its program is made of
 * that and driver.c, which has the workloads, the truth and main(). Other languages write both
 * files themselves (files.h).
 */
#ifndef STAMPEDE_EXTRAS_TRACERS_TRACER_H
#define STAMPEDE_EXTRAS_TRACERS_TRACER_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tracer_calls {
	/* `folder` is there for what it writes. 0; an exit code after a line on stderr: 4 cannot be
	 * here. */
	int (*open)(const char *folder);
	/* One event with both numbers in it. `signals` adapters: also from handlers, nested. */
	void (*record)(unsigned int stream, uint64_t seq);
	/* The clock that the tracer reads, in the units that its reader gives. */
	uint64_t (*clock)(void);
	/* All is recorded: flushes, and writes the lines of `decoded`. NULL: `run` does. An exit
	 * code. */
	int (*close)(const char *folder, FILE *decoded);
};

extern const struct tracer_calls tracer;

#ifdef __cplusplus
}
#endif

#endif
