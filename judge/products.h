/* SPDX-License-Identifier: MIT */
/* Tracers that people use, and the row that prices the stamps of each (schemes/products.def). */
#pragma once

#include <stdio.h>

struct product {
	const char *name;
	const char *row;
	const char *wraps; /* how long without an event until a time is ambiguous; may be empty */
	const char *words; /* what the row leaves out of it, or does differently */
};

/* By name; one of NULL at the end. */
extern const struct product products[];

/*
 * One line for each product whose name has `part` in it, in letters of either case; all if it is
 * "all". EXIT_USAGE after a line on stderr if there is none.
 */
int products_list(FILE *text, const char *part);
