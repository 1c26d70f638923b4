// SPDX-License-Identifier: MIT
/*
 * live_shared: live, with several writers of several CPUs in the ring. With a CPU to spare the
 * reader has it; else it shares the last writer's. Then it comes into that one's records and is
 * itself left in the middle of a copy while both of them write on; writers that shared a CPU would
 * never claim at once, which is what these rows are for.
 *
 * A round lasts some milliseconds for all writers, however slow one of them is beside the reader:
 * who is done with its events first would else wait for the others. The reader makes room
 * meanwhile.
 */
#include "base/time.h"
#include "workloads/live_storm.h"

#define ROUND_NS 10000000

static bool takes(const struct driver *driver)
{
	return driver->desc->shared_promises;
}

static int open(struct engine_group *group)
{
	const struct engine_config *config = group->config;

	return live_storm_open(
		group,
		config->pu[config->threads < config->cpus ? config->threads : config->threads - 1]);
}

static void record(struct engine_thread *thread, uint64_t events)
{
	uint64_t epoch_end_ns = thread->round_end_ns, end_ns = time_ns() + ROUND_NS;

	if (end_ns < epoch_end_ns)
		thread->round_end_ns = end_ns;
	while (time_ns() < thread->round_end_ns && !workload_stop)
		live_storm_record(thread, events);
	thread->round_end_ns = epoch_end_ns;
}

static const struct workload_engine engine = {
	.signals = SIGNALS_TIMED,
	.spread = SPREAD_SHARED,
	.threads_least = 2,
	.threads_most = CHECK_WRITERS_MAX,
	.threads = 2,
	.two_cpus = true,
	.reader = true,
	.takes = takes,
	.left_out = "%s is for the writers of one CPU; left out",
	.no_export = "its reader takes sub-buffers before they could be exported",
	.state_bytes = sizeof(struct engine_live),
	.open = open,
	.close = live_storm_close,
	.record = record,
	.interrupt = live_storm_interrupt,
	.in_vain = live_storm_in_vain,
	.print = live_storm_print,
	.json = live_storm_json,
};

/* There is nothing to time: it is for run-stress. */
const struct workload workload_live_shared = {
	.name = "live_shared",
	.text = "a reader takes sub-buffers while writers of several CPUs record into one ring",
	.least = SIZES,
	.engine = &engine,
};
