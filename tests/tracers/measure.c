// SPDX-License-Identifier: MIT
/* A tracer that spins in each event, and says how deeply the workloads of driver.c nest them. */
#include <stdio.h>
#include <time.h>

#include "extras/tracers/tracer.h"

#define MOST 100000

static struct {
	uint64_t stream, seq, time;
} events[MOST];
static uint64_t count, deepest;
static __thread uint64_t inside;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void record(unsigned int stream, uint64_t seq)
{
	const uint64_t begin = now(), at = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);

	if (++inside > deepest)
		deepest = inside;
	if (at < MOST) {
		events[at].stream = stream;
		events[at].seq = seq;
		events[at].time = begin;
	}
	while (now() - begin < 30000)
		;
	inside--;
}

static int open_nothing(const char *folder)
{
	return !folder;
}

static int say(const char *folder, FILE *decoded)
{
	uint64_t i;

	printf("%s: %llu deep\n", folder, (unsigned long long)deepest);
	for (i = 0; i < count && i < MOST; i++)
		fprintf(decoded, "event %llu %llu %llu\n", (unsigned long long)events[i].stream,
			(unsigned long long)events[i].seq, (unsigned long long)events[i].time);
	return 0;
}

const struct tracer_calls tracer = { open_nothing, record, now, say };
