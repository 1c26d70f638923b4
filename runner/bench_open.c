// SPDX-License-Identifier: MIT
#include "runner/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/interrupts.h"
#include "results/machine.h"
#include "results/metadata.h"
#include "base/options.h"

static const struct bench_size full = {
	.checked_seconds = 2,
	.storm_seconds = 4,
	.timed_storm_seconds = 1,
	.narrow_seconds = 2,
	.beat_seconds = 0.3,
	.late_seconds = 3,
	.cell_ns = 15e6,
	.rounds = 41,
	.thread_rounds = 21,
	.injected_rounds = 21,
	.cheap_rounds = 21,
	.idle_seconds = 1,
	.rare_seconds = 3,
	.budget_seconds = 240,
};

static const struct bench_size standard = {
	.checked_seconds = 0.5,
	.storm_seconds = 1,
	.timed_storm_seconds = 0.3,
	.narrow_seconds = 0.5,
	.beat_seconds = 0.1,
	.late_seconds = 0.6,
	.cell_ns = 15e6,
	.rounds = 31,
	.thread_rounds = 15,
	.injected_rounds = 11,
	.cheap_rounds = 13,
	.idle_seconds = 0.3,
	.rare_seconds = 0,
	.budget_seconds = 12,
};

static const struct bench_size quick = {
	.checked_seconds = 0.1,
	.storm_seconds = 0.2,
	.timed_storm_seconds = 0.1,
	.narrow_seconds = 0,
	.beat_seconds = 0.05,
	.late_seconds = 0.1,
	.cell_ns = 2e6,
	.rounds = 7,
	.thread_rounds = 11,
	.injected_rounds = 7,
	.idle_seconds = 0.2,
	.rare_seconds = 0,
	.budget_seconds = 13,
};

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
	case WORKLOAD_threads: /* a quick run has its time for steady cells */
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
	seconds += bench->workload[WORKLOAD_storm] * bench->rows *
		   (size->storm_seconds + size->narrow_seconds + size->timed_storm_seconds);
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
		error = place_open(&bench->place);
	if (error)
		return error;
	allowed = (unsigned int)hwloc_bitmap_weight(bench->place.allowed);
	if (bench->cpus) {
		hwloc_bitmap_t list = hwloc_bitmap_alloc();

		if (list && !hwloc_bitmap_list_sscanf(list, bench->cpus))
			allowed = (unsigned int)hwloc_bitmap_weight(list);
		hwloc_bitmap_free(list);
	}
	error = place_plan(&bench->place, bench->cpus, allowed ? allowed : 1, &bench->plan);
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
	error = place_export_xml(&bench->place, bench->topology);
	bench->repetitions_json = json_copy((json_t *)record_rows(bench->record));
	bench->stress = json_array();
	bench->timed_storm = json_array();
	bench->late_beat = json_array();
	bench->idle = json_array();
	bench->replay = json_array();
	bench->by_rate = json_array();
	bench->tails = json_array();
	bench->precision = json_array();
	bench->seek = json_array();
	bench->channels = json_array();
	bench->beats = json_array();
	bench_plan_cells(bench);
	bench_warn(bench);
	/* At once, so that a killed run still knows its machine; at the end with the load after. */
	bench_context(bench);
	progress_begin(&bench->progress, expected_seconds(bench));
	if (error) {
		record_abort(bench->record);
		bench->record = NULL;
	}
	return error;
}

void bench_close(struct bench *bench)
{
	json_decref(bench->repetitions_json);
	json_decref(bench->stress);
	json_decref(bench->timed_storm);
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
	json_decref(bench->beats);
	json_decref(bench->again);
	json_decref(bench->warnings);
	place_plan_free(&bench->plan);
	place_close(&bench->place);
}
