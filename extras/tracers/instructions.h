/* SPDX-License-Identifier: MIT */
/* What workload `every` (every.h) did, which instruction a breach belongs to, and why a run ended.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "extras/tracers/verdict.h"

struct every_breach {
	char at[64]; /* PLAN:K or PLAN:K:L, as --at has it */
	char where[512]; /* the instruction, or both */
};

struct every_sum {
	uint64_t plans, instructions, first,
		masked; /* of the longest event; the first of a thread */
	uint64_t interrupts, stuck;
	char stuck_at[256]; /* what the first one that never returned had interrupted */
	struct every_breach breach[TRACER_PROMISES];
};

/* Adds a round, of which `out` has the files and `judged` the verdict. Returns an exit code. */
int every_add(struct every_sum *sum, const char *out, const struct tracer_judged *judged);

/* Says in one line why the driver ended, if it is known from `out` and the exit code. */
bool every_ended(const char *out, const char *tracer, int code);

void every_say(const struct every_sum *sum);
json_t *every_json(const struct every_sum *sum);
