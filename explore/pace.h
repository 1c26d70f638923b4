/* SPDX-License-Identifier: MIT */
/* How far the explorer is and how long it will go on: a line on stderr (../progress.h). */
#ifndef STAMPEDE_EXPLORE_PACE_H
#define STAMPEDE_EXPLORE_PACE_H

#include "explore/tiers.h"

/* A guess at the seconds that a family takes for a row, from its budget. */
double pace_weight(const struct family *family);

/* All that is going to be searched takes so many seconds, by pace_weight(). */
void pace_begin(double seconds);

/* A family of a row comes next. */
void pace_family(const char *row, const struct family *family);

/* The current search is so far, 0..1. Says so, if it is time. */
void pace_tick(double done);

/* The current search is over. */
void pace_searched(void);

/* The family is over; clears the line for what is going to be printed. */
void pace_done(void);

/*
 * In a process beside others (jobs.h): from now on nothing is said, and the seconds that are done,
 * of those that were expected, are added to *seconds.
 */
void pace_in(volatile double *seconds);

/* So many of the expected seconds are done by all processes. Says so. */
void pace_seconds(double seconds);

/* Clears the line. */
void pace_clear(void);

#endif
