/* SPDX-License-Identifier: MIT */
/* The options of build/explore. */
#pragma once

#include "explore/replay/show.h"
#include "explore/family/tiers.h"

struct explore_options {
	const char *schemes;
	const char *objects;
	const char *object; /* one explored row by its file */
	const char *foreign; /* the folder of a shim, of which that is made */
	const char *replay;
	const char *json;
	struct show *show;
	int tier;
	unsigned int processes;
	bool processes_asked;
	bool single; /* one family, from the members below */
	bool verbose;
	int order; /* of memory: as the words of --order */
	struct family family;
	struct search search;
};

/*
 * Reads the command line into `options`, which has the defaults. False: the program is to end with
 * *status, as of options_parse().
 */
bool explore_options_parse(int argc, char **argv, struct explore_options *options, int *status);
