/* SPDX-License-Identifier: MIT */
/*
 * A run's bench.json as the plots and the page need it. Sections may be missing or empty, and a
 * number may be null: it is then NAN, and a text NULL. What has the wrong type is an error.
 */
#ifndef STAMPEDE_PLOTS_RUN_H
#define STAMPEDE_PLOTS_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "results/record.h"

#define RUN_PROMISES 5
#define RUN_ORACLES 7
#define RUN_SOURCES 4

extern const char *const run_promises[RUN_PROMISES];
extern const char *const run_oracles[RUN_ORACLES];

/* Two quartiles around a median. */
struct spread {
	double median;
	double low;
	double high;
};

/* A cell of the table: one row under one workload. Per event, unless said otherwise. */
struct table_row {
	const char *row;
	const char *workload;
	const char *verdict;
	const char *why; /* for a verdict that is not kept */
	const char *ratio_basis; /* "cycles" or "ticks" */
	const char *instructions_source; /* how they were counted, where the CPU did not */
	double worst_error_ticks;
	double bytes;
	double header_bytes;
	double alignment_bytes;
	double subbuf_bytes;
	double payload_bytes;
	struct spread ns;
	struct spread cycles;
	struct spread ratio; /* to the floor */
	double ratio_95_low; /* interval of the median; NAN in older runs */
	double ratio_95_high;
	bool noisy;
	double ticks;
	double instructions;
	double clock_reads;
	double atomics;
	double repetitions;
	/* The rest is in no record of schema 2 and before. */
	const char *floor; /* the baseline of the row's form */
	double ratio_own; /* to that floor */
	double above_clock_ns; /* less a clock read alone: may be below 0 */
	double cheap_ratio; /* with the cheap clock, to its own floor */
	double cheap_ratio_95_low;
	double cheap_ratio_95_high;
	double left_out_ns; /* a mean less what `ns` says */
	double header_id_bytes; /* header_bytes, and an id where it has none */
	double id_bytes_added;
	bool disagrees; /* ns and ratio are of different repetitions */
	bool below_floor;
};

/* A row under a storm of signals, in the checked build. */
struct storm_row {
	const char *row;
	const char *workload;
	const char *verdict;
	const char *promises[RUN_PROMISES];
	double violations[RUN_ORACLES];
	double delivered[RUN_SOURCES];
	double bits;
	double events;
	double nested;
	double hits;
	double seconds;
	double recording_seconds;
	double writer_share;
	double worst_error_ticks; /* those declared inexact included */
	double typical_error_log2; /* bit length that half of the events stay at or below */
	double inexact; /* stamps declared so */
	double wraps_lost;
};

struct late_step {
	double asked_wraps;
	double gap_wraps;
	double wraps_lost;
	double wrong;
	double repetitions;
	double error_ticks;
};

struct late_row {
	const char *row;
	double bits;
	struct late_step *steps; /* by gap */
	size_t step_count;
};

struct rate_point {
	const char *row;
	double events_per_second;
	double bytes_per_second;
	double header_bytes_per_second;
	double tsc_hz;
};

/* A cell of workload wraps or nested, timed with a set share of them. */
struct injected_cell {
	const char *row;
	const char *workload; /* "wraps:0.001" */
	double wrap_share;
	double nested_share;
	double nested_depth;
	double ratio; /* to the floor's same cell */
};

/* A row under gaps that were recorded, on the virtual clock. */
struct replay_cell {
	const char *row;
	const char *gaps;
	const char *verdict;
	double bytes;
	double header_bytes;
	double bytes_per_second;
};

enum idle_field {
	IDLE_BEATS,
	IDLE_WAKEUPS,
	IDLE_BYTES,
	IDLE_FIELDS,
};

/* What a row does per second while nothing, or next to nothing, happens. */
struct idle_row {
	const char *row;
	double none[IDLE_FIELDS];
	double rare[IDLE_FIELDS]; /* one event per second */
};

/* A step of a cumulated distribution: that share of the samples stays at or below. */
struct tails_point {
	double ticks;
	double share;
};

/* Fenced latencies of a row in one regime [ticks], without samples that a signal hit. */
struct tails_cell {
	const char *row;
	const char *regime;
	const char *gaps; /* NULL but for replay */
	bool variant; /* of another row */
	double samples;
	double hits;
	double p50;
	double p99;
	double p999;
	double p9999;
	double max;
	double fence_p50;
	struct tails_point *points; /* ascending */
	size_t point_count;
};

#define RUN_CUTS 13 /* 0 to 12 low bits */

/* Events per million that share their time with the one before when low bits are cut. */
struct ties_line {
	const char *gaps;
	double tsc_hz;
	double ties[RUN_CUTS];
};

/* Compact events in a channel of their own, merged on read. */
struct channels_cell {
	const char *gaps;
	const char *compact;
	const char *normal;
	double share; /* of the events that are compact */
	double events;
	double saved_share; /* of header bytes; negative: lost */
	double tied_wrong;
	double inversions;
};

/* Times sought in a trace file of one size. */
struct seek_cell {
	const char *row;
	double mib;
	double subbufs;
	double probes; /* begin stamps read per seek, on average */
	double probes_most;
	double seek_ns;
	double read_ns; /* of the whole file from its start */
};

/* One repetition of a cell. */
struct repetition {
	const char *name; /* row/workload */
	const char *time_unit;
	double real_time;
	double cpu_time;
	double ns; /* undisturbed; in a record of schema 1 the CPU time */
	double threads;
	double cycles;
	double ticks;
	double repetition_index; /* the round it was measured in */
};

struct warning {
	const char *name;
	const char *state;
	const char *cause;
	const char *remedy;
};

struct machine {
	const char *host;
	const char *date;
	const char *cpu;
	const char *hypervisor;
	const char *kernel;
	const char *compiler;
	const char *flags;
	const char *revision;
	double cpus;
	double tsc_hz;
};

struct run {
	struct record_loaded loaded; /* owns every text below */
	char *dir; /* where the file is */
	char *name; /* of that directory, links followed */

	struct machine machine;
	double loop_cycles; /* this and the next: negative, or NAN, if not known */
	double loop_ns;
	double decode_events_per_second;

	struct table_row *table;
	size_t table_count;
	struct storm_row *storm; /* workload storm only */
	size_t storm_count;
	struct late_row *late;
	size_t late_count;
	struct rate_point *rates;
	size_t rate_count;
	struct injected_cell *injected;
	size_t injected_count;
	struct replay_cell *replay;
	size_t replay_count;
	struct idle_row *idle;
	size_t idle_count;
	struct tails_cell *tails;
	size_t tails_count;
	struct ties_line *ties;
	size_t ties_count;
	struct seek_cell *seek;
	size_t seek_count;
	struct channels_cell *channels;
	size_t channels_count;
	struct repetition *repetitions;
	size_t repetition_count;
	struct warning *warnings;
	size_t warning_count;
};

/* path: as record_load() takes it. 0, or an exit code after a line; *run is then empty. */
int run_load(const char *path, struct run *run);
void run_free(struct run *run);

/* The cell of `row` under `workload`, or NULL. */
const struct table_row *run_cell(const struct run *run, const char *row, const char *workload);

/* Was anything checked? A row that must not be interrupted records nothing under a storm. */
bool run_storm_checked(const struct storm_row *row);

/*
 * The worst error is that of stamps declared inexact: there are such, and the oracle `exact`, which
 * leaves these out, has no objection.
 */
bool run_storm_worst_declared(const struct storm_row *row);

/* What the same row, measured twice in this run, may differ by from itself; 0 if that is not known. */
double run_noise(const struct run *run);

/* Is `verdict` (NULL: unknown) this word? */
bool run_verdict_is(const char *verdict, const char *word);

/* The row's width if it was judged at several, so that its name alone does not do; else NAN. */
double run_storm_bits(const struct run *run, const struct storm_row *row);

#endif
