/* SPDX-License-Identifier: MIT */
/* What a bench run consists of; bench.c is its command line. */
#ifndef STAMPEDE_RUNNER_BENCH_PHASES_H
#define STAMPEDE_RUNNER_BENCH_PHASES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cell.h"
#include "counts.h"
#include "driver.h"
#include "place.h"
#include "progress.h"
#include "record.h"
#include "rounds.h"
#include "stress.h"

/* Seconds and rounds of a size of run. */
struct bench_size {
	double checked_seconds;
	double storm_seconds;
	double late_seconds;
	double cell_ns;
	unsigned int rounds;
	unsigned int thread_rounds;
	unsigned int injected_rounds;
	double idle_seconds; /* without any event */
	double rare_seconds; /* with one event per second; 0: not run */
};

struct bench {
	/* what the user asked for */
	bool quick;
	bool full; /* all rows, all cells, many samples */
	const char *schemes;
	const char *workloads;
	const char *cpus;
	const char *results;
	uint64_t repetitions; /* 0: by quick */
	uint64_t seed;

	/* the machine and the record */
	struct place place;
	struct place_plan plan;
	struct record *record;
	char topology[4096];
	double load_before[3];
	double load_after[3];
	int perf_errno; /* 0: cycles and instructions can be counted */
	int cpu[CELL_THREADS_MAX];
	char hwloc_version[32];
	char alias[128];
	json_t *warnings;
	const char *program;

	/* what is run, and what came out; rows index all three of the next */
	const struct driver *row[DRIVERS_MAX]; /* of the checked build */
	int rows;
	struct counts counts[DRIVERS_MAX];
	double instructions[DRIVERS_MAX]; /* by single-step; negative: not to be had */
	const char *verdict[DRIVERS_MAX];
	char why[DRIVERS_MAX][96];
	double worst_error[DRIVERS_MAX];
	bool workload[WORKLOADS];
	bool broken;
	struct progress progress;
	struct rounds rounds;
	json_t *repetitions_json;
	json_t *stress;
	json_t *late_beat;
	json_t *idle;
	json_t *replay;
	json_t *by_rate;
	json_t *tails;
	json_t *precision;
	json_t *seek;
	json_t *channels;
	json_t *table;
	double decode_events_per_second;
	double loop_cycles;
	bool have_cycles;
};

const struct bench_size *bench_size(const struct bench *bench);

void bench_list(void);

/* Which cells are timed, in how many rounds. */
void bench_plan_cells(struct bench *bench);

/*
 * The timed cells of wraps and nested: each row's median, its ratio to the floor of the same round
 * without any wrap or nested writer, and what it loses to itself without them. bench_injected() is
 * the record's section, bench_print_injected() a table of the losses.
 */
bool bench_have_cycles(const struct bench *bench);
json_t *bench_injected(const struct bench *bench);
void bench_print_injected(const struct bench *bench);

/* Chooses rows, CPUs and workloads and opens the record. An exit code. */
int bench_open(struct bench *bench, const char *program);

/* Checks, counts and times. An exit code; EXIT_BROKEN is a result and not a failure. */
int bench_measure(struct bench *bench);

/* All rows through one checked workload; what they said goes into `into`. An exit code. */
int bench_run_checked(struct bench *bench, enum workload workload, double seconds,
		      double rare_seconds, json_t *into);

/* The workloads beside steady, threads, storm and late_beat, as far as chosen. An exit code. */
int bench_run_workloads(struct bench *bench);

/* Fenced latencies of all rows in every regime; how long that takes. An exit code; seconds. */
int bench_run_tails(struct bench *bench);
double bench_tails_seconds(const struct bench *bench);

/* Puts everything but the repetitions into the record, and makes the table. */
void bench_sections(struct bench *bench);

void bench_close(struct bench *bench);

#endif
