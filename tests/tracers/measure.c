// SPDX-License-Identifier: MIT
/* A tracer that spins in each event, and says how many there were, and by which signals and how
 * deeply driver.c nests them; FOLDER/clock has a letter for each. */
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "extras/tracers/tracer.h"

#define MOST 100000

static struct {
	uint64_t stream, seq, time;
} events[MOST];
static uint64_t count, deepest, masks; /* a bit for each set of three signals */
static FILE *clock_set;
static __thread uint64_t inside;
static uint64_t slept;

/* Skips a pause, and moves the clock on by a thousand times as much. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	slept += 1000 * ((uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec);
	return 0;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec + slept;
}

static void record(unsigned int stream, uint64_t seq)
{
	const uint64_t begin = now(), at = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);

	sigset_t set;

	if (++inside > deepest)
		deepest = inside;
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	masks |= 1 << (sigismember(&set, SIGRTMIN) + 2 * sigismember(&set, SIGRTMIN + 1) +
		       4 * sigismember(&set, SIGRTMIN + 2));
	if (clock_set) {
		putc('.', clock_set);
		fflush(clock_set);
	}
	if (at < MOST) {
		events[at].stream = stream;
		events[at].seq = seq;
		events[at].time = begin;
	}
	/* The second thread is done first. */
	while (now() - begin < (stream ? 25000 : 30000 + seq % 2 * 1000))
		;
	inside--;
}

static int open_nothing(const char *folder)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/clock", folder);
	clock_set = fopen(path, "r+");
	return 0;
}

static int say(const char *folder, FILE *decoded)
{
	uint64_t i;

	printf("%s: %llu events, masks %llx, %llu deep\n", folder, (unsigned long long)count,
	       (unsigned long long)masks, (unsigned long long)deepest);
	for (i = 0; i < count && i < MOST; i++)
		fprintf(decoded, "event %llu %llu %llu\n", (unsigned long long)events[i].stream,
			(unsigned long long)events[i].seq, (unsigned long long)events[i].time);
	return 0;
}

const struct tracer_calls tracer = { open_nothing, record, now, say };
