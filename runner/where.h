/* SPDX-License-Identifier: MIT */
/* bench: the machine, the CPUs that are used of it, and what disturbs times there. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "runner/place/place.h"

struct where {
	struct place place;
	struct place_plan cpus; /* all that are allowed */
	json_t *told; /* by results/machine.py: alias, context, warnings, named, all */
	const char *program; /* argv[0] */
};

/* On the CPUs of `list`, NULL: on all; installs the handlers of signals. An exit code. */
int where_open(struct where *where, const char *list, const char *program, uint64_t seed);
void where_close(struct where *where);

/*
 * A name for this machine that may be published: $STAMPEDE_HOST_ALIAS if that holds anything
 * usable, else CPU model and number of CPUs, such as "amd-epyc-2cpu". Fit for record_create().
 */
const char *where_alias(const struct where *where);

/* What machine it is, with the load of now as that after the run. A new reference. */
json_t *where_context(struct where *where);
