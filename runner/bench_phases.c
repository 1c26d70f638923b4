// SPDX-License-Identifier: MIT
#include "bench_phases.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "cell.h"
#include "claims/claims.h"
#include "counters.h"
#include "gbench.h"
#include "interrupts.h"
#include "machine.h"
#include "metadata.h"
#include "options.h"
#include "steps.h"
#include "stress_print.h"
#include "summary.h"
#include "ticks.h"

#define CHECKED_EVENTS_SECONDS 0.4 /* more than a million events of most rows */
#define TICKS_BETWEEN_EVENTS 35
#define COUNTED_EVENTS 200000
#define WRAPPING_EVENTS 20000
#define DECODE_ROUNDS 40

static const struct bench_size full = { 2, 6, 3, 15e6, 41, 21, 21, 1, 3, 240 };
static const struct bench_size standard = { 0.5, 2, 1, 15e6, 41, 21, 13, 0.3, 0, 15 };
static const struct bench_size quick = { 0.1, 0.2, 0.1, 4e6, 11, 11, 7, 0.2, 0, 3 };

const struct bench_size *bench_size(const struct bench *bench)
{
	return bench->quick ? &quick : bench->full ? &full : &standard;
}

void bench_list(void)
{
	unsigned int i;

	for (i = 0; drivers_timed[i]; i++)
		driver_list(stdout, drivers_timed[i]);
	for (i = 0; i < WORKLOADS; i++)
		printf("%-30s %s\n", workload_name((enum workload)i),
		       workload_text((enum workload)i));
}

/* Without a word from the user; what takes long, and is there in run-stress, is for full runs. */
static bool bench_runs(const struct bench *bench, enum workload workload)
{
	switch (workload) {
	case WORKLOAD_wraps:
	case WORKLOAD_nested:
	case WORKLOAD_idle:
		return !bench->quick;
	case WORKLOAD_migrate:
		return false; /* nothing to time: run-stress */
	case WORKLOAD_stall:
	case WORKLOAD_seek:
	case WORKLOAD_handoff:
		return bench->full;
	default:
		return true;
	}
}

static int choose_workloads(struct bench *bench)
{
	const char *list = bench->workloads ? bench->workloads : "";
	size_t length;
	unsigned int i;
	bool found, any = false;

	for (list += strspn(list, " ,"); *list; list += length, list += strspn(list, " ,")) {
		length = strcspn(list, " ,");
		found = false;
		for (i = 0; i < WORKLOADS; i++)
			if (strlen(workload_names[i]) == length &&
			    !strncmp(list, workload_names[i], length))
				found = bench->workload[i] = true;
		any = true;
		if (!found) {
			option_unknown("workload", list, length, workload_names);
			return EXIT_USAGE;
		}
	}
	if (bench->workload[WORKLOAD_migrate]) {
		fprintf(stderr, "stampede: migrate is for run-stress, not for bench\n");
		return EXIT_UNSUPPORTED;
	}
	for (i = 0; !any && i < WORKLOADS; i++)
		bench->workload[i] = bench_runs(bench, (enum workload)i);
	return 0;
}

/* The chosen rows, and the floor with them: every ratio needs it. */
static int choose_rows(struct bench *bench)
{
	char list[4096];

	if (bench->schemes && bench->schemes[strspn(bench->schemes, " ,")]) {
		snprintf(list, sizeof(list), "floor %s", bench->schemes);
		bench->rows = driver_select(drivers_checked, list, bench->row, DRIVERS_MAX);
	} else {
		bench->rows = driver_select(drivers_checked, NULL, bench->row, DRIVERS_MAX);
		if (!bench->full)
			bench->rows = driver_omit_variants(NULL, bench->row, bench->rows);
	}
	if (bench->rows < 0)
		return EXIT_USAGE;
	bench->rows = driver_omit_unsupported(bench->row, bench->rows);
	return 0;
}

static double expected_seconds(const struct bench *bench)
{
	const struct bench_size *size = bench_size(bench);
	double seconds = 0;
	unsigned int i;

	seconds += bench->rows * size->checked_seconds;
	seconds += bench->workload[WORKLOAD_storm] * bench->rows * size->storm_seconds;
	seconds += bench->workload[WORKLOAD_late_beat] * bench->rows * size->late_seconds;
	seconds += bench_tails_seconds(bench);
	/* Most of it to write the files. */
	seconds += bench->workload[WORKLOAD_seek] * (bench->full ? 40 : 3);
	seconds += bench->workload[WORKLOAD_idle] * bench->rows *
		   (size->idle_seconds + size->rare_seconds);
	seconds += (bench->workload[WORKLOAD_stall] + bench->workload[WORKLOAD_handoff]) *
		   bench->rows * size->checked_seconds;
	for (i = 0; i < bench->rounds.cells; i++)
		seconds += bench->rounds.cell[i].rounds * size->cell_ns * 3e-9;
	return seconds;
}

/* What the record says of the machine; pointers into `bench`, valid as long as it is. */
static struct metadata_input describe(struct bench *bench)
{
	unsigned int i, version = hwloc_get_api_version();

	snprintf(bench->hwloc_version, sizeof(bench->hwloc_version), "%u.%u.%u", version >> 16,
		 version >> 8 & 255, version & 255);
	for (i = 0; i < bench->plan.count && i < CELL_THREADS_MAX; i++)
		bench->cpu[i] = (int)bench->plan.pu[i];
	return (struct metadata_input){
		.host_alias = bench->alias,
		.executable = bench->program,
		.cpus = bench->cpu,
		.cpu_count = i,
		.tsc_hz = ticks_hz(),
		.tsc_hz_source = ticks_source(),
		.seed = &bench->seed,
		.order = "rounds, shuffled by splitmix64 of seed and round",
		.load_before = bench->load_known ? bench->load_before : NULL,
		.load_after = bench->load_known ? bench->load_after : NULL,
		.perf_access = bench->perf_errno ? PERF_REFUSED : PERF_OPENED,
		.perf_errno = bench->perf_errno,
		.hwloc_version = bench->hwloc_version,
		.benchmark_version = gbench_version(),
		.library_build_type = "unknown",
	};
}

/* What disturbs times here is said before they are taken. */
static void warn(struct bench *bench)
{
	struct metadata_input input;
	struct counters counters;

	errno = 0;
	if (counters_open(&counters, COUNTERS_USER))
		bench->perf_errno = errno ? errno : ENOENT;
	counters_close(&counters);
	input = describe(bench);
	bench->warnings = warnings_collect(&input);
	warnings_print(bench->warnings, bench->json ? stderr : stdout);
	record_set(bench->record, "warnings", bench->warnings);
}

static json_t *context(struct bench *bench)
{
	struct metadata_input input;
	json_t *json;

	bench->load_known &= machine_read_load("", bench->load_after);
	input = describe(bench);
	json = metadata_context(&input);
	return json;
}

static void set_section(struct bench *bench, const char *key, json_t *value)
{
	record_set(bench->record, key, value);
	json_decref(value);
}

/*
 * What other programs found last, so that this record's page can show it: make reproduce-kernel,
 * make verdicts; often nothing.
 */
static void take_over(struct bench *bench, const char *key)
{
	char path[4096];
	json_t *found;

	snprintf(path, sizeof(path), "%s/../latest-%s/%s.json", record_dir(bench->record), key, key);
	found = json_load_file(path, 0, NULL);
	if (found)
		set_section(bench, key, found);
}

int bench_open(struct bench *bench, const char *program)
{
	unsigned int allowed;
	int error;

	bench->program = program;
	error = bench->resume ? bench_resume(bench) : 0;
	if (!error)
		error = choose_workloads(bench);
	if (!error)
		error = choose_rows(bench);
	if (!error)
		error = (int)place_open(&bench->place);
	if (error)
		return error;
	allowed = (unsigned int)hwloc_bitmap_weight(bench->place.allowed);
	if (bench->cpus) {
		hwloc_bitmap_t list = hwloc_bitmap_alloc();

		if (list && !hwloc_bitmap_list_sscanf(list, bench->cpus))
			allowed = (unsigned int)hwloc_bitmap_weight(list);
		hwloc_bitmap_free(list);
	}
	error = (int)place_plan(&bench->place, bench->cpus, allowed ? allowed : 1, &bench->plan);
	if (error || interrupts_install())
		return error ? error : EXIT_RESOURCE;
	bench->load_known = machine_read_load("", bench->load_before);
	metadata_host_alias(NULL, bench->alias, sizeof(bench->alias));
	if (!bench->resume)
		error = record_create(bench->results, bench->alias, &bench->record);
	if (error)
		return error;
	snprintf(bench->topology, sizeof(bench->topology), "%s/topology.xml",
		 record_dir(bench->record));
	error = (int)place_export_xml(&bench->place, bench->topology);
	bench->repetitions_json = json_copy((json_t *)record_rows(bench->record));
	bench->stress = json_array();
	bench->late_beat = json_array();
	bench->idle = json_array();
	bench->replay = json_array();
	bench->by_rate = json_array();
	bench->tails = json_array();
	bench->precision = json_array();
	bench->seek = json_array();
	bench->channels = json_array();
	bench_plan_cells(bench);
	warn(bench);
	/* At once, so that a killed run still knows its machine; at the end with the load after. */
	set_section(bench, "context", context(bench));
	progress_begin(&bench->progress, expected_seconds(bench));
	if (error) {
		record_abort(bench->record);
		bench->record = NULL;
	}
	return error;
}

/* Remembers the worst of what a row's checked runs said. */
static void judge(struct bench *bench, int row, const struct stress_config *config,
		  const struct stress_result *result)
{
	const struct scheme_desc *desc = bench->row[row]->desc;
	enum verdict verdict = stress_verdict(result);
	bool promises = desc->promises & ~(uint32_t)PROMISE_BOUNDED;
	unsigned int oracle;

	if (!bench->verdict[row])
		bench->verdict[row] = promises ? check_verdict_name(VERDICT_KEPT) : "no promise";
	if (verdict == VERDICT_BROKEN) {
		bench->broken = true;
		bench->verdict[row] = check_verdict_name(VERDICT_BROKEN);
		for (oracle = 0; oracle < ORACLES; oracle++)
			if (result->check.violations[oracle])
				snprintf(bench->why[row], sizeof(bench->why[row]), "%s: %s",
					 workload_name(config->workload),
					 result->check.first[oracle].text);
	} else if (verdict == VERDICT_NEED_NOT_MET && promises &&
		   config->workload == WORKLOAD_storm) {
		bench->verdict[row] = check_verdict_name(verdict);
	}
	if (config->workload == WORKLOAD_storm && !desc->untimed)
		bench->worst_error[row] = (double)(result->check.events ?
							   result->check.worst_error :
							   result->voided.worst_error);
}

/* Or takes what an earlier process said. */
static int run_one_checked(struct bench *bench, int row, const struct stress_config *config,
			   struct stress_result *result, json_t *into)
{
	const json_t *kept = bench_checked(bench, workload_name(config->workload), row);
	json_t *json;
	int error;

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
	error = bench_keep_checked(bench, workload_name(config->workload), row, json);
	json_decref(json);
	return error;
}

int bench_run_checked(struct bench *bench, enum workload workload, double seconds,
		      double rare_seconds, json_t *into)
{
	struct stress_config config = {
		.workload = workload,
		.seconds = seconds,
		.levels = 3,
		.threads = workload == WORKLOAD_handoff ? 2 : 1,
		.rare_seconds = rare_seconds,
		.seed = bench->seed,
		.place = &bench->place,
		.pu = bench->plan.pu,
		.has_sender = stress_has_storm(workload) && bench->plan.count > 1,
	};
	struct stress_result *result = malloc(sizeof(*result));
	int i, error = result ? 0 : EXIT_RESOURCE;

	for (i = 0; i < bench->rows && !error && !stress_stop; i++) {
		config.driver = bench->row[i];
		progress_step(&bench->progress, workload_name(workload), bench->row[i]->row);
		error = run_one_checked(bench, i, &config, result, into);
	}
	free(result);
	return error ? error : stress_stop ? EXIT_INTERRUPTED : 0;
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

/* Decoding and all six oracles over a full ring of the checked build: the slowest row counts. */
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
	if (!error && bench->workload[WORKLOAD_storm])
		error = bench_run_checked(bench, WORKLOAD_storm, size->storm_seconds, 0,
					  bench->stress);
	if (!error && bench->workload[WORKLOAD_late_beat])
		error = bench_run_checked(bench, WORKLOAD_late_beat, size->late_seconds, 0,
					  bench->late_beat);
	if (!error)
		error = bench_run_workloads(bench);
	if (!error)
		error = run_counts(bench);
	if (!error)
		error = run_decode(bench);
	if (!error && !bench->quick)
		error = bench_run_tails(bench);
	/* Storms and decoding were pinned; the cells' processes choose for themselves. */
	if (!error)
		error = (int)place_unbind_self(&bench->place);
	if (!error && bench->rounds.cells)
		error = bench_calibrate(bench);
	if (!error && bench->rounds.cells)
		error = rounds_run(&bench->rounds);
	if (error)
		return error;
	judge_repetitions(bench);
	return bench->broken ? EXIT_BROKEN : EXIT_FINE;
}

static void make_table(struct bench *bench)
{
	static const char *const timed[] = { "steady", "threads" };
	unsigned int w;
	int i;

	bench->table = json_array();
	for (w = 0; w < 2; w++) {
		for (i = 0; i < bench->rows; i++) {
			struct summary_row about = {
				.row = bench->row[i]->row,
				.workload = timed[w],
				.verdict = bench->verdict[i],
				.why = bench->why[i][0] ? bench->why[i] : NULL,
				.worst_error_ticks = bench->worst_error[i],
				.clock_reads = bench->counts[i].clock_reads,
				.atomics = bench->counts[i].atomics,
				.extended = bench->counts[i].extended,
				.instructions = bench->instructions[i],
			};
			json_t *line = summary_line(bench->repetitions_json, &about);

			if (line)
				json_array_append_new(bench->table, line);
		}
	}
}

/* What is the same in every run of the same code: what compare goes by first. */
static json_t *exact(const struct bench *bench)
{
	json_t *lines = json_array(), *line;
	const struct counts *calm, *wrapping;
	int i;

	for (i = 0; i < bench->rows; i++) {
		calm = &bench->counts[i];
		wrapping = &bench->wrapping[i];
		line = json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "row",
				 bench->row[i]->row, "clock_reads", calm->clock_reads, "atomics",
				 calm->atomics, "extended", calm->extended, "header_bytes",
				 calm->header_bytes, "wrapping_clock_reads", wrapping->clock_reads,
				 "wrapping_atomics", wrapping->atomics, "wrapping_extended",
				 wrapping->extended, "wrapping_header_bytes",
				 wrapping->header_bytes);
		json_object_set_new(line, "instructions", bench->instructions[i] < 0 ?
				    json_null() : json_real(bench->instructions[i]));
		json_array_append_new(lines, line);
	}
	return lines;
}

static json_t *noise_json(const struct bench *bench)
{
	struct bench_noise noise = bench_noise(bench);

	return json_pack("{s:I, s:I, s:b, s:f, s:f, s:I, s:I}", "ratios", (json_int_t)noise.cells,
			 "noisy", (json_int_t)noise.noisy, "too_noisy", bench_too_noisy(&noise),
			 "half_width", summary_half_width, "budget_seconds",
			 bench->rounds.budget_seconds, "repetitions",
			 (json_int_t)noise.repetitions, "disturbed", (json_int_t)noise.disturbed);
}

static json_t *test_claims(struct bench *bench)
{
	json_t *record = json_pack("{s:O, s:O, s:O, s:O, s:O, s:o}", "benchmarks",
				   bench->repetitions_json, "stress", bench->stress, "tails",
				   bench->tails, "bytes_by_rate", bench->by_rate, "table",
				   bench->table, "schemes", bench_schemes(bench));
	json_t *claims = claims_test(record, NULL);

	json_decref(record);
	return claims;
}

void bench_sections(struct bench *bench)
{
	double cycles = summary_median(bench->repetitions_json, CELL_EMPTY, "steady", "cycles");
	double ticks = summary_median(bench->repetitions_json, CELL_EMPTY, "steady", "ticks");
	double ns = summary_median(bench->repetitions_json, CELL_EMPTY, "steady", "ns");

	bench->have_cycles = bench_have_cycles(bench);
	bench->loop_cycles = bench->have_cycles ? cycles : ticks;
	make_table(bench);
	set_section(bench, "context", context(bench));
	record_set(bench->record, "table", bench->table);
	record_set(bench->record, "stress", bench->stress);
	record_set(bench->record, "late_beat", bench->late_beat);
	record_set(bench->record, "bytes_by_rate", bench->by_rate);
	record_set(bench->record, "tails", bench->tails);
	record_set(bench->record, "precision", bench->precision);
	record_set(bench->record, "seek", bench->seek);
	record_set(bench->record, "channels", bench->channels);
	record_set(bench->record, "idle", bench->idle);
	record_set(bench->record, "replay", bench->replay);
	take_over(bench, "kernel");
	take_over(bench, "explored");
	bench->injected = bench_injected(bench);
	record_set(bench->record, "injected", bench->injected);
	set_section(bench, "exact", exact(bench));
	set_section(bench, "schemes", bench_schemes(bench));
	set_section(bench, "left_out", bench_left_out());
	set_section(bench, "command", bench_command(bench));
	set_section(bench, "claims", test_claims(bench));
	set_section(bench, "noise", noise_json(bench));
	set_section(bench, "harness",
		    json_pack("{s:f, s:f, s:f, s:f}", "loop_cycles", cycles, "loop_ticks", ticks,
			      "loop_ns", ns, "decode_events_per_second",
			      bench->decode_events_per_second));
}

void bench_close(struct bench *bench)
{
	json_decref(bench->repetitions_json);
	json_decref(bench->stress);
	json_decref(bench->late_beat);
	json_decref(bench->idle);
	json_decref(bench->replay);
	json_decref(bench->by_rate);
	json_decref(bench->tails);
	json_decref(bench->precision);
	json_decref(bench->seek);
	json_decref(bench->channels);
	json_decref(bench->table);
	json_decref(bench->injected);
	json_decref(bench->warnings);
	place_plan_free(&bench->plan);
	place_close(&bench->place);
}
