/* SPDX-License-Identifier: MIT */
/*
 * How many schedules a search has, without it: the mean over schedules drawn at random of how many
 * actions could have been the next at each of theirs, by the chance to come there (Knuth,
 * "Estimating the efficiency of backtrack programs", 1975). No stops are assumed, those of the
 * loaded row count.
 */
#ifndef STAMPEDE_EXPLORE_ENGINE_PROBE_H
#define STAMPEDE_EXPLORE_ENGINE_PROBE_H

#include "explore/engine/search.h"

struct probed {
	double schedules; /* at least 1; of all parts */
	uint64_t firsts; /* actions that one of them can begin with: exact */
};

/*
 * From search->start, by `probes` > 0 schedules; *random as rng_split() wants it. A number that is
 * given, and not one of how alike the drawn are: where few schedules stand for most, they are alike
 * until one of these is drawn.
 */
struct probed probe_schedules(const struct search *search, unsigned int probes, uint64_t *random);

#endif
