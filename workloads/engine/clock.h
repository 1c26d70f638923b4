/* SPDX-License-Identifier: MIT */
/*
 * A clock that misbehaves, for real: what a run of the checked build puts in the place of the
 * machine's (schemes/core/clock.h), while threads record and signals come.
 *
 *   skewed   each CPU's clock is so many ticks behind that of the CPU before it. Number and clock
 *            of the CPU are read by one instruction, rdtscp, so that a thread that moves has
 *            always one clock or the other. It waits for loads before it: the stamps of all rows
 *            are fenced.
 *   traced   each read by a writer records an event into the ring that it records into, before the
 *            clock is read. The reads of that event record none.
 */
#ifndef STAMPEDE_WORKLOADS_ENGINE_CLOCK_H
#define STAMPEDE_WORKLOADS_ENGINE_CLOCK_H

#include "workloads/engine/thread.h"

/* Puts the clock that `config` asks for in place. An exit code, after a line on stderr. */
int engine_clock_begin(const struct engine_config *config);
void engine_clock_end(void);

/* The calling thread is about to record, or has; only in between its reads are traced. */
void engine_clock_trace(struct engine_thread *thread);

#endif
