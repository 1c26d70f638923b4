// SPDX-License-Identifier: MIT
#include "workloads/live_storm.h"

#include <inttypes.h>

#include "base/time.h"

#define STRETCH_EVENTS 256 /* between two looks at what was closed */
#define FLUSH_NS 2000000
#define FLUSH_LEVEL 3
#define STOP_EVERY 500 /* stretches, about */

static bool handlers_flush(const struct engine_thread *thread)
{
	const struct driver *driver = thread->driver;

	return !driver->defers && !driver->blocks && !driver->busy(thread->scheme);
}

void live_storm_give(struct engine_thread *thread, struct engine_live *live,
		     struct engine_ring *ring, unsigned int pu)
{
	*live = (struct engine_live){ .ring = ring, .writer = thread, .pu = pu };
	thread->live = live;
}

int live_storm_open(struct engine_group *group, unsigned int pu)
{
	live_storm_give(&group->threads[0], group->state, &group->rings[0], pu);
	return 0;
}

void live_storm_close(struct engine_group *group)
{
	engine_live_close(group->state);
}

void live_storm_tend(struct engine_thread *thread)
{
	if (!thread->live)
		return;
	engine_live_flush(thread->live, 2 * FLUSH_NS);
	engine_live_closed(thread->live);
	if (!(rng_next(&thread->random) % STOP_EVERY))
		engine_live_stop(thread->live);
}

void live_storm_record(struct engine_thread *thread, uint64_t events)
{
	uint64_t some;

	for (; events && time_ns() < thread->round_end_ns && !workload_stop; events -= some) {
		some = events < STRETCH_EVENTS ? events : STRETCH_EVENTS;
		engine_record_storm(thread, some);
		live_storm_tend(thread);
	}
}

void live_storm_interrupt(struct engine_thread *thread, unsigned int level)
{
	if (thread->live && level == FLUSH_LEVEL && handlers_flush(thread))
		engine_live_flush(thread->live, FLUSH_NS);
	engine_storm(thread, level);
}

/* A commit that is lost where a need was not met leaves the reader before that sub-buffer for ever.
 */
const char *live_storm_in_vain(const struct engine_config *config,
			       const struct engine_result *result)
{
	const struct live_result *live = engine_own(struct live_result, result);

	(void)config;
	if (live->events || (result->void_epochs && result->void_epochs == result->epochs))
		return NULL;
	return "nothing was read while it was written";
}

void live_storm_print(FILE *out, const struct engine_result *result)
{
	const struct live_result *live = engine_own(struct live_result, result);

	fprintf(out,
		"  read while it was written: %" PRIu64 " events in %" PRIu64
		" sub-buffers; overtaken copies %" PRIu64 ", half-full ones closed %" PRIu64 "\n"
		"  the reader found nothing %" PRIu64 " times and slept %" PRIu64
		" times; woken %" PRIu64 " times, %.0f ns of the writer's each; stopped %" PRIu64
		" times\n",
		live->events, live->subbufs, live->torn, live->flushes, live->looks, live->sleeps,
		live->wakes, live->wakes ? (double)live->wake_ns / (double)live->wakes : 0,
		live->stops);
}

void live_storm_json(json_t *into, const struct engine_config *config,
		     const struct engine_result *result)
{
	const struct live_result *live = engine_own(struct live_result, result);

	(void)config;
	json_object_set_new(
		into, "live",
		json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I}", "events",
			  (json_int_t)live->events, "subbufs", (json_int_t)live->subbufs, "torn",
			  (json_int_t)live->torn, "flushes", (json_int_t)live->flushes, "looks",
			  (json_int_t)live->looks, "sleeps", (json_int_t)live->sleeps, "wakes",
			  (json_int_t)live->wakes, "wake_ns",
			  live->wakes ? (double)live->wake_ns / (double)live->wakes : 0.0, "stops",
			  (json_int_t)live->stops));
}
