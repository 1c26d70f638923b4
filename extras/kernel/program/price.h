/* SPDX-License-Identifier: MIT */
/* Prices in the kernel: rows, and what they are made of. */
#pragma once

#include "extras/kernel/program/epochs.h"

/*
 * Prints a line for each of `rows`; an exit code. `counted`: a tick of this machine's clock is an
 * instruction, by an emulator that counts them; else an emulator has no prices, and is refused.
 */
int price_run(struct kernel_device *device, const struct driver *const *rows, int count,
	      bool counted);
