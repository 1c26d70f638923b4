/* SPDX-License-Identifier: MIT */
/* Sound for rows whose writers leave the frames that they came into alone: guard.h looks. */
/*
 * Every schedule within a budget, each state once. What a writer does to the shared memory depends
 * on that memory, the clock and what may still happen, and not on whom it came into. So each writer
 * is followed once from each state that it is launched in, all states of it at one stop together,
 * each with the number of ways that lead there; where another one launches it in the same state,
 * the ends are known. Counts are those of search_run(), which runs every schedule; states are
 * compared byte by byte.
 */
#ifndef STAMPEDE_EXPLORE_STATES_H
#define STAMPEDE_EXPLORE_STATES_H

#include "explore/search.h"

/* One writer at a time: the budget has no others on CPUs of their own. `findings`: search_run() */
void states_run(const struct search *search, struct findings *findings);

#endif
