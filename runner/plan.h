/* SPDX-License-Identifier: MIT */
/* bench: what was asked for, and what that comes to. */
#ifndef STAMPEDE_RUNNER_PLAN_H
#define STAMPEDE_RUNNER_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "judge/driver.h"
#include "workloads/workload.h"

#define PLAN_NO_BUDGET UINT64_MAX

struct plan {
	/* as the user said it */
	bool quick;
	bool full; /* all rows, all cells, many samples */
	const char *schemes;
	const char *workloads;
	const char *cpus;
	const char *results;
	const char *json; /* where the record goes once more; NULL: a table for people */
	uint64_t repetitions; /* 0: by the size */
	uint64_t budget; /* seconds; PLAN_NO_BUDGET: by the size */
	uint64_t seed;
	bool resume; /* the newest unfinished run */
	bool list;
	bool all; /* every table, as wide as it is */
	const char *which; /* needs; the row to take for them is said, and nothing is run */
	const char *used_by; /* with list: the product whose row is wanted; NULL: all rows */

	/* what is run: plan_choose() */
	enum workload_size size;
	const struct driver *rows[DRIVERS_MAX]; /* of the checked build */
	int count;
	bool chosen[WORKLOADS_MAX]; /* by workload_index() */
};

/* False: the program is to end with *status. */
bool plan_parse(int argc, char **argv, struct plan *plan, int *status);

/* Rows and workloads, for people. */
void plan_list(void);

/*
 * What the user said, for the record; equal ones make runs that go together. Texts stay the JSON's.
 */
json_t *plan_json(const struct plan *plan);
void plan_take(struct plan *plan, const json_t *options);

/* An exit code, after a line on stderr. */
int plan_choose(struct plan *plan);

/* The command that repeats the run. */
json_t *plan_command(const struct plan *plan);

#endif
