/* SPDX-License-Identifier: MIT */
/*
 * The hard mask (schemes/parts/mask.h), where interrupts are no signals: what a program blocks by
 * two system calls, this CPU's interrupts, is off and on again. An NMI comes all the same.
 */
#pragma once

#include "extras/kernel/shim/shim.h"

struct mask_flags {
	unsigned long flags;
};
#define sigset_t struct mask_flags

enum { SIG_BLOCK, SIG_SETMASK };

static __always_inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *saved)
{
	if (how == SIG_BLOCK)
		local_irq_save(saved->flags);
	else
		local_irq_restore(set->flags);
	return 0;
}
