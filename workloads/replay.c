// SPDX-License-Identifier: MIT
/*
 * replay: gaps between events as a kernel recorded them. run-stress waits for them on the real
 * clock; a bench plays all recorded files on the virtual one.
 */
#include "base/exit.h"
#include "runner/place/ticks.h"
#include "schemes/core/clock.h"
#include "workloads/counts.h"
#include "workloads/gaps.h"
#include "workloads/waits.h"

#define BENCH_EVENTS 50000

/* ---- on the real clock ---- */

static int open(struct engine_group *group)
{
	return gaps_read(group->config->option, group->state) ? EXIT_USAGE : 0;
}

/* Each event a recorded gap behind the one before. */
static void record(struct engine_thread *thread, uint64_t events)
{
	const struct gaps *gaps = thread->group->state;
	uint64_t end = engine_round_end(thread), last = clock_real(), gap;
	double ticks_per_ns = ticks_hz() * 1e-9;

	for (; events; events--) {
		gap = (uint64_t)(gaps_sample_ns(gaps, &thread->random) * ticks_per_ns);
		if (!waits_until(thread, last + gap, end))
			return;
		last = clock_real();
		engine_record(thread, 1);
	}
}

static void json(json_t *into, const struct engine_config *config,
		 const struct engine_result *result)
{
	char name[GAPS_NAME_BYTES];

	gaps_name(config->option, name);
	json_object_set_new(into, "gaps", json_string(name));
	waits_json(into, config, result);
}

static const struct workload_engine engine = {
	.option = {
		.name = "gaps",
		.argument = "FILE",
		.text = "gaps for workload replay, such as workloads/gaps/syscalls_busy.csv",
		.missing = "replay needs a file of gaps: give --gaps "
			   "workloads/gaps/syscalls_busy.csv, or another",
	},
	.state_bytes = sizeof(struct gaps),
	.open = open,
	.record = record,
	.print = waits_print,
	.json = json,
};

/* ---- on the virtual clock ---- */

struct lines {
	const struct workload_bench *bench;
	json_t *into;
};

static int replay_gaps(void *arg, const struct gaps *gaps)
{
	const struct lines *lines = arg;
	const struct workload_bench *bench = lines->bench;
	const struct driver *driver;
	enum verdict verdict;
	json_t *line;
	char why[96];
	int i;

	for (i = 0; i < bench->count; i++) {
		driver = driver_find(drivers_counting, bench->rows[i]->row);
		line = counts_replay(driver, gaps, BENCH_EVENTS, ticks_hz(), bench->seed, &verdict);
		if (!line)
			return EXIT_RESOURCE;
		json_array_append_new(lines->into, line);
		snprintf(why, sizeof(why), "replay of %s", gaps->name);
		if (verdict == VERDICT_BROKEN)
			bench->broke(bench->arg, i, why);
	}
	return 0;
}

static int measure(const struct workload_bench *bench, json_t *into)
{
	struct lines lines = { bench, into };
	int error = gaps_each(GAPS_RECORDED, replay_gaps, &lines);

	return error < 0 ? EXIT_USAGE : error;
}

const struct workload workload_replay = {
	.name = "replay",
	.text = "gaps between events as a kernel recorded them",
	.plot = "replay",
	.engine = &engine,
	.measure = measure,
	.gaps = true,
};
