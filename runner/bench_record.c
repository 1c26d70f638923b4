// SPDX-License-Identifier: MIT
#include "runner/bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "timing/cell.h"
#include "claims/claims.h"
#include "timing/counters.h"
#include "timing/gbench.h"
#include "results/machine.h"
#include "results/metadata.h"
#include "timing/summary.h"
#include "place/ticks.h"

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
void bench_warn(struct bench *bench)
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

static void set_section(struct bench *bench, const char *key, json_t *value)
{
	record_set(bench->record, key, value);
	json_decref(value);
}

void bench_context(struct bench *bench)
{
	struct metadata_input input;

	bench->load_known &= machine_read_load("", bench->load_after);
	input = describe(bench);
	set_section(bench, "context", metadata_context(&input));
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
				.floor = driver_floor(bench->row[i]),
				.id_bytes = driver_id_bytes_lacking(bench->row[i]),
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

	return json_pack("{s:I, s:I, s:b, s:f, s:f, s:f, s:I, s:I}", "ratios", (json_int_t)noise.cells,
			 "noisy", (json_int_t)noise.noisy, "too_noisy", bench_too_noisy(&noise),
			 "half_width", summary_half_width, "budget_seconds",
			 bench->rounds.budget_seconds, "spent_seconds",
			 bench->rounds.spent_seconds, "repetitions",
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
	bench->again = bench_again(bench);
	bench_mark_below_floor(bench, bench->again);
	bench_context(bench);
	record_set(bench->record, "table", bench->table);
	record_set(bench->record, "again", bench->again);
	record_set(bench->record, "beats", bench->beats);
	record_set(bench->record, "stress", bench->stress);
	record_set(bench->record, "timed_storm", bench->timed_storm);
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
