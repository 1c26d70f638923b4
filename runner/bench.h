/* SPDX-License-Identifier: MIT */
/* What a bench run consists of; bench.c is its command line. */
#ifndef STAMPEDE_RUNNER_BENCH_H
#define STAMPEDE_RUNNER_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "timing/cell.h"
#include "workloads/counts.h"
#include "judge/driver.h"
#include "place/place.h"
#include "base/progress.h"
#include "results/record.h"
#include "timing/rounds.h"
#include "workloads/stress.h"

/* Seconds and rounds of a size of run. */
struct bench_size {
	double checked_seconds;
	double storm_seconds;
	double timed_storm_seconds; /* on the timed build */
	double narrow_seconds; /* of the storm at BENCH_NARROW_BITS; 0: none */
	double beat_seconds; /* to find what a beat costs */
	double late_seconds;
	double cell_ns;
	unsigned int rounds;
	unsigned int thread_rounds;
	unsigned int injected_rounds;
	unsigned int cheap_rounds;
	double idle_seconds; /* without any event */
	double rare_seconds; /* with one event per second; 0: not run */
	double budget_seconds; /* for undisturbed cores, and more rounds of what is noisy */
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
	uint64_t budget; /* seconds, if budget_set; else by quick */
	bool budget_set;
	uint64_t seed;
	const char *json; /* where to, "-": standard output; NULL: a table for people */
	bool resume; /* go on with the newest unfinished run */

	/* the machine and the record */
	struct place place;
	struct place_plan plan;
	struct record *record;
	char topology[4096];
	bool load_known;
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
	struct counts wrapping[DRIVERS_MAX]; /* with a wrap every few events */
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
	json_t *timed_storm;
	json_t *late_beat;
	json_t *idle;
	json_t *replay;
	json_t *by_rate;
	json_t *tails;
	json_t *precision;
	json_t *seek;
	json_t *channels;
	json_t *table;
	json_t *injected;
	json_t *beats;
	json_t *again;
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

/*
 * Figures beside the table. bench_run_beats() measures what a beat costs, an exit code; bench_again()
 * is what the same row twice differs by, null if it is not known; bench_mark_below_floor() marks the
 * table's lines that are below the floor of their form by more than that.
 */
int bench_run_beats(struct bench *bench);
json_t *bench_again(const struct bench *bench);
void bench_mark_below_floor(const struct bench *bench, const json_t *again);
void bench_print_figures(const struct bench *bench, const json_t *again);
json_t *bench_injected(const struct bench *bench);
void bench_print_injected(const struct bench *bench);

/* Takes up the newest unfinished run in bench->results, with its options. An exit code. */
int bench_resume(struct bench *bench);

/*
 * What a row's checked run in a phase ("storm") said before this run was resumed, or NULL; the
 * row's verdict is then what it was after it. bench_keep_checked() keeps it. An exit code.
 */
const json_t *bench_checked(struct bench *bench, const char *phase, int row);
int bench_keep_checked(struct bench *bench, const char *phase, int row, json_t *result);

/* rounds_calibrate(), once for a run and all that resume it. An exit code. */
int bench_calibrate(struct bench *bench);

/* What disturbs times on this machine, on stdout and in the record; what machine it is. */
void bench_warn(struct bench *bench);
void bench_context(struct bench *bench);

/* Chooses rows, CPUs and workloads and opens the record. An exit code. */
int bench_open(struct bench *bench, const char *program);

/* Checks, counts and times. An exit code; EXIT_BROKEN is a result and not a failure. */
int bench_measure(struct bench *bench);

/* All rows through one checked workload; what they said goes into `into`. An exit code. */
int bench_run_checked(struct bench *bench, enum workload workload, double seconds,
		      double rare_seconds, json_t *into);

/*
 * The storm once more, with fields so narrow that what a row does at a wrap is done in it all the time.
 * Rows with a beat have wider ones, for a timer that comes in time.
 */
#define BENCH_NARROW_BITS 16
#define BENCH_NARROW_BEAT_BITS 24

/* The workloads beside steady, threads, storm and late_beat, as far as chosen. An exit code. */
int bench_run_workloads(struct bench *bench);

/* What rows promise and need, and the command that repeats the run; for the record. */
json_t *bench_schemes(const struct bench *bench);
/* Rows of all that there are which this machine cannot run, and why. */
json_t *bench_left_out(void);
json_t *bench_command(const struct bench *bench);

/*
 * How well the ratios are known: how many cells have one, and in how many of them its 95 % interval
 * leaves summary_half_width. After bench_sections().
 */
struct bench_noise {
	size_t cells;
	size_t noisy;
	size_t repetitions;
	size_t disturbed; /* and left out of the times */
};
struct bench_noise bench_noise(const struct bench *bench);

/* Most ratios are not known well enough: a ranking would be by chance. */
static inline bool bench_too_noisy(const struct bench_noise *noise)
{
	return 2 * noise->noisy > noise->cells;
}

/* Fenced latencies of all rows in every regime; how long that takes. An exit code; seconds. */
int bench_run_tails(struct bench *bench);
double bench_tails_seconds(const struct bench *bench);

/* Puts everything but the repetitions into the record, and makes the table. */
void bench_sections(struct bench *bench);

void bench_close(struct bench *bench);

#endif
