// SPDX-License-Identifier: MIT
/*
 * idle: the writer sleeps; what wakes it, and what it writes, is all the row's doing. In the first
 * phase there is no event at all, in the second one per second.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>

#include "base/time.h"
#include "workloads/engine/thread.h"

#define RARE_PERIOD_NS 1000000000u
#define PAYLOAD_BYTES 8 /* of an event as tracers have them; the check's own is larger */
#define PHASES 2

/* What a quiet machine has to do for a row. */
struct phase {
	double seconds;
	uint64_t events; /* the beats' own not counted */
	uint64_t beats;
	uint64_t wakeups; /* voluntary context switches but for the writer's own alarms */
	uint64_t cpu_ns; /* user and system */
	uint64_t bytes; /* of records, their headers included */
};

struct phases {
	struct phase phase[PHASES];
};

/* Wake-ups and CPU time of the calling thread so far. */
static void look(struct phase *now, const struct engine_thread *thread)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	now->wakeups = (uint64_t)usage.ru_nvcsw;
	/* Not from rusage, whose times are as old as the last tick. */
	now->cpu_ns = cpu_time_ns();
	now->beats = thread->writer->entered[CONTEXT_BEAT];
	now->events = thread->writer->entered[CONTEXT_TASK];
}

/* True at `until`; false if a signal came before. */
static bool sleep_until(uint64_t until_ns)
{
	struct timespec until = { .tv_sec = (time_t)(until_ns / 1000000000u),
				  .tv_nsec = (long)(until_ns % 1000000000u) };

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != EINTR;
}

/* Until `end`, with an event at half past each second if they are wanted. Returns own alarms. */
static uint64_t sleep_through(struct engine_thread *thread, uint64_t end, bool rare)
{
	uint64_t due = rare ? time_ns() + RARE_PERIOD_NS / 2 : UINT64_MAX, alarms = 0;

	while (!workload_stop && time_ns() < end) {
		if (!sleep_until(due < end ? due : end))
			continue;
		alarms++;
		if (due >= end)
			continue;
		engine_record(thread, 1);
		due += RARE_PERIOD_NS;
	}
	return alarms;
}

static void record(struct engine_thread *thread, uint64_t events)
{
	double last_seconds = thread->config->last_seconds;
	uint64_t rare_ns = thread->deadline_ns - (uint64_t)(last_seconds * 1e9), alarms;
	uint64_t begin = time_ns();
	bool rare = begin + 1000000 >= rare_ns && last_seconds > 0;
	struct phase *phase = &((struct phases *)engine_own(thread))->phase[rare], before, after;

	(void)events;
	look(&before, thread);
	alarms = sleep_through(
		thread, rare || rare_ns > thread->deadline_ns ? thread->deadline_ns : rare_ns,
		rare);
	look(&after, thread);
	phase->seconds += (double)(time_ns() - begin) / 1e9;
	phase->events += after.events - before.events;
	phase->beats += after.beats - before.beats;
	phase->wakeups += after.wakeups - before.wakeups;
	/* The writer's own alarms are not the scheme's doing. */
	phase->wakeups -= alarms < phase->wakeups ? alarms : phase->wakeups;
	phase->cpu_ns += after.cpu_ns - before.cpu_ns;
	/* The round ends with the phase, whatever the engine thinks of its length. */
	thread->round_end_ns = 0;
}

/* The phase is one round of one epoch. */
static void drained(struct engine_thread *thread, const struct check *check)
{
	struct phases *phases = engine_own(thread);
	bool rare = phases->phase[1].seconds > 0;

	phases->phase[rare].bytes = check->header_bytes + check->events * PAYLOAD_BYTES;
}

static void interrupt(struct engine_thread *thread, unsigned int level)
{
	(void)thread;
	(void)level;
}

/* Of several threads the last one is reported. */
static void merge(void *sum, const void *one)
{
	const struct phases *from = one;
	struct phases *to = sum;
	unsigned int i;

	for (i = 0; i < PHASES; i++)
		if (from->phase[i].seconds > 0)
			to->phase[i] = from->phase[i];
}

static void print(FILE *out, const struct engine_result *result)
{
	static const char *const names[PHASES] = { "no event", "one event per second" };
	const struct phase *phase = ((const struct phases *)(const void *)result->own)->phase;
	unsigned int i;

	for (i = 0; i < PHASES; i++, phase++)
		if (phase->seconds > 0)
			fprintf(out,
				"  %s, per second: beats %.1f, wake-ups %.1f, CPU %.1f us, "
				"bytes %.1f (%" PRIu64 " events in %.1f s)\n",
				names[i], (double)phase->beats / phase->seconds,
				(double)phase->wakeups / phase->seconds,
				(double)phase->cpu_ns / phase->seconds / 1e3,
				(double)phase->bytes / phase->seconds, phase->events,
				phase->seconds);
}

static void json(json_t *into, const struct engine_config *config,
		 const struct engine_result *result)
{
	static const char *const keys[PHASES] = { "idle_none", "idle_rare" };
	const struct phase *phase = ((const struct phases *)(const void *)result->own)->phase;
	unsigned int i;

	(void)config;
	for (i = 0; i < PHASES; i++, phase++) {
		if (!(phase->seconds > 0))
			continue;
		json_object_set_new(
			into, keys[i],
			json_pack("{s:f, s:I, s:f, s:f, s:f, s:f}", "seconds", phase->seconds,
				  "events", (json_int_t)phase->events, "beats_per_second",
				  (double)phase->beats / phase->seconds, "wakeups_per_second",
				  (double)phase->wakeups / phase->seconds, "cpu_ns_per_second",
				  (double)phase->cpu_ns / phase->seconds, "bytes_per_second",
				  (double)phase->bytes / phase->seconds));
	}
}

static const struct workload_engine engine = {
	.whole_ring = true,
	.timeable = true,
	.own_bytes = sizeof(struct phases),
	.record = record,
	.drained = drained,
	.interrupt = interrupt,
	.merge = merge,
	.print = print,
	.json = json,
};

static const struct workload_form forms[] = {
	{ .section = "idle", .seconds = { 0.1, 0.2, 4 }, .last_seconds = { 0, 0, 3 } },
	{ .section = NULL },
};

const struct workload workload_idle = {
	.name = "idle",
	.text = "no event at all, then one per second: what beats cost a quiet machine",
	.least = SIZE_STANDARD,
	.engine = &engine,
	.forms = forms,
};
