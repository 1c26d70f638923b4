/* SPDX-License-Identifier: MIT */
/* Parts of the page beside table, promises and plots. Each writes nothing if the run has no such. */
#ifndef STAMPEDE_PLOTS_REPORT_PARTS_H
#define STAMPEDE_PLOTS_REPORT_PARTS_H

#include <stdio.h>

#include "plots/run.h"
#include "plots/text.h"

/* Opens a cell with a number to sort by; NAN: not known. long: its small print may wrap. */
void report_number(FILE *out, double value, bool is_long);

/* The same row measured twice, and what beats cost: sentences in HTML or Markdown. */
void report_beside_table(const struct run *run, const struct markup *to);

/* What the oracles objected to first, among its neighbours: of broken rows, then of others. */
void report_timelines(const struct run *run, FILE *out);

/* The claims of the texts that the schemes are from, and what this run says of them. */
void report_claims(const struct run *run, FILE *out);

/* plots/<name>.dat, folded. */
void report_data(const struct run *run, const char *name, FILE *out);

/* Every repetition as CSV, folded. */
void report_repetitions(const struct run *run, FILE *out);

/* The exact commands that repeat the run, as list items. */
void report_reproduce(const struct run *run, FILE *out);

#endif
