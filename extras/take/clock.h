/* SPDX-License-Identifier: MIT */
/*
 * The clock of a taken scheme: define CLOCK() before this header to have another one. (The suite
 * has clocks of its own here, which are made of core/local.h.)
 */
#pragma once

#include "schemes/core/clock_real.h"
#include "schemes/core/local.h"

/*
 * A 64-bit counter that never goes back, seen from one thread; TICKS_PER_SECOND(), if it is known.
 */
#ifndef CLOCK
#define CLOCK() clock_real()
#endif

#define clock_now() (__atomic_signal_fence(__ATOMIC_SEQ_CST), CLOCK()) /* nothing of it early */
#define clock_read(label) clock_now()
#define clock_behind(cpu) 0
