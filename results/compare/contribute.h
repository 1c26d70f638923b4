/* SPDX-License-Identifier: MIT */
/* A reference (reference.h) of a run, for a pull request. */
#ifndef STAMPEDE_RESULTS_COMPARE_CONTRIBUTE_H
#define STAMPEDE_RESULTS_COMPARE_CONTRIBUTE_H

/*
 * Makes dir/<machine>/reference.json of the run `path`, as record_load() takes it, and says where.
 * Refused with one line and its code: a run that is unfinished (5), quick or without a floor (1),
 * too noisy (7), or has a broken row (2).
 */
int contribute(const char *results, const char *path, const char *dir);

#endif
