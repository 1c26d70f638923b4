/* SPDX-License-Identifier: MIT */
/*
 * The machine's clock, trapped: between begin and end each rdtsc of this thread gives
 * virtual_clock.now and moves it by virtual_clock.step, so that the very code that is timed runs on
 * the virtual clock. Linux on x86-64 alone can (prctl PR_SET_TSC). Code that reads the time of day
 * in between gets nonsense. Restartable sections must be detached (parts/restart.h): the kernel
 * would start them over at each read.
 */
#pragma once

#include <stdbool.h>

/* `hook` is called before each read, not while it runs itself; may be NULL. False: cannot be had.
 */
bool trapped_begin(void (*hook)(void *arg), void *arg);
void trapped_end(void);
