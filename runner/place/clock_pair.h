/* SPDX-License-Identifier: MIT */
/* The counter that stamps are taken from and the clocks of the machine, read together. */
#pragma once

#include "base/wall.h"

#include <stdbool.h>

/*
 * Reads both clocks between readings of the counter, some times over, and keeps the tightest.
 * pair->error_ns is half of the wider of its two intervals, a tick and 1 ns of rounding: more if
 * the thread was interrupted each time. Some us: to be called between sub-buffers, not between
 * events. The first call measures ticks_hz(), which takes 50 ms. False: the counter went back in
 * each try.
 */
bool clock_pair_take(struct clock_pair *pair);

/*
 * By how many ns CLOCK_REALTIME was set forward (or back: negative) from a to b: as much as it
 * moved otherwise than CLOCK_MONOTONIC. 0 if it is within the pairs' errors.
 */
int64_t clock_pair_set(const struct clock_pair *a, const struct clock_pair *b);
