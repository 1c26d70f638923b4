/* SPDX-License-Identifier: MIT */
/* What an event of the task costs, with interrupts on and nothing of ours that comes into it. */
#pragma once

#include "extras/kernel/run.h"

/*
 * Fills price->ticks on this CPU, and price->counts if it is asked to and can; `area` is its
 * memory. Negative errno.
 */
int price_take(struct kernel_price *price, uint8_t *area);
