/* SPDX-License-Identifier: MIT */
/* Curves of rows. Rows whose curves are the same share one in a plot, under a common title. */
#ifndef STAMPEDE_PLOTS_SERIES_H
#define STAMPEDE_PLOTS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "plots/text.h"

#define SERIES_TITLE_BYTES 88

struct series {
	char label[TEXT_LABEL_BYTES];
	const double *x;
	const double *y;
	size_t count;
	size_t group;
};

/* How far two curves may be apart and still be one. */
struct series_tolerance {
	double relative_x;
	double relative_y;
	double absolute_y;
	bool zeros_alike; /* curves that never leave 0 are one, wherever their points are */
};

/* Numbers the groups from 0 in the order of their first members; returns how many. */
size_t series_group(struct series *series, size_t count, const struct series_tolerance *tolerance);

/* "a, b, c + 2 more": the members of a group, as far as they fit. */
void series_title(const struct series *series, size_t count, size_t group,
		  char title[SERIES_TITLE_BYTES]);

/* A gnuplot array of the groups' titles: array <name>[2] = ['a, b', 'c']. */
void series_titles(FILE *vars, const char *name, const struct series *series, size_t count,
		   size_t groups);

#endif
