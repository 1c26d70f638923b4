/* SPDX-License-Identifier: MIT */
/* bench: what came of the run so far: sections of the record, and what is said of each row. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/progress.h"
#include "judge/check.h"
#include "judge/driver.h"
#include "results/record.h"
#include "runner/timing/summary.h"
#include "workloads/workload.h"

struct run_row {
	const char *row;
	enum verdict verdict; /* of all checked runs together; */
	bool judged; /* ... if there was one */
	char why[224]; /* the first objection */
	double worst_error; /* ticks, of all that counts; negative: not known */
};

struct run {
	struct record *record;
	struct progress progress;
	json_t *sections; /* of the record by name, arrays of lines with "row", "workload", ... */
	json_t *repetitions; /* of timed cells */
	struct summary_table table;
	struct run_row row[DRIVERS_MAX];
	int rows;
	bool broken; /* a promise */
};

/* Takes `record` over. */
void run_open(struct run *run, struct record *record, const struct driver *const *rows, int count);
void run_close(struct run *run);

/* A section, an array; empty at first. Borrowed. */
json_t *run_section(struct run *run, const char *name);

/* A section that is made at once, of any type; `value` is taken over. */
void run_set(struct run *run, const char *name, json_t *value);

/* Puts all sections into the record; the repetitions are there already. An exit code. */
int run_record(struct run *run);

/* A row kept, or not, what it promises in a checked run; `why` is of VERDICT_BROKEN. */
void run_judge(struct run *run, int row, enum verdict verdict, const char *why);
void run_broke(struct run *run, int row, const char *why);

/* A line on stderr for each row that broke one: a row without a timed cell is in no table. */
void run_complain(const struct run *run);

/* ---- the parts of a bench ---- */

/* Plays the trial of each row, into section "trials". An exit code. */
int tried_rows(const struct workload_bench *bench, struct run *run);

/* Sentences for section "not_tried": of all that could be tried, that this run did not try. */
json_t *tried_not(const struct workload_bench *bench);

/* All forms of a workload in all rows, in the checked build. An exit code. */
int checked_forms(const struct workload *workload, const struct workload_bench *bench,
		  struct run *run);
double checked_forms_seconds(const struct workload *workload, const struct workload_bench *bench);

/* The section that a workload measures itself, if it does. An exit code. */
int checked_section(const struct workload *workload, struct workload_bench *bench, struct run *run);

struct counted_all;
struct rounds;

/* The sections of the record that are made from all that was measured. */
void sections_make(const struct workload_bench *bench, const struct rounds *rounds,
		   const struct counted_all *counted, struct run *run);
