/* SPDX-License-Identifier: MIT */
/* About how long a search takes: by its schedules, and by what others took. */
#ifndef STAMPEDE_EXPLORE_ESTIMATE_H
#define STAMPEDE_EXPLORE_ESTIMATE_H

#include <jansson.h>

#include "explore/tiers.h"

#define ESTIMATE_LEAST 1e-3 /* seconds */

struct estimate {
	json_t *times; /* a record of explore --json; NULL: none */
	double factor[2]; /* seconds measured there by guessed ones; [1]: of searches by states */
};

/* `path` may be NULL. 0, or an exit code after a line on stderr. */
int estimate_begin(struct estimate *estimate, const char *path);
void estimate_end(struct estimate *estimate);

/* What is known of a search before it is done. */
struct outlook {
	double schedules; /* in all, about */
	double seconds; /* of CPU time in one process, about: ESTIMATE_LEAST or more */
	uint64_t starts;
	bool by_states;
};

/*
 * Of the loaded row, `row`: seconds are what this search took, or what another one of the row took
 * by how many more schedules this has, or a guess.
 */
struct outlook estimate_search(const struct estimate *estimate, const char *row,
			       const struct family *family, const struct search *options);

#endif
