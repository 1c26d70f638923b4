/* SPDX-License-Identifier: MIT */
/*
 * Counting instructions by single-stepping (EFLAGS.TF): exact, the same on every machine, and to be
 * had where the CPU's counters are not, at some ten microseconds each.
 */
#pragma once

#include "judge/driver.h"

/*
 * User-mode instructions per event of a row of the timed build, the loop included: of a plain
 * event, and the share of a sub-buffer's switch. Not in it: what an event pays for the time that
 * stepping takes, such as the extension after a wrap: the clock of the stepped code stands still
 * but for a few ticks per read. Each iteration of a rep instruction counts. Negative where
 * single-step is not to be had. The rseq area is taken from the kernel meanwhile (parts/restart.h).
 */
double steps_per_event(const struct driver *driver);
