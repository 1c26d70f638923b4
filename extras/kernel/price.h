/* SPDX-License-Identifier: MIT */
/* What an event of the task costs, with interrupts on and nothing of ours that comes into it. */
#ifndef STAMPEDE_EXTRAS_KERNEL_PRICE_H
#define STAMPEDE_EXTRAS_KERNEL_PRICE_H

#include "extras/kernel/run.h"

/*
 * Fills price->ticks on this CPU, and price->counts if it is asked to and can; `area` is its
 * memory. Negative errno.
 */
int price_take(struct kernel_price *price, uint8_t *area);

#endif
