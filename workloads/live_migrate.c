// SPDX-License-Identifier: MIT
/*
 * live_migrate: migrate, with a reader of each CPU's ring on the other CPU. So both readers share
 * their CPUs with the writers, come into the middle of records and are left in the middle of a
 * copy, while threads that preempt each other move from ring to ring. The thread of a ring's number
 * looks after its reader: it closes what is half full only when it is on that ring's CPU itself.
 */
#include "base/time.h"
#include "workloads/hops.h"
#include "workloads/live_storm.h"

static int open_readers(struct engine_group *group)
{
	struct engine_live *lives = group->state;
	const struct engine_config *config = group->config;
	unsigned int i;

	for (i = 0; i < group->ring_count; i++)
		live_storm_give(&group->threads[i], &lives[i], &group->rings[i],
				config->pu[(i + 1) % config->cpus]);
	return 0;
}

static void close_readers(struct engine_group *group)
{
	struct engine_live *lives = group->state;
	unsigned int i;

	for (i = 0; i < group->ring_count; i++)
		engine_live_close(&lives[i]);
}

/* Readers make room, so it is time that ends it. */
static void record(struct engine_thread *thread, uint64_t events)
{
	(void)events;
	while (!thread->error && time_ns() < thread->round_end_ns && !workload_stop) {
		interrupts_unblock_storm();
		hops_record(thread, HOPS_EVENTS);
		interrupts_block_storm();
		live_storm_tend(thread);
	}
}

static void print(FILE *out, const struct engine_result *result)
{
	hops_print(out, result);
	live_storm_print(out, result);
}

static void json(json_t *into, const struct engine_config *config,
		 const struct engine_result *result)
{
	hops_json(into, config, result);
	live_storm_json(into, config, result);
}

static const struct workload_engine engine = {
	.signals = SIGNALS_TIMED,
	.spread = SPREAD_MOVING,
	.threads_least = 2,
	.threads_most = CHECK_WRITERS_MAX,
	.threads = CHECK_WRITERS_MAX,
	.two_cpus = true,
	.reader = true,
	.takes = hops_takes,
	.left_out = "threads of %s cannot move between CPUs; left out",
	.no_export = "its readers take sub-buffers before they could be exported",
	.stretch = hops_stretch,
	.state_bytes = CHECK_WRITERS_MAX * sizeof(struct engine_live),
	.open = open_readers,
	.close = close_readers,
	.record = record,
	.interrupt = live_storm_interrupt,
	.in_vain = live_storm_in_vain,
	.print = print,
	.json = json,
};

/* There is nothing to time: it is for run-stress. */
const struct workload workload_live_migrate = {
	.name = "live_migrate",
	.text = "readers on other CPUs take sub-buffers while threads move between their rings",
	.least = SIZES,
	.engine = &engine,
};
