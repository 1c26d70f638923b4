/* SPDX-License-Identifier: MIT */
/*
 * Which instructions of a row's writers the schedules of a shape reach. A shape in which a path is
 * never taken proves nothing about the path: so in each shape a record has to take the plain path,
 * the slow path and the one that opens a sub-buffer. Instructions of the function that all events
 * of a schedule are recorded by are counted as missing if no schedule reaches them: none are where
 * compilers leave slow paths out of it. Those of functions that no event of the tier's calls
 * (taking back, other sizes and ids), and what of slow paths is for those, are listed only.
 *
 * It runs a part of the tier: each family of the shape with one interrupt and neither jumps nor
 * reads, and without interrupts with one of those, a jump from one start only.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "explore/family/tiers.h"

struct coverage {
	uint8_t *covered; /* by site, as world_covered */
	uint64_t sites, reached;
	uint64_t missing; /* of the function that all events are recorded by */
	uint64_t of_path[PATHS], reached_of_path[PATHS];
};

/*
 * Of the loaded row and its shape, until coverage_end(). `wanted`: is this family one of the row's?
 * Negative errno after a line on stderr; 1: a path was never taken.
 */
int coverage_row(bool (*wanted)(const void *arg, const struct family *family), const void *arg,
		 unsigned int processes, struct coverage *coverage);
void coverage_end(struct coverage *coverage);

/* A line, and one for each instruction that was not reached: all of them, or those missing. */
void coverage_print(const struct coverage *coverage, bool all);

/* The same and all of these, as a document. */
json_t *coverage_json(const struct coverage *coverage);
