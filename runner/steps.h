/* SPDX-License-Identifier: MIT */
/*
 * Counting instructions by single-stepping (EFLAGS.TF): exact, the same on every machine, and to be
 * had where the CPU's counters are not, at some ten microseconds each.
 */
#ifndef STAMPEDE_RUNNER_STEPS_H
#define STAMPEDE_RUNNER_STEPS_H

#include "driver.h"

/*
 * User-mode instructions per event of a row of the timed build, averaged over a whole sub-buffer
 * with its switch, the loop included. Negative where single-step is not to be had.
 */
double steps_per_event(const struct driver *driver);

#endif
