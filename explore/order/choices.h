/* SPDX-License-Identifier: MIT */
/*
 * An execution is the sequence of its choices. The search goes through all sequences, depth first.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "explore/engine/budget.h"

/* One of `count`, and of *more behind these (NULL: none), which may grow until all are tried. */
unsigned int choose(unsigned int count, const uint8_t *more);

/* Nothing was chosen yet. */
void choices_begin(void);

/* Begins the next execution; false after the last one. */
bool choices_next(void);

/* The same execution once more. */
void choices_again(void);

/* ---- the execution that runs (order.c) ---- */

extern bool order_running; /* does one? */
extern struct budget order_left; /* of its budget */

/* The running CPU is about to take a step. */
void order_step(void);

/* How many CPUs beside it have not ended. */
unsigned int order_others(void);

/* The running CPU's read of the clock. */
uint64_t order_clock(bool fenced);

/* The running CPU's next read of the clock does not come before what comes now. */
void order_clock_waits(void);

/* The execution ends without being one: nothing of it counts. */
_Noreturn void order_abandon(void);

/* Says what was chosen, in the execution that is told. */
void order_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
