/* SPDX-License-Identifier: MIT */
/* What cut bits and a second channel do to real gaps: for build/layout and for bench. */
#ifndef STAMPEDE_LAYOUT_LAYOUT_EXPERIMENTS_H
#define STAMPEDE_LAYOUT_LAYOUT_EXPERIMENTS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "workloads/workload.h"

/*
 * Ties per million against cut bits, at each recorded gap file of `directory` and back to back on
 * the calling thread, which is better pinned. The lines of the record's section "precision" go into
 * `all`, an array. 0, or an exit code after a line on stderr.
 */
int layout_precision(const char *directory, json_t *all);

/*
 * Compact events in a channel of their own, at each of those gaps, `events` per cell. The lines of
 * the section "channels" go into `all`.
 */
int layout_channels(const char *directory, uint64_t events, json_t *all);

/* Both sections as text of at most 100 columns; nothing for an empty one. */
void layout_print_precision(FILE *out, const json_t *all);
void layout_print_channels(FILE *out, const json_t *all);

/* The same for a bench that has recorded gaps, whichever its rows are. */
extern const struct workload_section layout_sections[];

#endif
