// SPDX-License-Identifier: MIT
/*
 * wraps: a share of the events comes a wrap and more behind the one before. Checked, the writer
 * waits for it on the real clock; timed, the clock is set ahead by plan.
 */
#include "schemes/core/clock.h"
#include "workloads/waits.h"
#include "workloads/injected.h"

#define BITS 20 /* a wrap of 0.4 ms: thousands of them */
#define BEATEN_BITS 26 /* slow enough for beats, also where CPU time is stolen */

/* The share is another one in each round. */
static void record(struct engine_thread *thread, uint64_t events)
{
	static const uint64_t one_in[] = { 1, 10, 100, 1000, 100000 };
	uint32_t bits = engine_width(thread->config);
	uint64_t wrap = UINT64_C(1) << (bits > 32 ? BITS : bits);
	uint64_t every = one_in[rng_next(&thread->random) % 5];
	uint64_t end = engine_round_end(thread), random;

	for (; events && (int64_t)(clock_real() - end) < 0 && !workload_stop; events--) {
		random = rng_next(&thread->random);
		if (random % every == 0 &&
		    !waits_until(thread, clock_real() + wrap + (random >> 32) % wrap, end))
			return;
		engine_record(thread, 1);
	}
}

static const struct workload_engine engine = {
	.bits = BITS,
	.beaten_bits = BEATEN_BITS,
	.record = record,
	.print = waits_print,
	.json = waits_json,
};

static const struct injected_plan plan[] = {
	{ "wraps:0", { .on = true }, true },
	{ "wraps:0.00001", { .on = true, .wrap_every = 100000 }, false },
	{ "wraps:0.001", { .on = true, .wrap_every = 1000 }, true },
	{ "wraps:0.01", { .on = true, .wrap_every = 100 }, false },
	{ "wraps:0.1", { .on = true, .wrap_every = 10 }, false },
	{ "wraps:1", { .on = true, .wrap_every = 1 }, false },
	{ .name = NULL },
};

static void cells(const struct workload_cells *cells)
{
	injected_cells(plan, cells);
}

const struct workload workload_wraps = {
	.name = "wraps",
	.text = "a share of the events comes after a wrap of the short field",
	.least = SIZE_STANDARD,
	.engine = &engine,
	.cells = cells,
};
