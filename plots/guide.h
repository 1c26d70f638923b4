/* SPDX-License-Identifier: MIT */
/*
 * Which row to take for which need. Every line is a condition on the record: who qualifies by what
 * it declares and kept, and who of those has the least of what the need is about.
 */
#ifndef STAMPEDE_PLOTS_GUIDE_H
#define STAMPEDE_PLOTS_GUIDE_H

#include <stdio.h>

#include "run.h"

/* A section of the page. Nothing, if no row of the run qualifies for anything. */
void guide_html(const struct run *run, FILE *out);

/* The same in Markdown. */
void guide_markdown(const struct run *run, FILE *out);

#endif
