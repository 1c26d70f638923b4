/* SPDX-License-Identifier: MIT */
/* Searches the families of rows that were asked for, and prints them row after row. */
#pragma once

#include "explore/tasks.h"

/*
 * All families of these rows, or of the object that the options name if `count` is 0. An exit code:
 * what broke says more than what could not be searched.
 */
int search_rows(const struct explore_options *options, const struct driver *const *rows,
		unsigned int count);
