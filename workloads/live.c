// SPDX-License-Identifier: MIT
/*
 * live: a reader on another CPU takes sub-buffers while the writer records and signals interrupt
 * it. It polls in one epoch and sleeps in the next; a sub-buffer that is open for too long is
 * closed by a timer's handler, or, where the row lets none in, by the writer between two stretches.
 */
#include "workloads/live_storm.h"

static bool takes(const struct driver *driver)
{
	return LIVE_STORES_IN_ORDER || !driver->publishes;
}

static int open(struct engine_group *group)
{
	return live_storm_open(group, group->config->pu[1]);
}

static const struct workload_engine engine = {
	.signals = SIGNALS_TIMED,
	.threads_least = 1,
	.threads_most = 1,
	.two_cpus = true,
	.reader = true,
	.takes = takes,
	.left_out = "%s has no commits: read while it is written on x86-64 alone; left out",
	.no_export = "its reader takes sub-buffers before they could be exported",
	.state_bytes = sizeof(struct engine_live),
	.open = open,
	.close = live_storm_close,
	.record = live_storm_record,
	.interrupt = live_storm_interrupt,
	.in_vain = live_storm_in_vain,
	.print = live_storm_print,
	.json = live_storm_json,
};

const struct workload workload_live = {
	.name = "live",
	.text = "a reader on another CPU takes sub-buffers while the writer is interrupted",
	.least = SIZE_FULL,
	.engine = &engine,
	.forms = { { .section = "stress", .seconds = { 0.3, 1, 2 } } },
};
