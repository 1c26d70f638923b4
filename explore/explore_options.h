/* SPDX-License-Identifier: MIT */
/* What the user of build/explore asks for. */
#ifndef STAMPEDE_EXPLORE_EXPLORE_OPTIONS_H
#define STAMPEDE_EXPLORE_EXPLORE_OPTIONS_H

#include "explore/replay/show.h"
#include "explore/tiers.h"

#define SHARDS_MOST 100000

struct explore_options {
	const char *schemes;
	const char *objects;
	const char *object; /* one explored row by its file */
	const char *replay;
	const char *json;
	const char *plan; /* the folder that a plan is to be written to */
	const char *times; /* with plan: a record that has seconds */
	const char *directory; /* of shards: with run_shard or merge */
	unsigned int shards; /* with plan: how many */
	unsigned int shard;
	bool run_shard;
	bool merge;
	struct show *show;
	int tier;
	unsigned int processes;
	bool processes_asked;
	bool single; /* one family, from the members below */
	bool verbose;
	bool audit;
	bool coverage;
	struct family family;
	struct search search;
};

/*
 * Reads the command line into `options`, which has the defaults. False: the program is to end with
 * *status, as of options_parse().
 */
bool explore_options_parse(int argc, char **argv, struct explore_options *options, int *status);

/*
 * What a plan's options searched, into `options` as they are parsed now; false, after a line on
 * stderr, if they are not understood.
 */
bool explore_options_again(int argc, char **argv, struct explore_options *options);

#endif
