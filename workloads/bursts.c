// SPDX-License-Identifier: MIT
/* bursts: 64 events back to back, then a millisecond of silence. */
#include "runner/place/ticks.h"
#include "schemes/core/clock.h"
#include "workloads/waits.h"

#define BURST_EVENTS 64
#define SILENCE_SECONDS 1e-3

static void record(struct engine_thread *thread, uint64_t events)
{
	uint64_t silence = (uint64_t)(SILENCE_SECONDS * ticks_hz()), some;
	uint64_t end = engine_round_end(thread);

	for (; events; events -= some) {
		some = events < BURST_EVENTS ? events : BURST_EVENTS;
		engine_record(thread, some);
		if (!waits_until(thread, clock_real() + silence, end))
			return;
	}
}

static const struct workload_engine engine = {
	.record = record,
	.print = waits_print,
	.json = waits_json,
};

const struct workload workload_bursts = {
	.name = "bursts",
	.text = "64 events back to back, then 1 ms of silence",
	.least = SIZES,
	.engine = &engine,
	.forms = { { .section = "stress", .seconds = { 0.1, 0.3, 2 } } },
};
