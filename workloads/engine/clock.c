// SPDX-License-Identifier: MIT
#include "workloads/engine/clock.h"

#include <sched.h>
#include <string.h>

#include "base/fail.h"
#include "schemes/core/clock.h"

#define AUX_CPU_BITS 12 /* Linux: what rdtscp gives beside the clock is {node | CPU : 12} */
#define CPUS (1u << AUX_CPU_BITS)

static uint64_t behind[CPUS];

#ifdef __x86_64__
#define READS_CPU 1
static uint64_t read_with_cpu(unsigned int *cpu)
{
	uint64_t low, high;
	uint32_t aux;

	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux) : : "memory");
	*cpu = aux & (CPUS - 1);
	return high << 32 | low;
}
#else
#define READS_CPU 0
static uint64_t read_with_cpu(unsigned int *cpu)
{
	*cpu = 0;
	return clock_real();
}
#endif

static uint64_t skewed_now(void)
{
	unsigned int cpu;
	uint64_t ticks = read_with_cpu(&cpu);

	return ticks - behind[cpu];
}

static uint64_t skewed_fenced(void)
{
	uint64_t ticks;

	(void)clock_real_fenced();
	ticks = skewed_now();
	(void)clock_real_fenced();
	return ticks;
}

static const struct clock_replacement skewed = {
	.now = skewed_now,
	.fenced = skewed_fenced,
	.behind = behind,
};

/* ---- traced ---- */

/* Of the thread: who records, whether its clock does now, and what its last event was. */
static __thread struct engine_thread *tracer;
static __thread bool tracing;
static __thread uint64_t reads, finished;

/* Events that this thread's writer is done with, but for those of its clock. */
static uint64_t events_done(const struct engine_thread *thread)
{
	const struct writer *writer = thread->writer;
	uint64_t done = 0;
	unsigned int context;

	for (context = 0; context < CONTEXTS; context++)
		if (context != CONTEXT_LEVEL_1 + ENGINE_TRACED_LEVEL - 1)
			done += writer->written[context] + writer->failed[context];
	return done;
}

/* Nobody can interrupt a row that blocks signals: its clock cannot record there either. */
static void trace_read(struct engine_thread *thread)
{
	struct engine_traced *traced = &thread->result.traced;
	uint64_t done = events_done(thread);

	if (done != finished)
		reads = 0;
	finished = done;
	if (reads > ENGINE_READS_MOST || thread->driver->blocks)
		return;
	if (++reads > ENGINE_READS_MOST) {
		traced->let_go++;
		return;
	}
	if (reads > traced->most)
		traced->most = reads;
	tracing = true;
	traced->events++;
	local_add_raw(&thread->asked, 1);
	thread->driver->interrupt(thread->scheme, thread->writer,
				  CONTEXT_LEVEL_1 + ENGINE_TRACED_LEVEL - 1);
	tracing = false;
}

static uint64_t traced_now(void)
{
	if (tracer && !tracing)
		trace_read(tracer);
	return clock_real();
}

static const struct clock_replacement traced = {
	.now = traced_now,
	.fenced = clock_real_fenced,
};

void engine_clock_trace(struct engine_thread *thread)
{
	reads = finished = 0;
	tracer = thread;
	barrier();
}

/* ---- of the run ---- */

/* Some hypervisors show a guest what rdtscp says of the host's CPU. A move in between is tried
 * again. */
static bool reads_this_cpu(void)
{
	unsigned int cpu, tries;

	for (tries = 0; tries < 100; tries++) {
		read_with_cpu(&cpu);
		if ((int)cpu == sched_getcpu())
			return true;
	}
	return false;
}

static int begin_skewed(const struct engine_config *config, unsigned int cpus)
{
	unsigned int i;

	if (!READS_CPU)
		return fail_with(EXIT_UNSUPPORTED,
				 "--skew needs x86-64, whose rdtscp reads clock and CPU at once");
	if (!reads_this_cpu())
		return fail_with(
			EXIT_UNSUPPORTED,
			"--skew needs rdtscp to say which CPU it ran on; here it does not");
	memset(behind, 0, sizeof(behind));
	for (i = 0; i < cpus; i++) {
		if (config->pu[i] >= CPUS)
			return fail_with(EXIT_UNSUPPORTED,
					 "--skew knows CPUs below %u; choose such CPUs with --cpus",
					 CPUS);
		behind[config->pu[i]] = i * config->clock.skew_ticks;
	}
	clock_replacement = &skewed;
	return 0;
}

int engine_clock_begin(const struct engine_config *config)
{
	bool moving = config->workload->engine->spread == SPREAD_MOVING;

	if (config->clock.skew_ticks)
		return begin_skewed(config, moving ? config->cpus : config->threads);
	if (config->clock.traced)
		clock_replacement = &traced;
	return 0;
}

void engine_clock_end(void)
{
	clock_replacement = NULL;
}
