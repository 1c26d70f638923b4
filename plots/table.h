/* SPDX-License-Identifier: MIT */
/* The table of a run, cell by cell: the page and Markdown print the same. */
#ifndef STAMPEDE_PLOTS_TABLE_H
#define STAMPEDE_PLOTS_TABLE_H

#include <stdbool.h>

#include "plots/run.h"
#include "plots/text.h"

#define TABLE_CELL_BYTES (2 * TEXT_FIGURE_BYTES)

/* In the order of the columns; row and, where a run has several, workload stand before. */
enum table_column {
	TABLE_VERDICT,
	TABLE_ERROR,
	TABLE_BYTES,
	TABLE_HEADER,
	TABLE_HEADER_ID,
	TABLE_NS,
	TABLE_ABOVE,
	TABLE_CYCLES,
	TABLE_INSTRUCTIONS,
	TABLE_READS,
	TABLE_ATOMICS,
	TABLE_RATIO,
	TABLE_OWN,
	TABLE_CHEAP,
	TABLE_LEFT_OUT,
	TABLE_COLUMNS,
};

extern const char *const table_titles[TABLE_COLUMNS];

/* More than one workload? Then the name of a row does not say which cell. */
bool table_many_workloads(const struct run *run);

/* Text of a cell; "-" for times of a row that broke a promise. */
const char *table_cell(const struct table_row *row, enum table_column column,
		       char to[TABLE_CELL_BYTES]);

/* What to sort by: a number, NAN if it is not known or not shown. Not for TABLE_VERDICT. */
double table_value(const struct table_row *row, enum table_column column);

/* What stands small below: "36.2–37.0" for quartiles, the time of an error; else "". */
const char *table_detail(const struct run *run, const struct table_row *row,
			 enum table_column column, char to[TABLE_CELL_BYTES]);

#endif
