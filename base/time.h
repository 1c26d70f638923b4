/* SPDX-License-Identifier: MIT */
/* The time of the machine, which no stamp is taken from. */
#pragma once

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
