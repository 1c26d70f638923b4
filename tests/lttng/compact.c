// SPDX-License-Identifier: MIT
/*
 * usage: compact CPU...   Records the events of compact_events.h from one thread on each CPU, by
 * turns: bursts, gaps on both sides of 2^27 ns (a wrap of LTTng's compact stamp), and idle seconds.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/lttng/compact_events.h"

#define WRAP_NS (INT64_C(1) << 27)

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void pass(int64_t ns)
{
	uint64_t until = now_ns() + (uint64_t)ns;
	struct timespec at = { .tv_sec = (time_t)((until - 200000) / 1000000000u),
			       .tv_nsec = (long)((until - 200000) % 1000000000u) };

	/* To the microsecond: the end of it spins. */
	if (ns > 400000)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	while (now_ns() < until)
		;
}

static void record(uint32_t number)
{
	static const char text[] = "texts of all lengths up to some thirty";

	if (number % 5 == 1)
		lttng_ust_tracepoint(compact, odd, number, (int16_t) - (int)number);
	else if (number % 11 == 3)
		lttng_ust_tracepoint(compact, text, number, text + number % (sizeof(text) - 1));
	else
		lttng_ust_tracepoint(compact, fixed, number, number * UINT64_C(0x9e3779b97f4a7c15));
}

static void *run(void *arg)
{
	static const int64_t gaps_ns[] = {
		1000,
		WRAP_NS - 60000,
		WRAP_NS - 9000,
		WRAP_NS - 15000,
		WRAP_NS + 9000,
		50000,
		2 * WRAP_NS - 40000,
		WRAP_NS - 5000,
		2 * WRAP_NS + 15000,
		WRAP_NS - 20000,
		WRAP_NS / 2,
		3 * WRAP_NS / 2,
		WRAP_NS,
		INT64_C(2500000000),
	};
	int cpu = *(int *)arg;
	uint32_t number = 1000000u * (uint32_t)(cpu + 1);
	unsigned int round, burst;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set))
		exit(3);
	for (round = 0; round < 2 * sizeof(gaps_ns) / sizeof(gaps_ns[0]); round++) {
		for (burst = 0; burst < 2 + round % 4 * 30; burst++) {
			record(number++);
			pass(burst % 7 ? 2000 : 300000);
		}
		pass(gaps_ns[round % (sizeof(gaps_ns) / sizeof(gaps_ns[0]))]);
	}
	record(number);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];
	int cpus[16], i;

	for (i = 0; i + 1 < argc && i < 16; i++) {
		cpus[i] = atoi(argv[i + 1]);
		if (pthread_create(&threads[i], NULL, run, &cpus[i]))
			return 3;
	}
	while (i--)
		pthread_join(threads[i], NULL);
	return 0;
}
