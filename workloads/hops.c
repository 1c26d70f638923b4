// SPDX-License-Identifier: MIT
#include "workloads/hops.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>

#include "base/fail.h"

bool hops_takes(const struct driver *driver)
{
	return driver->join;
}

/* As many signals on each CPU as one thread of its own would have. */
double hops_stretch(const struct engine_config *config)
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
	engine_own(struct hops, &thread->result)->asked++;
	return 0;
}

void hops_record(struct engine_thread *thread, uint64_t events)
{
	if (rng_next(&thread->random) % 4 == 0)
		thread->error = hop(thread);
	/* It may be on another CPU at once: the section finds out, and the scheme goes on. */
	thread->scheme = thread->group->by_cpu[sched_getcpu()];
	engine_record(thread, events);
}

void hops_print(FILE *out, const struct engine_result *result)
{
	fprintf(out,
		"  threads moved %" PRIu64 " times, writers found themselves on another CPU "
		"%" PRIu64 " times, sections restarted %" PRIu64 "\n",
		engine_own(struct hops, result)->asked, result->moves, result->restarts);
}

void hops_json(json_t *into, const struct engine_config *config, const struct engine_result *result)
{
	const struct hops *hops = engine_own(struct hops, result);

	(void)config;
	json_object_set_new(into, "hops", json_integer((json_int_t)hops->asked));
	json_object_set_new(into, "moves", json_integer((json_int_t)result->moves));
}
