/* SPDX-License-Identifier: MIT */
/* bench: what was asked for, and what that comes to. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "judge/driver.h"
#include "workloads/workload.h"

typedef bool plan_FLAG;
typedef const char *plan_TEXT;
typedef const char *plan_OUT;
typedef uint64_t plan_NUMBER;
typedef double plan_REAL;

struct plan {
	/* as the user said it */
#define X(name, kind, member, ...) plan_##kind member;
#include "runner/plan.def"
#undef X

	/* what is run: plan_choose() */
	enum workload_size size;
	const struct driver *rows[DRIVERS_MAX]; /* of the checked build */
	int count;
	bool chosen[WORKLOADS_MAX]; /* by workload_index() */
};

/* Default options. */
extern const struct plan plan_usual;

/* False: the program is to end with *status. */
bool plan_parse(int argc, char **argv, struct plan *plan, int *status);

/* Rows and workloads, for people. */
void plan_list(void);

/* An exit code, after a line on stderr. */
int plan_choose(struct plan *plan);

/* The command that repeats the run. */
json_t *plan_command(const struct plan *plan);
