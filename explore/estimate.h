/* SPDX-License-Identifier: MIT */
/* About how long a search takes: from what others took, or from its budget alone. */
#ifndef STAMPEDE_EXPLORE_ESTIMATE_H
#define STAMPEDE_EXPLORE_ESTIMATE_H

#include <jansson.h>

#include "explore/tiers.h"

struct estimate {
	json_t *times; /* a record of explore --json; NULL: none */
	double factor; /* seconds measured there by those of pace_weight() */
};

/* `path` may be NULL. 0, or an exit code after a line on stderr. */
int estimate_begin(struct estimate *estimate, const char *path);
void estimate_end(struct estimate *estimate);

/*
 * Seconds in one process, above 0: what this search took, or what the row's largest search of that
 * shape and those stops took by how much more it is, or a guess.
 */
double estimate_seconds(const struct estimate *estimate, const char *row,
			const struct family *family);

#endif
