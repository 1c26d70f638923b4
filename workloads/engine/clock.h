/* SPDX-License-Identifier: MIT */
/*
 * A clock that misbehaves, for real: a run of the checked build reads it in place of the machine's
 * clock (schemes/core/clock.h), while threads record and signals come.
 *
 *   skewed   each CPU's clock is some ticks behind the previous CPU's. One instruction, rdtscp,
 * reads number and clock of the CPU, so that a thread that moves always has one clock or the other.
 * rdtscp waits for earlier loads: the stamps of all rows are fenced. traced   each read by a writer
 * records an event into the ring that it records into, before the clock is read. The reads of that
 * event record none.
 */
#pragma once

#include "workloads/engine/thread.h"

/* Puts the clock that `config` asks for in place. An exit code, after a line on stderr. */
int engine_clock_begin(const struct engine_config *config);
void engine_clock_end(void);

/* The calling thread is about to record, or has; only in between its reads are traced. */
void engine_clock_trace(struct engine_thread *thread);
