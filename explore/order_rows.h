/* SPDX-License-Identifier: MIT */
/* build/explore --order c11. */
#pragma once

#include "explore/explore_options.h"

/* Searches the rows that are chosen, or the object that is named. An exit code. */
int order_rows(const struct explore_options *options, const struct driver *const *rows,
	       unsigned int count);
