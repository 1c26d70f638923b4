/* SPDX-License-Identifier: MIT */
/* bench: what a killed run leaves to go on with, and whether this is the program to do so. */
#ifndef STAMPEDE_RUNNER_RESUME_H
#define STAMPEDE_RUNNER_RESUME_H

#include <jansson.h>

#include "results/record.h"

/*
 * What two processes must have in common to make one run; takes `options` over. NULL: not to be
 * had.
 */
json_t *resume_identity(json_t *options);

/*
 * Takes up the newest unfinished run in `results`, if it is mine; without options (as those of
 * `nothing`), whatever its own were. *options are those, the record's. An exit code.
 */
int resume_find(const char *results, const json_t *mine, const json_t *nothing,
		struct record **record, const json_t **options);

/* Goes before the first part: a run that never got there is not worth going on with. */
int resume_begin(struct record *record, json_t *mine);

#endif
