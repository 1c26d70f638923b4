/* SPDX-License-Identifier: MIT */
#pragma once

#include "judge/trapped.h"
#include "tests/support/test.h"

/* Whether this machine traps reads of the clock, so that timed code can be tried; a line if not. */
static inline bool traps_here(void)
{
	if (trapped_begin(NULL, NULL)) {
		trapped_end();
		return true;
	}
	print_message("skipped: this machine does not trap reads of its counter\n");
	return false;
}
