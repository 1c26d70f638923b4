// SPDX-License-Identifier: MIT
/*
 * migrate: threads that move between CPUs and record into the ring of the CPU that they are on:
 * what restartable sections allow. There are more threads than CPUs, so they also preempt each
 * other, and each has interrupts of its own. Between short stretches one of the threads, which may
 * be in the middle of a section, is sent to another CPU.
 */
#include "workloads/hops.h"

static void record(struct engine_thread *thread, uint64_t events)
{
	uint64_t some;

	interrupts_unblock_storm();
	for (; events && !thread->error; events -= some) {
		some = events < HOPS_EVENTS ? events : HOPS_EVENTS;
		hops_record(thread, some);
	}
	interrupts_block_storm();
}

static const struct workload_engine engine = {
	.signals = SIGNALS_TIMED,
	.spread = SPREAD_MOVING,
	.threads_least = 2,
	.threads_most = CHECK_WRITERS_MAX,
	.threads = CHECK_WRITERS_MAX,
	.takes = hops_takes,
	.left_out = "threads of %s cannot move between CPUs; left out",
	.stretch = hops_stretch,
	.record = record,
	.print = hops_print,
	.json = hops_json,
};

/* There is nothing to time: it is for run-stress. */
const struct workload workload_migrate = {
	.name = "migrate",
	.text = "threads move between CPUs, share their rings and preempt and interrupt each other",
	.least = SIZES,
	.engine = &engine,
};
