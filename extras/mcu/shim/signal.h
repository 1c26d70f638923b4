/* SPDX-License-Identifier: MIT */
/* The signals that stand for interrupts are interrupts here, and blocked all at once. */
#pragma once

#include "extras/mcu/cpu.h"

typedef uint32_t sigset_t;
enum { SIG_BLOCK, SIG_SETMASK };

static inline __attribute__((always_inline)) int pthread_sigmask(int how, const sigset_t *set,
								 sigset_t *old)
{
	if (how == SIG_BLOCK)
		*old = cpu_mask();
	else
		cpu_unmask(*set);
	return 0;
}
