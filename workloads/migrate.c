// SPDX-License-Identifier: MIT
/*
 * migrate: threads that move between CPUs and record into the ring of the CPU that they are on:
 * what restartable sections allow. There are more threads than CPUs, so they also preempt each
 * other, and each has interrupts of its own. Between short stretches one of the threads, which may
 * be in the middle of a section, is sent to another CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>

#include "base/fail.h"
#include "workloads/engine_thread.h"

#define STRETCH_EVENTS 300

struct hops {
	uint64_t asked; /* moves of any thread */
};

static bool takes(const struct driver *driver)
{
	return driver->join;
}

/* As many signals on each CPU as one thread of its own would have. */
static double stretch(const struct engine_config *config)
{
	return (double)config->threads / config->cpus;
}

/* Moves some thread to some CPU, wherever it stands. */
static int hop(struct engine_thread *thread)
{
	const struct engine_config *config = thread->config;
	uint64_t random = rng_next(&thread->random);
	const struct engine_thread *moved =
		&thread->group->threads[(random >> 32) % config->threads];
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(config->pu[(random >> 16) % config->cpus], &set);
	if (sched_setaffinity(moved->signals.interrupts.tid, sizeof(set), &set))
		return fail_with(EXIT_RESOURCE, "cannot move a thread to another CPU: %s",
				 strerror(errno));
	((struct hops *)engine_own(thread))->asked++;
	return 0;
}

static void record(struct engine_thread *thread, uint64_t events)
{
	uint64_t some;

	interrupts_unblock_storm();
	for (; events && !thread->error; events -= some) {
		some = events < STRETCH_EVENTS ? events : STRETCH_EVENTS;
		if (rng_next(&thread->random) % 4 == 0)
			thread->error = hop(thread);
		/*
		 * It may be on another CPU at once: the section finds out, and the scheme goes on.
		 */
		thread->scheme = thread->group->by_cpu[sched_getcpu()];
		engine_record(thread, some);
	}
	interrupts_block_storm();
}

static void merge(void *sum, const void *one)
{
	((struct hops *)sum)->asked += ((const struct hops *)one)->asked;
}

static void print(FILE *out, const struct engine_result *result)
{
	const struct hops *hops = (const void *)result->own;

	fprintf(out,
		"  threads moved %" PRIu64 " times, writers found themselves on another CPU "
		"%" PRIu64 " times, sections made to start over %" PRIu64 "\n",
		hops->asked, result->moves, result->restarts);
}

static void json(json_t *into, const struct engine_config *config,
		 const struct engine_result *result)
{
	const struct hops *hops = (const void *)result->own;

	(void)config;
	json_object_set_new(into, "hops", json_integer((json_int_t)hops->asked));
	json_object_set_new(into, "moves", json_integer((json_int_t)result->moves));
}

static const struct workload_engine engine = {
	.signals = SIGNALS_TIMED,
	.spread = SPREAD_MOVING,
	.threads_least = 2,
	.threads_most = CHECK_WRITERS_MAX,
	.threads = CHECK_WRITERS_MAX,
	.takes = takes,
	.left_out = "threads of %s cannot move between CPUs; left out",
	.stretch = stretch,
	.own_bytes = sizeof(struct hops),
	.record = record,
	.merge = merge,
	.print = print,
	.json = json,
};

/* There is nothing to time: it is for run-stress. */
const struct workload workload_migrate = {
	.name = "migrate",
	.text = "threads move between CPUs, share their rings and preempt and interrupt each other",
	.least = SIZES,
	.engine = &engine,
};
