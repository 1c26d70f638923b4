/* SPDX-License-Identifier: MIT */
/* The rate of the clock that stamps are taken from, and wall time. */
#ifndef STAMPEDE_RUNNER_TICKS_H
#define STAMPEDE_RUNNER_TICKS_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, ns. */
static inline uint64_t time_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* CPU time of the calling thread, ns: does not run while another process has the CPU. */
static inline uint64_t cpu_time_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Ticks of clock_real() per second; measured at the first call, which takes 50 ms. */
double ticks_hz(void);

/* What another process measured: ticks_hz() then takes no time. */
void ticks_set_hz(double hz);

/* How ticks_hz() was found, in words. */
const char *ticks_source(void);

#endif
