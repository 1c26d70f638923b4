// SPDX-License-Identifier: MIT
#include "layout/layout_measure.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "judge/buffer.h"
#include "schemes/core/clock.h"
#include "base/fail.h"
#include "base/options.h"
#include "place/place.h"
#include "place/ticks.h"

#define SAMPLES 400000
#define BATCH 10000
#define PING_NS 200000000u
#define PING_MOST_NS 3000000000u /* for a few at least, where the other CPU is busy */
#define PINGS_LEAST 100
#define PINGS_MOST 1000000

/* ---- events ---- */

struct measured_samples {
	uint64_t *value;
	uint64_t longest; /* in batches that no context switch interrupted */
	uint64_t count;
	uint64_t previous;
	bool any;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void each_spacing(void *arg, const struct event *event)
{
	struct measured_samples *samples = arg;

	if (samples->any && samples->count < SAMPLES)
		samples->value[samples->count++] = event->time - samples->previous;
	samples->previous = event->time;
	samples->any = true;
}

static void each_probe(void *arg, const struct event *event)
{
	struct measured_samples *samples = arg;
	struct check_payload payload;

	memcpy(&payload, event->payload, sizeof(payload));
	if (samples->count < SAMPLES)
		samples->value[samples->count++] = payload.exit - payload.entry;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Fills `samples` from events of `driver`, sorted. */
static int collect(const struct driver *driver, void (*each)(void *arg, const struct event *event),
		   struct measured_samples *samples)
{
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	struct buffer buffer;
	uint64_t first;
	long before;
	bool whole;

	samples->count = 0;
	if (buffer_open(&buffer, driver, &config))
		return EXIT_RESOURCE;
	samples->longest = 0;
	while (samples->count < SAMPLES) {
		before = switches();
		first = samples->count;
		driver->run(buffer.scheme, &buffer.writer, BATCH);
		whole = switches() == before;
		driver->flush(buffer.scheme);
		samples->any = false;
		driver->walk(buffer.scheme, each, samples);
		for (; whole && first < samples->count; first++)
			if (samples->value[first] > samples->longest)
				samples->longest = samples->value[first];
	}
	buffer_close(&buffer);
	qsort(samples->value, samples->count, sizeof(samples->value[0]), by_value);
	return 0;
}

static int measure_events(struct layout_measured *measured)
{
	struct measured_samples samples = { .value = malloc(SAMPLES * sizeof(uint64_t)) };
	int error;

	if (!samples.value) {
		return fail_with(EXIT_RESOURCE, "no memory for %u samples", SAMPLES);
	}
	error = collect(driver_find(drivers_timed, "full_tsc"), each_spacing, &samples);
	if (!error) {
		measured->events = samples.count;
		measured->spacing_least_ticks = samples.value[0];
		measured->spacing_median_ticks = samples.value[samples.count / 2];
		error = collect(driver_find(drivers_checked, "extended_header"), each_probe,
				&samples);
	}
	if (!error) {
		measured->probe_median_ticks = samples.value[samples.count / 2];
		measured->probe_p999_ticks = samples.value[samples.count - samples.count / 1000];
		measured->probe_longest_ticks = samples.longest;
		measured->probe_worst_ticks = samples.value[samples.count - 1];
	}
	free(samples.value);
	return error;
}

/* ---- two CPUs ---- */

/*
 * The shared line: the first CPU stores a question's number, the second answers with its clock.
 * Release and acquire: an answer seen without its clock would be that of the round before.
 */
struct ping {
	_Alignas(128) uint64_t question;
	uint64_t answer;
	uint64_t clock; /* of the second CPU, when it saw the question */
	_Alignas(128) bool stop;
	bool failed;
	const struct place *place;
	unsigned int pu;
};

static void *answer_all(void *arg)
{
	struct ping *ping = arg;
	uint64_t seen = 0, question;

	if (place_bind_self(ping->place, ping->pu)) {
		__atomic_store_n(&ping->failed, true, __ATOMIC_RELEASE);
		return NULL;
	}
	while (!__atomic_load_n(&ping->stop, __ATOMIC_RELAXED)) {
		question = __atomic_load_n(&ping->question, __ATOMIC_ACQUIRE);
		if (question == seen)
			continue;
		ping->clock = clock_real_fenced();
		__atomic_store_n(&ping->answer, question, __ATOMIC_RELEASE);
		seen = question;
	}
	return NULL;
}

/* One round trip; false if the other side is gone or time is up. */
static bool ask(struct ping *ping, uint64_t number, uint64_t deadline_ns, uint64_t *before,
		uint64_t *after)
{
	uint64_t turns = 0;

	*before = clock_real_fenced();
	__atomic_store_n(&ping->question, number, __ATOMIC_RELEASE);
	while (__atomic_load_n(&ping->answer, __ATOMIC_ACQUIRE) != number)
		if (!(++turns & 4095) &&
		    (__atomic_load_n(&ping->failed, __ATOMIC_ACQUIRE) || time_ns() > deadline_ns))
			return false;
	*after = clock_real_fenced();
	return true;
}

static void ask_all(struct ping *ping, uint64_t *trips, struct layout_measured *measured)
{
	uint64_t begin = time_ns(), before, after, count = 0;

	measured->offset_low_ticks = INT64_MIN;
	measured->offset_high_ticks = INT64_MAX;
	while (count < PINGS_MOST && ask(ping, count + 1, begin + PING_MOST_NS, &before, &after)) {
		/* The other clock was read somewhere between ours. */
		if ((int64_t)(ping->clock - after) > measured->offset_low_ticks)
			measured->offset_low_ticks = (int64_t)(ping->clock - after);
		if ((int64_t)(ping->clock - before) < measured->offset_high_ticks)
			measured->offset_high_ticks = (int64_t)(ping->clock - before);
		trips[count++] = after - before;
		if (count >= PINGS_LEAST && !(count & 63) && time_ns() > begin + PING_NS)
			break;
	}
	measured->round_trips = count;
}

static int measure_pair(const struct place *place, const unsigned int *pu,
			struct layout_measured *measured)
{
	struct ping ping = { .place = place, .pu = pu[1] };
	uint64_t *trips = malloc(PINGS_MOST * sizeof(*trips));
	pthread_t thread;

	if (!trips || pthread_create(&thread, NULL, answer_all, &ping)) {
		free(trips);
		return fail_with(EXIT_RESOURCE, "no memory, or no thread, for the other CPU");
	}
	ask_all(&ping, trips, measured);
	__atomic_store_n(&ping.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	if (!measured->round_trips && !ping.failed) {
		fail_line("CPU %u did not answer CPU %u within 3 s: it is busy; "
			  "try again, or choose CPUs with taskset",
			  pu[1], pu[0]);
		ping.failed = true;
	}
	if (measured->round_trips) {
		qsort(trips, measured->round_trips, sizeof(*trips), by_value);
		measured->two_cpus = true;
		measured->round_trip_least_ticks = trips[0];
		measured->round_trip_median_ticks = trips[measured->round_trips / 2];
		measured->offset_bound_ticks = (trips[0] + 1) / 2;
	}
	free(trips);
	return ping.failed ? EXIT_RESOURCE : 0;
}

int layout_measure(struct layout_measured *measured)
{
	struct place place = { .topology = NULL };
	struct place_plan plan = { .pu = NULL };
	unsigned int cpus;
	int error;

	*measured = (struct layout_measured){ .events = 0 };
	error = place_open(&place);
	if (error)
		return error;
	cpus = hwloc_bitmap_weight(place.allowed) > 1 ? 2 : 1;
	error = place_plan(&place, NULL, cpus, &plan);
	if (!error)
		error = place_bind_self(&place, plan.pu[0]);
	if (!error) {
		measured->clock_hz = ticks_hz();
		error = measure_events(measured);
	}
	if (!error && cpus == 2) {
		measured->cpu[0] = plan.pu[0];
		measured->cpu[1] = plan.pu[1];
		error = measure_pair(&place, plan.pu, measured);
	}
	place_plan_free(&plan);
	place_close(&place);
	return error;
}

json_t *layout_measured_json(const struct layout_measured *measured)
{
	json_t *json = json_object();

	json_object_set_new(json, "clock_hz", json_real(measured->clock_hz));
#define SET(key) json_object_set_new(json, #key, json_integer((json_int_t)measured->key))
	SET(events);
	SET(spacing_least_ticks);
	SET(spacing_median_ticks);
	SET(probe_median_ticks);
	SET(probe_p999_ticks);
	SET(probe_longest_ticks);
	SET(probe_worst_ticks);
	if (measured->two_cpus) {
		SET(round_trips);
		SET(round_trip_least_ticks);
		SET(round_trip_median_ticks);
		SET(offset_low_ticks);
		SET(offset_high_ticks);
		SET(offset_bound_ticks);
	}
#undef SET
	return json;
}
