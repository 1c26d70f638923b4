/* SPDX-License-Identifier: MIT */
/*
 * What `make verdicts` recorded, as a section of a page: the budgets that were searched to their
 * end, each row's verdict, and the known limits, each with its timeline.
 */
#ifndef STAMPEDE_PLOTS_EXPLORED_SECTION_H
#define STAMPEDE_PLOTS_EXPLORED_SECTION_H

#include <stdio.h>

#include <jansson.h>

/*
 * explored: the object that explored.json is (results/SCHEMA.md), or NULL: then nothing is written.
 * What is missing in it is left out; nothing in it is trusted to be fit for HTML.
 */
void explored_section(const json_t *explored, FILE *out);

#endif
