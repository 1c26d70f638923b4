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

/*
 * CPU seconds in one process of a search of the loaded row, `row`, ESTIMATE_LEAST or more: what
 * this search took, or what another one of the row took by how many more schedules this has, or a
 * guess.
 */
double estimate_seconds(const struct estimate *estimate, const char *row,
			const struct family *family, const struct prospect *prospect);

#endif
