/* SPDX-License-Identifier: MIT */
/*
 * A search in shares for many machines. A folder has all of it: plan.jsonl says what there is to
 * do, one line per shard behind a line about all, and shard-K.json what the K-th found. Who starts
 * the shards, and where, is not known here.
 */
#ifndef STAMPEDE_EXPLORE_SHARDS_H
#define STAMPEDE_EXPLORE_SHARDS_H

#include "explore/explore_options.h"

/*
 * Writes the plan of what the options ask for into options->plan, which is made if it is not there;
 * argv is what a shard is to ask for again. An exit code.
 */
int shards_plan(const struct explore_options *options, int argc, char **argv);

/* Does one, unless its record is there. An exit code; without a record unless it is EXIT_FINE. */
int shards_run(const struct explore_options *options);

/*
 * What all of them found, as a search in one process says and records it. An exit code, of
 * which EXIT_INTERRUPTED is that some shards are missing.
 */
int shards_merge(const struct explore_options *options);

#endif
