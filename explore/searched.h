/* SPDX-License-Identifier: MIT */
/* Families of rows as they were asked for: searched, printed and recorded, row after row. */
#ifndef STAMPEDE_EXPLORE_SEARCHED_H
#define STAMPEDE_EXPLORE_SEARCHED_H

#include "explore/explore_options.h"

/*
 * Loads what the family explores of the row; `row` is a name for messages if the options name an
 * object. Negative errno, after a line on stderr; -ENOTSUP: not with this budget.
 */
int searched_load(const struct explore_options *options, const char *row,
		  const struct family *family);

/* Is the family one of this row's, in the tier that is asked for? */
bool searched_wanted(const struct explore_options *options, const struct family *family,
		     const struct driver *driver);

/* The exit code for a search that did not come to its end. */
int searched_failed(int error, const char *row);

/*
 * All families of these rows, or of the object that the options name if `count` is 0. An exit code:
 * what broke says more than what could not be searched.
 */
int searched_rows(const struct explore_options *options, const struct driver *const *rows,
		  unsigned int count);

#endif
