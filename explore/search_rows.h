/* SPDX-License-Identifier: MIT */
/* Families of rows as they were asked for: searched here, and said row after row. */
#ifndef STAMPEDE_EXPLORE_SEARCH_ROWS_H
#define STAMPEDE_EXPLORE_SEARCH_ROWS_H

#include "explore/tasks.h"

/*
 * All families of these rows, or of the object that the options name if `count` is 0. An exit code:
 * what broke says more than what could not be searched.
 */
int search_rows(const struct explore_options *options, const struct driver *const *rows,
		unsigned int count);

#endif
