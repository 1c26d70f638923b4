// SPDX-License-Identifier: MIT
#include "runner/timing/beat_cost.h"
#include "base/json.h"

#include <math.h>
#include <stdlib.h>

#include "judge/buffer.h"
#include "runner/timing/cell.h"
#include "schemes/core/clock.h"
#include "workloads/engine/interrupts.h"
#include "base/options.h"
#include "base/time.h"
#include "runner/place/ticks.h"

/* A beat in every fifth batch or so: enough of both kinds, side by side. */
#define PERIOD_NS 300000
#define BATCHES_MOST 65536

struct beat_run {
	struct buffer buffer;
	struct interrupts interrupts;
	double *ticks[2]; /* of batches without a beat, and with one */
	size_t count[2];
};

static void handle(void *arg, unsigned int source)
{
	struct beat_run *run = arg;

	(void)source;
	run->buffer.driver->beat(run->buffer.scheme, &run->buffer.writer);
}

struct stats_interval beat_cost_of(double *with, size_t with_count, double *without,
				   size_t without_count, double hz)
{
	struct stats_interval one, other;

	stats_sort(with, with_count);
	stats_sort(without, without_count);
	one = stats_median(with, with_count);
	other = stats_median(without, without_count);
	return (struct stats_interval){ (one.middle - other.middle) * 1e9 / hz,
					(one.low - other.high) * 1e9 / hz,
					(one.high - other.low) * 1e9 / hz };
}

/* Batches with two beats, or more, are of neither kind. */
static void run_batches(struct beat_run *run, double seconds)
{
	const uint64_t *beats = &run->interrupts.delivered[INTERRUPT_BEAT];
	uint64_t end_ns = time_ns() + (uint64_t)(seconds * 1e9), before, begin, ticks;
	uint64_t came;

	while (time_ns() < end_ns) {
		before = __atomic_load_n(beats, __ATOMIC_RELAXED);
		begin = clock_real();
		run->buffer.driver->run(run->buffer.scheme, &run->buffer.writer, CELL_BATCH);
		ticks = clock_real() - begin;
		came = __atomic_load_n(beats, __ATOMIC_RELAXED) - before;
		if (came < 2 && run->count[came] < BATCHES_MOST)
			run->ticks[came][run->count[came]++] = (double)ticks;
	}
}

static int measure(struct beat_run *run, const struct driver *driver, unsigned int pu,
		   double seconds)
{
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	int error = 0;

	config.cpu = pu;
	if (buffer_open(&run->buffer, driver, &config))
		return EXIT_RESOURCE;
	/* Once round the ring, so that nothing measured is the first of its kind. */
	driver->run(run->buffer.scheme, &run->buffer.writer,
		    ring_bytes(buffer_ring(&run->buffer)) / 12);
	run->interrupts.handle = handle;
	run->interrupts.arg = run;
	interrupts_attach(&run->interrupts);
	if (interrupts_timer(&run->interrupts, INTERRUPT_BEAT, PERIOD_NS, false))
		error = EXIT_RESOURCE;
	interrupts_beat_begin(&run->interrupts);
	interrupts_unblock_beat();
	if (!error)
		run_batches(run, seconds);
	interrupts_block_beat();
	interrupts_beat_end(&run->interrupts);
	interrupts_detach(&run->interrupts);
	buffer_close(&run->buffer);
	return error;
}

int beat_cost_measure(const struct driver *driver, const struct place *place, unsigned int pu,
		      double seconds, struct beat_cost *cost)
{
	struct beat_run *run = calloc(1, sizeof(*run));
	double *room = malloc(2 * BATCHES_MOST * sizeof(double)), hz = ticks_hz();
	int error = run && room && !place_bind_self(place, pu) ? 0 : EXIT_RESOURCE;

	if (!error) {
		run->ticks[0] = room;
		run->ticks[1] = room + BATCHES_MOST;
		error = measure(run, driver, pu, seconds);
	}
	if (!error)
		*cost = (struct beat_cost){
			.ns = beat_cost_of(run->ticks[1], run->count[1], run->ticks[0],
					   run->count[0], hz),
			.beats_per_second = 1e9 / driver_beat_ns(driver, driver->stamp_bits, hz),
			.with = run->count[1],
			.without = run->count[0],
		};
	free(room);
	free(run);
	return error;
}

json_t *beat_cost_json(const struct driver *driver, const struct beat_cost *cost)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:f, s:o}", "row", driver->row, "beat_ns",
			 json_or_null(cost->ns.middle), "beat_ns_95_low",
			 json_or_null(cost->ns.low), "beat_ns_95_high", json_or_null(cost->ns.high),
			 "beats_per_second", cost->beats_per_second, "ns_per_second",
			 json_or_null(cost->ns.middle * cost->beats_per_second));
}
