/* SPDX-License-Identifier: MIT */
/* Loads explored rows from their files. */
#pragma once

#include "explore/explore_options.h"

/* Where the row's object is that the family explores. */
void load_path(const struct explore_options *options, const char *row, const struct family *family,
	       char *path, size_t bytes);

/*
 * Has make build the object of options->foreign, and makes it options->object. An exit code, after
 * a line on stderr.
 */
int load_foreign(struct explore_options *options);

/*
 * Loads what the family explores of the row; `row` is a name for messages if the options name an
 * object. Negative errno, after a line on stderr; -ENOTSUP: not with this budget.
 */
int load_row(const struct explore_options *options, const char *row, const struct family *family);
