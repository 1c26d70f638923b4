/* SPDX-License-Identifier: MIT */
/*
 * Core cycles and instructions of the calling thread, by perf_event_open(2).
 *
 * Both are one group: the kernel schedules them together or not at all, so their ratio is always
 * of the same stretch of code. Many machines refuse them (virtual machines without a PMU,
 * containers, perf_event_paranoid); that is a fact for the record and not an error, so nothing
 * here prints, and a struct whose opening failed may be started, stopped and read all the same:
 * it reads as COUNTERS_NO with the reason.
 *
 *	struct counters counters;
 *	struct counters_values values;
 *
 *	counters_open(&counters, COUNTERS_USER);
 *	counters_start(&counters);
 *	... the work ...
 *	counters_stop(&counters, &values);
 *	counters_close(&counters);
 */
#ifndef STAMPEDE_RUNNER_TIMING_COUNTERS_H
#define STAMPEDE_RUNNER_TIMING_COUNTERS_H

#include <stdint.h>

#define COUNTERS_WHY_BYTES 224

enum counters_scope {
	COUNTERS_USER, /* user mode only: needs perf_event_paranoid <= 2 */
	COUNTERS_USER_KERNEL, /* with the kernel's part in this thread: needs <= 1 */
};

enum counters_state {
	COUNTERS_NO, /* no values: see why */
	COUNTERS_YES, /* counted all the time */
	COUNTERS_SCALED, /* shared the PMU: values are extrapolated, see running_ns */
};

/* Kernel totals since opening. */
struct counters_snapshot {
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t count[2]; /* in the order of opening: cycles, instructions */
};

struct counters {
	int fd[2]; /* the group leader first; -1 if not open */
	struct counters_snapshot start;
	char why[COUNTERS_WHY_BYTES]; /* "" while all is well */
};

struct counters_values {
	enum counters_state state;
	uint64_t cycles;
	uint64_t instructions;
	uint64_t enabled_ns; /* from start to stop */
	uint64_t running_ns; /* the part of it in which the PMU counted */
	char why[COUNTERS_WHY_BYTES]; /* COUNTERS_NO: reason and remedy; else "" */
};

/* An event in perf_event_open's numbers (attr.type, attr.config). */
struct counters_event {
	uint32_t type;
	uint64_t config;
	const char *name;
};

/*
 * Open the group for the calling thread, stopped. Other threads, also those it creates, are not
 * counted. Returns 0, or -1 with the reason and the remedy in counters->why.
 * Two structs, one of each scope, may be open at once; the PMU needs four counters then.
 */
int counters_open(struct counters *counters, enum counters_scope scope);

/* The same with other events in place of cycles and instructions, such as the kernel's own. */
int counters_open_events(struct counters *counters, const struct counters_event events[2],
			 enum counters_scope scope);

/*
 * Count from here to counters_stop(); may be repeated. Both cost system calls, so let the work
 * between them be long. Each returns 0, or -1 if there is nothing valid to read, and why.
 */
int counters_start(struct counters *counters);
int counters_stop(struct counters *counters, struct counters_values *values);

void counters_close(struct counters *counters);

/* Pure: what was counted between two snapshots. */
void counters_evaluate(const struct counters_snapshot *start, const struct counters_snapshot *stop,
		       struct counters_values *values);

/*
 * Pure: why perf_event_open() failed with errno `error` for the event called `name`, and what to
 * do about it, at most COUNTERS_WHY_BYTES. `paranoid` is the text of perf_event_paranoid.
 */
void counters_explain(int error, const char *name, enum counters_scope scope, const char *paranoid,
		      char why[COUNTERS_WHY_BYTES]);

#endif
