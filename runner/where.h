/* SPDX-License-Identifier: MIT */
/* bench: the machine, the CPUs that are used of it, and what disturbs times there. */
#ifndef STAMPEDE_RUNNER_WHERE_H
#define STAMPEDE_RUNNER_WHERE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "runner/place/place.h"
#include "results/metadata.h"
#include "workloads/workload.h"

struct where {
	struct place place;
	struct place_plan cpus; /* all that are allowed */
	char topology[4096]; /* file of it, for the processes of timed cells */
	char alias[METADATA_ALIAS_BYTES];
	json_t *machine; /* of machine_read() */
	int cpu[CELL_THREADS_MAX];
	unsigned int count; /* of these */
	bool load_known;
	double load_before[3];
	double load_after[3];
	int perf_errno; /* 0: cycles and instructions can be counted */
	const char *program; /* argv[0] */
	uint64_t seed;
};

/* On the CPUs of `list`, NULL: on all; installs the handlers of signals. An exit code. */
int where_open(struct where *where, const char *list, const char *program, uint64_t seed);
void where_close(struct where *where);

struct record;

/* Writes the topology into the run's directory. An exit code. */
int where_export(struct where *where, struct record *record);

/* What disturbs times here, and what machine it is. New references. */
json_t *where_warnings(struct where *where);
json_t *where_context(struct where *where);

#endif
