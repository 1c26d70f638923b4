// SPDX-License-Identifier: MIT
/*
 * live: a reader on another CPU takes sub-buffers while the writer records and signals interrupt
 * it. It polls in one epoch and sleeps in the next; a sub-buffer that is open for too long is
 * closed by a timer's handler, or, where the row lets none in, by the writer between two stretches.
 */
#include <inttypes.h>
#include <string.h>

#include "base/time.h"
#include "workloads/engine_live.h"
#include "workloads/live_price.h"

#define STRETCH_EVENTS 256 /* between two looks at what was closed */
#define FLUSH_NS 2000000
#define FLUSH_LEVEL 3
#define STOP_EVERY 500 /* stretches, about */

static bool takes(const struct driver *driver)
{
	return LIVE_STORES_IN_ORDER || !driver->publishes;
}

static bool handlers_flush(const struct engine_thread *thread)
{
	const struct driver *driver = thread->driver;

	return !driver->defers && !driver->blocks && !driver->busy(thread->scheme);
}

static int open(struct engine_group *group)
{
	struct engine_thread *thread = &group->threads[0];
	struct engine_live *live = group->state;

	*live = (struct engine_live){ .writer = thread, .pu = group->config->pu[1] };
	thread->live = live;
	return 0;
}

static void end(struct engine_group *group)
{
	engine_live_close(group->state);
}

static void record(struct engine_thread *thread, uint64_t events)
{
	uint64_t some;

	for (; events && time_ns() < thread->round_end_ns && !workload_stop; events -= some) {
		some = events < STRETCH_EVENTS ? events : STRETCH_EVENTS;
		engine_record_storm(thread, some);
		engine_live_flush(thread->live, 2 * FLUSH_NS);
		engine_live_closed(thread->live);
		if (!(rng_next(&thread->random) % STOP_EVERY))
			engine_live_stop(thread->live);
	}
}

static void interrupt(struct engine_thread *thread, unsigned int level)
{
	if (level == FLUSH_LEVEL && handlers_flush(thread))
		engine_live_flush(thread->live, FLUSH_NS);
	engine_storm(thread, level);
}

static void merge(void *sum, const void *one)
{
	memcpy(sum, one, sizeof(struct live_result));
}

/* A commit that is lost where a need was not met leaves the reader before that sub-buffer for ever.
 */
static const char *in_vain(const struct engine_config *config, const struct engine_result *result)
{
	const struct live_result *live = (const void *)result->own;

	(void)config;
	if (live->events || (result->void_epochs && result->void_epochs == result->epochs))
		return NULL;
	return "nothing was read while it was written";
}

static void print(FILE *out, const struct engine_result *result)
{
	const struct live_result *live = (const void *)result->own;

	fprintf(out,
		"  read while it was written: %" PRIu64 " events in %" PRIu64
		" sub-buffers; overtaken copies %" PRIu64 ", half-full ones closed %" PRIu64 "\n"
		"  the reader looked %" PRIu64 " times in vain and slept %" PRIu64
		" times; woken %" PRIu64 " times, %.0f ns of the writer's each; stopped %" PRIu64
		" times\n",
		live->events, live->subbufs, live->torn, live->flushes, live->looks, live->sleeps,
		live->wakes, live->wakes ? (double)live->wake_ns / (double)live->wakes : 0,
		live->stops);
}

static void json(json_t *into, const struct engine_config *config,
		 const struct engine_result *result)
{
	const struct live_result *live = (const void *)result->own;

	(void)config;
	json_object_set_new(
		into, "live",
		json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I}", "events",
			  (json_int_t)live->events, "subbufs", (json_int_t)live->subbufs, "torn",
			  (json_int_t)live->torn, "flushes", (json_int_t)live->flushes, "looks",
			  (json_int_t)live->looks, "sleeps", (json_int_t)live->sleeps, "wakes",
			  (json_int_t)live->wakes, "wake_ns",
			  live->wakes ? (double)live->wake_ns / (double)live->wakes : 0.0, "stops",
			  (json_int_t)live->stops, "behind_most", (json_int_t)live->behind_most));
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
	.own_bytes = sizeof(struct live_result),
	.state_bytes = sizeof(struct engine_live),
	.open = open,
	.close = end,
	.record = record,
	.interrupt = interrupt,
	.merge = merge,
	.in_vain = in_vain,
	.print = print,
	.json = json,
};

static const struct workload_section sections[] = {
	{ .name = "reading",
	  .measure = live_price_measure,
	  .seconds = live_price_seconds,
	  .print = live_price_print },
	{ .name = NULL },
};

static const struct workload_form forms[] = {
	{ .section = "stress", .seconds = { 0.3, 1, 2 } },
	{ .section = NULL },
};

const struct workload workload_live = {
	.name = "live",
	.text = "a reader on another CPU takes sub-buffers while the writer is interrupted",
	.least = SIZE_FULL,
	.engine = &engine,
	.sections = sections,
	.forms = forms,
};
