// SPDX-License-Identifier: MIT
/* bench: fenced latencies of single events, in every regime and at the busy recorded gaps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/bench.h"
#include "base/options.h"
#include "workloads/tails.h"

#define BUSY_MOST 8
#define BUSY_SHIPPED 3 /* files of that name in workloads/gaps: for the guess of the time */

/* Samples and seconds at most, per regime and file of gaps. */
struct tails_size {
	uint64_t samples[TAILS_REGIMES];
	double seconds[TAILS_REGIMES];
};

static const struct tails_size tails_full = { { 2000000, 2000000, 16384, 200000 },
					      { 0.5, 2, 1, 0.4 } };
static const struct tails_size tails_few = { { 102400, 200000, 1024, 20480 },
					     { 0.1, 0.1, 0.1, 0.06 } };

struct busy {
	struct gaps gaps[BUSY_MOST];
	unsigned int count;
};

static const struct tails_size *tails_size(const struct bench *bench)
{
	return bench->full ? &tails_full : &tails_few;
}

static bool is_chosen(const struct bench *bench, unsigned int regime)
{
	return regime != TAILS_REPLAY || bench->workload[WORKLOAD_replay];
}

double bench_tails_seconds(const struct bench *bench)
{
	double seconds = 0;
	unsigned int i;

	for (i = 0; i < TAILS_REGIMES && !bench->quick; i++)
		if (is_chosen(bench, i))
			seconds += bench->rows * tails_size(bench)->seconds[i] *
				   (i == TAILS_REPLAY ? BUSY_SHIPPED : 1);
	return seconds;
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

/* What it said is kept as a checked run's is. */
static int run_one(struct bench *bench, int row, const struct tails_config *config,
		   struct tails_result *result)
{
	const json_t *kept;
	char phase[160];
	json_t *json;
	int error;

	snprintf(phase, sizeof(phase), "tails %s%s%s", tails_regime_name(config->regime),
		 config->gaps ? " " : "", config->gaps ? config->gaps->name : "");
	kept = bench_checked(bench, phase, row);
	if (kept) {
		progress_skip(&bench->progress, config->seconds);
		return json_array_append(bench->tails, (json_t *)kept) ? EXIT_RESOURCE : 0;
	}
	error = tails_run(config, result);
	if (error || stress_stop)
		return error;
	progress_done(&bench->progress, config->seconds);
	if (result->violation[0]) {
		bench->broken = true;
		bench->verdict[row] = check_verdict_name(VERDICT_BROKEN);
		snprintf(bench->why[row], sizeof(bench->why[row]), "%.30s: %.60s", phase,
			 result->violation);
	}
	json = tails_json(config, result);
	json_array_append(bench->tails, json);
	error = bench_keep_checked(bench, phase, row, json);
	json_decref(json);
	return error;
}

/* One row in one regime; under replay at each of the busy files. */
static int run_regime(struct bench *bench, int row, unsigned int regime, const struct busy *busy,
		      struct tails_result *result)
{
	const struct tails_size *size = tails_size(bench);
	struct tails_config config = {
		.driver = driver_find(drivers_timed, bench->row[row]->row),
		.regime = (enum tails_regime)regime,
		.samples = size->samples[regime],
		.seconds = size->seconds[regime],
		.place = &bench->place,
		.pu = bench->plan.pu,
		.has_sender = bench->plan.count > 1,
		.seed = bench->seed,
	};
	unsigned int i;
	int error = 0;

	if (!is_chosen(bench, regime))
		return 0;
	if (regime != TAILS_REPLAY)
		return run_one(bench, row, &config, result);
	for (i = 0; i < busy->count && !error; i++) {
		config.gaps = &busy->gaps[i];
		error = run_one(bench, row, &config, result);
	}
	return error;
}

int bench_run_tails(struct bench *bench)
{
	struct tails_result *result = malloc(sizeof(*result));
	struct busy *busy = calloc(1, sizeof(*busy));
	unsigned int regime;
	int i, error = result && busy ? 0 : EXIT_RESOURCE;

	if (!error && gaps_each(GAPS_DIR, keep_busy, busy))
		error = EXIT_USAGE;
	for (i = 0; i < bench->rows && !error && !stress_stop; i++) {
		progress_step(&bench->progress, "tails", bench->row[i]->row);
		for (regime = 0; regime < TAILS_REGIMES && !error; regime++)
			error = run_regime(bench, i, regime, busy, result);
	}
	free(result);
	free(busy);
	return error ? error : stress_stop ? EXIT_INTERRUPTED : 0;
}
