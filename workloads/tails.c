// SPDX-License-Identifier: MIT
/*
 * tails: fenced latencies of single events in every regime, and, where recorded gaps are replayed,
 * at the busy ones of them. The user does not name it: benches that are not quick have it.
 */
#include "workloads/tails.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "workloads/workload.h"

#define BUSY_MOST 8
#define BUSY_SHIPPED 3 /* files of that name in workloads/gaps: for the guess of the time */

/* Samples and seconds at most, per regime and file of gaps. */
struct tails_size {
	uint64_t samples[TAILS_REGIMES];
	double seconds[TAILS_REGIMES];
};

static const struct tails_size full = { { 2000000, 2000000, 200000 }, { 0.5, 2, 0.4 } };
static const struct tails_size few = { { 102400, 200000, 20480 }, { 0.07, 0.07, 0.05 } };

struct busy {
	struct gaps gaps[BUSY_MOST];
	unsigned int count;
};

static const struct tails_size *size_of(const struct workload_bench *bench)
{
	return bench->size == SIZE_FULL ? &full : &few;
}

static bool is_chosen(const struct workload_bench *bench, unsigned int regime)
{
	return regime != TAILS_REPLAY || bench->chosen[workload_index(&workload_replay)];
}

static double seconds(const struct workload_bench *bench)
{
	double all = 0;
	unsigned int i;

	for (i = 0; i < TAILS_REGIMES; i++)
		if (is_chosen(bench, i))
			all += bench->count * size_of(bench)->seconds[i] *
			       (i == TAILS_REPLAY ? BUSY_SHIPPED : 1);
	return all;
}

/* Where events are rare a sample takes milliseconds, and its latency is that of cold caches. */
static int keep_busy(void *arg, const struct gaps *gaps)
{
	static const char ending[] = "_busy";
	struct busy *busy = arg;
	size_t length = strlen(gaps->name);

	if (busy->count < BUSY_MOST && length >= strlen(ending) &&
	    !strcmp(gaps->name + length - strlen(ending), ending))
		busy->gaps[busy->count++] = *gaps;
	return 0;
}

static int run_one(const struct workload_bench *bench, int row, const struct tails_config *config,
		   struct tails_result *result, json_t *into)
{
	char broken[96];
	int error;

	error = tails_run(config, result);
	if (error || workload_stop)
		return error;
	bench->done(bench->arg, config->seconds);
	snprintf(broken, sizeof(broken), "%s %s: %.60s", workload_tails.name,
		 tails_regime_name(config->regime), result->violation);
	json_array_append_new(into, tails_json(config, result));
	if (result->violation[0])
		bench->broke(bench->arg, row, broken);
	return 0;
}

/* One row in one regime; under replay at each of the busy files. */
static int run_regime(const struct workload_bench *bench, int row, unsigned int regime,
		      const struct busy *busy, struct tails_result *result, json_t *into)
{
	const struct tails_size *size = size_of(bench);
	struct tails_config config = {
		.driver = driver_find(drivers_timed, bench->rows[row]->row),
		.regime = (enum tails_regime)regime,
		.samples = size->samples[regime],
		.seconds = size->seconds[regime],
		.place = bench->place,
		.pu = bench->pu,
		.has_sender = bench->cpus > 1,
		.seed = bench->seed,
	};
	unsigned int i;
	int error = 0;

	if (!is_chosen(bench, regime))
		return 0;
	if (regime != TAILS_REPLAY)
		return run_one(bench, row, &config, result, into);
	for (i = 0; i < busy->count && !error; i++) {
		config.gaps = &busy->gaps[i];
		error = run_one(bench, row, &config, result, into);
	}
	return error;
}

static int measure(const struct workload_bench *bench, json_t *into)
{
	struct tails_result *result = malloc(sizeof(*result));
	struct busy *busy = calloc(1, sizeof(*busy));
	unsigned int regime;
	int i, error = result && busy ? 0 : fail_memory("the tails of all rows");

	if (!error && gaps_each(GAPS_RECORDED, keep_busy, busy))
		error = EXIT_USAGE;
	for (i = 0; i < bench->count && !error && !workload_stop; i++) {
		bench->step(bench->arg, workload_tails.name, bench->rows[i]->row);
		for (regime = 0; regime < TAILS_REGIMES && !error; regime++)
			error = run_regime(bench, i, regime, busy, result, into);
	}
	free(result);
	free(busy);
	return error;
}

const struct workload workload_tails = {
	.name = "tails",
	.least = SIZE_STANDARD,
	.plot = "tails",
	.measure = measure,
	.seconds = seconds,
};
