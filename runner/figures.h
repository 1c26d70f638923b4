/* SPDX-License-Identifier: MIT */
/*
 * bench: the figures that stand beside the table: what a beat costs, what the same row twice
 * differs by, what a lower decile leaves out, and rows that came out below their floor.
 */
#ifndef STAMPEDE_RUNNER_FIGURES_H
#define STAMPEDE_RUNNER_FIGURES_H

#include <jansson.h>

#include "runner/timing/summary.h"

/*
 * Marks the lines that are below the floor of their form by more than the same row twice differs.
 */
void figures_mark_below_floor(struct summary_table *table, const json_t *again);

/* What is left out is that of the lines of `workload`. */
void figures_print(const struct summary_table *table, const json_t *again, const json_t *beats,
		   const char *workload);

#endif
