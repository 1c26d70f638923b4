/* SPDX-License-Identifier: MIT */
/*
 * The plots' data: RUN/plots/<plot>.dat, plain columns under a header comment, and the variables
 * in run.gp that the scripts cannot see in the data. A plot whose data is not in the run is left
 * out, with a reason.
 */
#ifndef STAMPEDE_PLOTS_DATA_H
#define STAMPEDE_PLOTS_DATA_H

#include <stdio.h>

#include "plots/run.h"

enum plot {
	PLOT_COST,
	PLOT_SPACE,
	PLOT_RATE,
	PLOT_STORM,
	PLOT_LATE_BEAT,
	PLOT_INJECTED,
	PLOT_LAYOUTS,
	PLOT_THREADS,
	PLOT_REPLAY,
	PLOT_IDLE,
	PLOT_TAILS,
	PLOT_TIES,
	PLOT_SEEK,
	PLOTS,
};

struct plot_desc {
	const char *name; /* of its files */
	const char *title;
	const char *absent; /* why it may be left out */
	/*
	 * Writes the data to `dat` and the variables to `vars`. Returns the number of rows shown,
	 * 0 if there is nothing to show; -1 after a line on stderr.
	 */
	int (*write)(const struct run *run, FILE *dat, FILE *vars);
};

extern const struct plot_desc plot_descs[PLOTS];

int data_cost(const struct run *run, FILE *dat, FILE *vars);
int data_space(const struct run *run, FILE *dat, FILE *vars);
int data_rate(const struct run *run, FILE *dat, FILE *vars);
int data_storm(const struct run *run, FILE *dat, FILE *vars);
int data_late_beat(const struct run *run, FILE *dat, FILE *vars);
int data_layouts(const struct run *run, FILE *dat, FILE *vars);
int data_threads(const struct run *run, FILE *dat, FILE *vars);
int data_replay(const struct run *run, FILE *dat, FILE *vars);
int data_seek(const struct run *run, FILE *dat, FILE *vars);
int data_idle(const struct run *run, FILE *dat, FILE *vars);
int data_tails(const struct run *run, FILE *dat, FILE *vars);
int data_ties(const struct run *run, FILE *dat, FILE *vars);
int data_injected(const struct run *run, FILE *dat, FILE *vars);

/* The captions: machine and run. */
void data_captions(const struct run *run, FILE *vars);

/* A column as gnuplot reads it: NaN for what is not known. */
void data_number(FILE *out, double value);

/* A row's name, quoted. */
void data_label(FILE *out, const char *row, double bits);

/* A variable for the scripts. */
void data_set(FILE *vars, const char *name, double value);

/* How a row fared, as the scripts colour it. */
enum row_class {
	CLASS_KEPT,
	CLASS_NO_PROMISE,
	CLASS_NEED_NOT_MET,
	CLASS_BROKEN,
};

enum row_class data_class(const char *verdict);

/* The cells of workload steady, cheapest first; those without a figure last. Free them. */
const struct table_row **data_cost_order(const struct run *run, size_t *count, bool *cycles);

/* The cost that is plotted: cycles if the run has any, else ns. */
const struct spread *data_cost_spread(const struct table_row *row, bool cycles);

#endif
