/* SPDX-License-Identifier: MIT */
/* The explorer's progress and the time that is left: a line on stderr (base/progress.h). */
#pragma once

#include "explore/family/tiers.h"

/* A guess at the seconds that a family takes for a row, from its budget. */
double eta_weight(const struct family *family);

/*
 * All that is going to be searched takes so many seconds, by eta_weight(). Processes that are
 * forked from now on count with this one.
 */
void eta_begin(double seconds);

/* A family of a row comes next. */
void eta_family(const char *row, const struct family *family);

/* For struct search: says how far all is, if it is time. */
void eta_progress(double done);

/* The family is over. */
void eta_done(void);

/* This process says nothing from now on; another one does. */
void eta_quiet(void);

/* Says how far all processes are. */
void eta_say_all(void);

/* Clears the line, for what is going to be printed. */
void eta_clear(void);
