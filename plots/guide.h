/* SPDX-License-Identifier: MIT */
/*
 * Which row to take for which need. Every line is a condition on the record: who qualifies by what
 * it declares and kept, and who of those has the least of what the need is about.
 */
#ifndef STAMPEDE_PLOTS_GUIDE_H
#define STAMPEDE_PLOTS_GUIDE_H

#include <jansson.h>
#include <stdio.h>

#include "plots/run.h"

/* A section of the page. Nothing, if no row of the run qualifies for anything. */
void guide_html(const struct run *run, FILE *out);

/* The same in Markdown. */
void guide_markdown(const struct run *run, FILE *out);

/*
 * Of each need that the run says something of: the rows that qualify and what they have of what
 * there shall be little of, as a reference keeps it ("needs" of SCHEMA.md). A new reference.
 */
json_t *guide_needs(const struct run *run);

/*
 * Of each need, which rows win on all machines of results/reference/ and which on some only, chosen
 * as above of the rows that all of these have. Nothing with fewer than two machines.
 */
void guide_machines_html(const json_t *references, FILE *out);
void guide_machines_markdown(const json_t *references, FILE *out);

#endif
