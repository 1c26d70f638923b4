/* SPDX-License-Identifier: MIT */
/* The rate of the clock that stamps are taken from. */
#pragma once

/* Ticks of clock_real() per second; measured at the first call, which takes 50 ms. */
double ticks_hz(void);

/* The rate that another process measured: ticks_hz() then takes no time. */
void ticks_set_hz(double hz);

/* How ticks_hz() was found, in words. */
const char *ticks_source(void);
