// SPDX-License-Identifier: MIT
/* stall: a storm in which who interrupts a reserve keeps it waiting for longer than a wrap. */
#include <inttypes.h>

#include "runner/place/ticks.h"
#include "schemes/core/clock.h"
#include "workloads/engine/thread.h"

#define BITS 20 /* a wrap of 0.4 ms: hundreds of holds in a run */
#define BEATEN_BITS 26 /* where beats have to come meanwhile, on a CPU that may be stolen */
#define WRAPS 2.5 /* between two signals of a level: most of the time is held */

struct stalls {
	local_word reserves; /* that a nested writer kept waiting for more than two wraps */
};

static uint64_t wrap_ticks(const struct engine_config *config)
{
	uint32_t bits = engine_width(config);

	return UINT64_C(1) << (bits > 32 ? BITS : bits);
}

static double stretch(const struct engine_config *config)
{
	return WRAPS * 1e9 * (double)wrap_ticks(config) / ticks_hz() / STORM_LEVEL_1_NS;
}

/* More than a wrap of the short field goes by; higher levels and the beat may come meanwhile. */
static void hold(const struct engine_thread *thread)
{
	uint64_t begin = clock_real(), wrap = wrap_ticks(thread->config);

	while (clock_real() - begin < wrap + wrap / 8 && !workload_stop)
		;
}

/*
 * Whoever interrupts a reserve of the task keeps it waiting for a wrap, records, and keeps it for
 * another. Not that of a beat: the next one could not come in time.
 */
static void interrupt(struct engine_thread *thread, unsigned int level)
{
	const struct interrupts *interrupts = &thread->signals.interrupts;
	struct stalls *stalls = engine_own(struct stalls, &thread->result);
	/* The timed build's reserve has no section of its own: whatever it interrupts has to wait.
	 */
	bool hit = (interrupts->hit || thread->driver->timed) && interrupts->depth == 1;

	if (hit) {
		hold(thread);
		local_add_raw(&stalls->reserves, 1);
	}
	engine_storm(thread, level);
	if (hit)
		hold(thread);
}

static void print(FILE *out, const struct engine_result *result)
{
	const struct stalls *stalls = engine_own(struct stalls, result);

	fprintf(out, "  reserves kept waiting for more than two wraps: %" PRIu64 "\n",
		stalls->reserves);
}

static void json(json_t *into, const struct engine_config *config,
		 const struct engine_result *result)
{
	const struct stalls *stalls = engine_own(struct stalls, result);

	(void)config;
	json_object_set_new(into, "stalls", json_integer((json_int_t)stalls->reserves));
}

static const struct workload_engine engine = {
	.signals = SIGNALS_SENT,
	.timeable = true,
	.bits = BITS,
	.beaten_bits = BEATEN_BITS,
	.stretch = stretch,
	.record = engine_record_storm,
	.interrupt = interrupt,
	.print = print,
	.json = json,
};

const struct workload workload_stall = {
	.name = "stall",
	.text = "a nested writer keeps an interrupted reserve waiting for more than a wrap",
	.least = SIZE_FULL,
	.engine = &engine,
	.forms = { { .section = "stress", .seconds = { 0.1, 0.3, 2 } } },
};
