// SPDX-License-Identifier: MIT
/* idle: the writer sleeps; what wakes it, and what it writes, is all the row's doing. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/options.h"
#include "workloads/stress_thread.h"
#include "place/ticks.h"

#define RARE_PERIOD_NS 1000000000u
#define PAYLOAD_BYTES 8 /* of an event as tracers have them; the check's own is larger */

/* Wake-ups and CPU time of the calling thread so far. */
static void look(struct idle_phase *now, const struct stress_thread *thread)
{
	struct timespec cpu;
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	now->wakeups = (uint64_t)usage.ru_nvcsw;
	/* Not from rusage, whose times are as old as the last tick. */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	now->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
	now->beats = thread->buffer.writer.entered[CONTEXT_BEAT];
	now->events = thread->buffer.writer.entered[CONTEXT_TASK];
}

/* True at `until`; false if a signal came before. */
static bool sleep_until(uint64_t until_ns)
{
	struct timespec until = { .tv_sec = (time_t)(until_ns / 1000000000u),
				  .tv_nsec = (long)(until_ns % 1000000000u) };

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != EINTR;
}

/* Sleeps until the phase ends; events at half past each second of the second phase. */
static void record_idle(struct stress_thread *thread, uint64_t events)
{
	double rare_seconds = thread->config->rare_seconds;
	uint64_t rare_ns = thread->deadline_ns - (uint64_t)(rare_seconds * 1e9);
	uint64_t begin = time_ns(), due, end, asked = 0;
	bool rare = begin + 1000000 >= rare_ns && rare_seconds > 0;
	struct idle_phase *phase = &thread->result.idle[rare], before, after;
	struct buffer *buffer = &thread->buffer;

	(void)events;
	end = rare || rare_ns > thread->deadline_ns ? thread->deadline_ns : rare_ns;
	due = rare ? begin + RARE_PERIOD_NS / 2 : UINT64_MAX;
	look(&before, thread);
	while (!stress_stop && time_ns() < end) {
		if (!sleep_until(due < end ? due : end))
			continue;
		asked++;
		if (due >= end)
			continue;
		buffer->driver->run(buffer->scheme, &buffer->writer, 1);
		due += RARE_PERIOD_NS;
	}
	look(&after, thread);
	phase->seconds += (double)(time_ns() - begin) / 1e9;
	phase->events += after.events - before.events;
	phase->beats += after.beats - before.beats;
	phase->wakeups += after.wakeups - before.wakeups;
	/* The writer's own alarms are not the scheme's doing. */
	phase->wakeups -= asked < phase->wakeups ? asked : phase->wakeups;
	phase->cpu_ns += after.cpu_ns - before.cpu_ns;
	/* The round ends with the phase, whatever the engine thinks of its length. */
	thread->round_end_ns = 0;
}

/* The phase is one round of one epoch. */
static void drained(struct stress_thread *thread, const struct check *check)
{
	bool rare = thread->result.idle[1].seconds > 0;

	thread->result.idle[rare].bytes = check->header_bytes + check->events * PAYLOAD_BYTES;
}

static void no_interrupt(struct stress_thread *thread, unsigned int level)
{
	(void)thread;
	(void)level;
}

const struct stress_ops stress_ops_idle = {
	.whole_ring = true,
	.record = record_idle,
	.drained = drained,
	.interrupt = no_interrupt,
};
