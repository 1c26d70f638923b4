/* SPDX-License-Identifier: MIT */
/* All that is made of a run: data, scripts, pictures, the page. */
#ifndef STAMPEDE_PLOTS_MAKE_H
#define STAMPEDE_PLOTS_MAKE_H

#include <stdbool.h>

#include "plots/data.h"
#include "plots/gnuplot.h"

#define MAKE_DEFAULT_RUN "results/latest"

enum figure_state {
	FIGURE_ABSENT, /* the run has no data for it */
	FIGURE_NOT_DRAWN, /* its data is written, but there is no picture */
	FIGURE_DRAWN,
};

struct figure {
	enum figure_state state;
	struct picture svg;
};

/*
 * Reads the run at `path` (a directory, or what record_load() takes) and writes its plots/,
 * report.html and report.md; says where on `told`, unless that is NULL. Returns an exit code of
 * output.h; every failure has put one line on stderr.
 */
int make_all(const char *path, FILE *told);

#endif
