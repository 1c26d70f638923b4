/* SPDX-License-Identifier: MIT */
/* What a run says, in words: the same sentences for the page and for Markdown. */
#ifndef STAMPEDE_PLOTS_WORDS_H
#define STAMPEDE_PLOTS_WORDS_H

#include "plots/data.h"
#include "plots/run.h"
#include "plots/text.h"

/* The run in two or three sentences: who broke what, who is cheapest. */
void words_summary(const struct run *run, const struct markup *to);

/* What the named promise means, as one clause. */
const char *words_promise(unsigned int promise);

/*
 * How a promise fared: "kept by a, b; broken by c (12 objections); not promised by d." Returns
 * false, and writes nothing, if no row says anything of it.
 */
bool words_fared(const struct run *run, unsigned int promise, const struct markup *to);

/* One or two sentences: how to read the plot, and what there is to see in this run. */
void words_plot(const struct run *run, enum plot plot, const struct markup *to);

/* The same, of the plots of the whole matrix: those behind PLOT_LATE_BEAT. */
void words_matrix(const struct run *run, enum plot plot, const struct markup *to);

/* The storm that the promises were tested in, or why there was none. */
void words_storm(const struct run *run, const struct markup *to);

/*
 * Does the row declare all promises, and did a storm find them kept, at every width it was judged at?
 * Both are asked for: what nobody interrupted is not known to be exact.
 */
bool words_keeps_everything(const struct run *run, const struct table_row *row);

/* Is anything that a row promises broken? */
bool words_broken(const struct run *run);

#endif
