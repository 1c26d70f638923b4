/* SPDX-License-Identifier: MIT */
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "judge/trapped.h"
#include "tests/support/test.h"

/* Whether this machine traps reads of the clock, so that timed code can be tried; a line if not. */
static inline bool traps_here(void)
{
	int status;

	if (!fork()) { /* a child that dies tells that the machine traps */
		signal(SIGSEGV, SIG_DFL);
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#ifdef __x86_64__
		_exit(__builtin_ia32_rdtsc() & 0);
#endif
		_exit(0);
	}
	wait(&status);
	assert_int_equal(trapped_begin(NULL, NULL), WIFSIGNALED(status));
	if (!WIFSIGNALED(status))
		print_message("skipped: this machine does not trap reads of its counter\n");
	else
		trapped_end();
	return WIFSIGNALED(status);
}
