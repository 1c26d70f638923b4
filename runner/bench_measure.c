// SPDX-License-Identifier: MIT
#include "runner/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/buffer.h"
#include "base/options.h"
#include "timing/steps.h"
#include "workloads/stress_print.h"
#include "place/ticks.h"

#define CHECKED_EVENTS_SECONDS 0.4 /* more than a million events of most rows */
#define TICKS_BETWEEN_EVENTS 35
#define COUNTED_EVENTS 200000
#define WRAPPING_EVENTS 20000
#define DECODE_ROUNDS 40

/* A checked run of a row: at its own width; in narrow fields, whose extended path runs; or timed. */
enum bench_form {
	FORM_NATIVE,
	FORM_NARROW,
	FORM_TIMED,
};

/* What is run, in words. */
static const char *phase(const struct stress_config *config, char *name, size_t bytes)
{
	if (config->driver->timed)
		return "storm on the timed build";
	snprintf(name, bytes, config->bits ? "%s %u bits" : "%s", workload_name(config->workload),
		 config->bits);
	return name;
}

static bool native(const struct stress_config *config)
{
	return !config->driver->timed && !config->bits;
}

/* Remembers the worst of what a row's checked runs said. */
static void judge(struct bench *bench, int row, const struct stress_config *config,
		  const struct stress_result *result)
{
	const struct scheme_desc *desc = bench->row[row]->desc;
	enum verdict verdict = stress_verdict(result);
	bool promises = desc->promises & ~(uint32_t)PROMISE_BOUNDED;
	unsigned int oracle;
	char name[64];

	if (!bench->verdict[row])
		bench->verdict[row] = promises ? check_verdict_name(VERDICT_KEPT) : "no promise";
	if (verdict == VERDICT_BROKEN) {
		bench->broken = true;
		bench->verdict[row] = check_verdict_name(VERDICT_BROKEN);
		for (oracle = 0; oracle < ORACLES; oracle++)
			if (result->check.violations[oracle])
				snprintf(bench->why[row], sizeof(bench->why[row]), "%s: %s",
					 phase(config, name, sizeof(name)),
					 result->check.first[oracle].text);
	} else if (verdict == VERDICT_NEED_NOT_MET && promises &&
		   config->workload == WORKLOAD_storm && native(config)) {
		bench->verdict[row] = check_verdict_name(verdict);
	}
	if (config->workload == WORKLOAD_storm && !desc->untimed && native(config))
		bench->worst_error[row] = (double)(result->check.events ?
							   result->check.worst_error :
							   result->voided.worst_error);
	else if (config->workload == WORKLOAD_storm && !desc->untimed)
		bench->worst_error[row] = fmax(bench->worst_error[row],
					       (double)result->check.worst_error);
}

/* Or takes what an earlier process said. */
static int run_one_checked(struct bench *bench, int row, const struct stress_config *config,
			   struct stress_result *result, json_t *into)
{
	const json_t *kept;
	char name[64];
	json_t *json;
	int error;

	kept = bench_checked(bench, phase(config, name, sizeof(name)), row);

	if (kept) {
		progress_skip(&bench->progress, config->seconds);
		return json_array_append(into, (json_t *)kept) ? EXIT_RESOURCE : 0;
	}
	error = stress_run(config, result);
	if (error || stress_stop)
		return error;
	progress_done(&bench->progress, config->seconds);
	judge(bench, row, config, result);
	json = stress_json(config, result);
	json_array_append(into, json);
	error = bench_keep_checked(bench, phase(config, name, sizeof(name)), row, json);
	json_decref(json);
	return error;
}

/* Each row in turn that takes part: all, or with narrow fields those that can be interrupted. */
static int run_rows(struct bench *bench, struct stress_config *config, enum bench_form form,
		    json_t *into)
{
	struct stress_result *result = malloc(sizeof(*result));
	int i, error = result ? 0 : EXIT_RESOURCE;
	char name[64];

	for (i = 0; i < bench->rows && !error && !stress_stop; i++) {
		config->driver = form == FORM_TIMED ?
					 driver_find(drivers_timed, bench->row[i]->row) :
					 bench->row[i];
		if (form == FORM_NARROW && bench->row[i]->desc->needs & NEED_MASKED_INTERRUPTS)
			continue;
		if (form == FORM_NARROW)
			config->bits = bench->row[i]->desc->needs & NEED_BEAT ?
					       BENCH_NARROW_BEAT_BITS : BENCH_NARROW_BITS;
		progress_step(&bench->progress, phase(config, name, sizeof(name)),
			      bench->row[i]->row);
		error = run_one_checked(bench, i, config, result, into);
	}
	free(result);
	return error ? error : stress_stop ? EXIT_INTERRUPTED : 0;
}

static struct stress_config config_of(const struct bench *bench, enum workload workload,
				      double seconds)
{
	return (struct stress_config){
		.workload = workload,
		.seconds = seconds,
		.levels = 3,
		.threads = workload == WORKLOAD_handoff ? 2 : 1,
		.seed = bench->seed,
		.place = &bench->place,
		.pu = bench->plan.pu,
		.has_sender = stress_has_storm(workload) && bench->plan.count > 1,
	};
}

int bench_run_checked(struct bench *bench, enum workload workload, double seconds,
		      double rare_seconds, json_t *into)
{
	struct stress_config config = config_of(bench, workload, seconds);

	config.rare_seconds = rare_seconds;
	return run_rows(bench, &config, FORM_NATIVE, into);
}

/* The storm also in narrow fields, whose extended path runs, and on the code that will be timed. */
static int run_storms(struct bench *bench)
{
	const struct bench_size *size = bench_size(bench);
	struct stress_config native = config_of(bench, WORKLOAD_storm, size->storm_seconds);
	struct stress_config narrow = config_of(bench, WORKLOAD_storm, size->narrow_seconds);
	struct stress_config timed = config_of(bench, WORKLOAD_storm, size->timed_storm_seconds);
	int error;

	if (!bench->workload[WORKLOAD_storm])
		return 0;
	error = run_rows(bench, &native, FORM_NATIVE, bench->stress);
	if (!error && narrow.seconds > 0)
		error = run_rows(bench, &narrow, FORM_NARROW, bench->stress);
	return error ? error : run_rows(bench, &timed, FORM_TIMED, bench->timed_storm);
}

static int run_counts(struct bench *bench)
{
	const struct driver *driver, *timed;
	json_t *points;
	int i, error;

	for (i = 0; i < bench->rows; i++) {
		progress_step(&bench->progress, "counts", bench->row[i]->row);
		driver = driver_find(drivers_counting, bench->row[i]->row);
		error = counts_steady(driver, COUNTED_EVENTS, TICKS_BETWEEN_EVENTS, false,
				      &bench->counts[i]);
		if (!error)
			error = counts_steady(driver, WRAPPING_EVENTS,
					      TICKS_BETWEEN_EVENTS, true, &bench->wrapping[i]);
		if (error)
			return error;
		timed = driver_find(drivers_timed, bench->row[i]->row);
		bench->instructions[i] = steps_per_event(timed);
		if (driver->desc->untimed)
			continue;
		points = counts_by_rate(driver, ticks_hz());
		json_array_extend(bench->by_rate, points);
		json_decref(points);
	}
	return 0;
}

/* Decoding and all oracles over a full ring of the checked build: the slowest row counts. */
static int run_decode(struct bench *bench)
{
	uint64_t begin, best, now;
	struct ring_config config;
	struct buffer buffer;
	struct check check;
	double rate;
	int i, round;

	if (place_bind_self(&bench->place, bench->plan.pu[0]))
		return EXIT_RESOURCE;
	for (i = 0; i < bench->rows; i++) {
		/* Without a stamp every event leaves its window: that is not the usual path. */
		if (bench->row[i]->desc->untimed)
			continue;
		progress_step(&bench->progress, "decoding", bench->row[i]->row);
		config = buffer_config(bench->row[i], 12, 8);
		if (buffer_open(&buffer, bench->row[i], &config))
			return EXIT_RESOURCE;
		buffer.driver->run(buffer.scheme, &buffer.writer, 40000);
		buffer.driver->flush(buffer.scheme);
		best = UINT64_MAX;
		for (round = 0; round < DECODE_ROUNDS; round++) {
			check_init(&check, buffer.driver->desc, config.stamp_bits);
			begin = time_ns();
			buffer.driver->drain(buffer.scheme, &check, false);
			now = time_ns() - begin;
			best = now < best ? now : best;
		}
		rate = (double)check.events * 1e9 / (double)best;
		if (!bench->decode_events_per_second || rate < bench->decode_events_per_second)
			bench->decode_events_per_second = rate;
		buffer_close(&buffer);
	}
	return 0;
}

/* A timed repetition whose ring fails an oracle is a broken promise, not a time. */
static void judge_repetitions(struct bench *bench)
{
	const json_t *one;
	const char *violation;
	size_t index;
	int i;

	json_array_foreach(bench->repetitions_json, index, one) {
		violation = json_string_value(json_object_get(one, "violation"));
		for (i = 0; violation && i < bench->rows; i++) {
			if (strcmp(bench->row[i]->row,
				   json_string_value(json_object_get(one, "row"))))
				continue;
			bench->broken = true;
			bench->verdict[i] = check_verdict_name(VERDICT_BROKEN);
			snprintf(bench->why[i], sizeof(bench->why[i]), "timed: %s", violation);
		}
	}
}

int bench_measure(struct bench *bench)
{
	const struct bench_size *size = bench_size(bench);
	int error;

	for (int i = 0; i < bench->rows; i++)
		bench->worst_error[i] = -1;
	error = bench_run_checked(bench, WORKLOAD_steady, size->checked_seconds, 0, bench->stress);
	if (!error)
		error = run_storms(bench);
	if (!error && bench->workload[WORKLOAD_late_beat])
		error = bench_run_checked(bench, WORKLOAD_late_beat, size->late_seconds, 0,
					  bench->late_beat);
	if (!error)
		error = bench_run_workloads(bench);
	if (!error)
		error = run_counts(bench);
	if (!error)
		error = run_decode(bench);
	if (!error && bench->workload[WORKLOAD_steady])
		error = bench_run_beats(bench);
	if (!error && !bench->quick)
		error = bench_run_tails(bench);
	/* Storms and decoding were pinned; the cells' processes choose for themselves. */
	if (!error)
		error = place_unbind_self(&bench->place);
	if (!error && bench->rounds.cells)
		error = bench_calibrate(bench);
	if (!error && bench->rounds.cells)
		error = rounds_run(&bench->rounds);
	if (error)
		return error;
	judge_repetitions(bench);
	return bench->broken ? EXIT_BROKEN : EXIT_FINE;
}
