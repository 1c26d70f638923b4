/* SPDX-License-Identifier: MIT */
/* bench: the machine, the CPUs that are used of it, and what disturbs times there. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "runner/place/place.h"
#include "results/metadata.h"

struct where {
	struct place place;
	struct place_plan cpus; /* all that are allowed */
	char alias[METADATA_ALIAS_BYTES];
	json_t *machine; /* of machine_read() */
	bool load_known;
	double load_before[3];
	double load_after[3];
	const char *program; /* argv[0] */
	struct metadata_input run; /* what it is of: points to the others */
};

/* On the CPUs of `list`, NULL: on all; installs the handlers of signals. An exit code. */
int where_open(struct where *where, const char *list, const char *program, uint64_t seed);
void where_close(struct where *where);

/* What machine it is, with the load of now as that after the run. A new reference. */
json_t *where_context(struct where *where);
