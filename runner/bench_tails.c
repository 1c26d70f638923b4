// SPDX-License-Identifier: MIT
/* bench: fenced latencies of single events, per row and regime. */
#include <stdio.h>
#include <stdlib.h>

#include "bench_phases.h"
#include "options.h"
#include "tails.h"

/* Samples and seconds at most, per regime, of the tails. */
struct tails_size {
	uint64_t samples[TAILS_REGIMES];
	double seconds[TAILS_REGIMES];
};

static const struct tails_size tails_full = { { 2000000, 2000000, 16384 }, { 0.5, 2, 1 } };
static const struct tails_size tails_few = { { 102400, 200000, 1024 }, { 0.1, 0.1, 0.1 } };

double bench_tails_seconds(const struct bench *bench)
{
	const struct tails_size *size = bench->full ? &tails_full : &tails_few;
	double seconds = 0;
	unsigned int i;

	for (i = 0; i < TAILS_REGIMES; i++)
		seconds += size->seconds[i];
	return seconds;
}

/* One row in one regime; what it said is kept as a checked run's is. */
static int run_one_tail(struct bench *bench, int row, const struct tails_config *config,
			struct tails_result *result)
{
	char phase[64];
	const json_t *kept;
	json_t *json;
	int error;

	snprintf(phase, sizeof(phase), "tails %s", tails_regime_name(config->regime));
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

int bench_run_tails(struct bench *bench)
{
	const struct tails_size *size = bench->full ? &tails_full : &tails_few;
	struct tails_config config = { .place = &bench->place,
				       .pu = bench->plan.pu,
				       .has_sender = bench->plan.count > 1 };
	struct tails_result *result = malloc(sizeof(*result));
	unsigned int regime;
	int i, error = result ? 0 : EXIT_RESOURCE;

	for (i = 0; i < bench->rows && !error && !stress_stop; i++) {
		config.driver = driver_find(drivers_timed, bench->row[i]->row);
		progress_step(&bench->progress, "tails", bench->row[i]->row);
		for (regime = 0; regime < TAILS_REGIMES && !error; regime++) {
			config.regime = (enum tails_regime)regime;
			config.samples = size->samples[regime];
			config.seconds = size->seconds[regime];
			error = run_one_tail(bench, i, &config, result);
		}
	}
	free(result);
	return error ? error : stress_stop ? EXIT_INTERRUPTED : 0;
}
