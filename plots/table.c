// SPDX-License-Identifier: MIT
#include "table.h"

#include <math.h>
#include <string.h>

const char *const table_titles[TABLE_COLUMNS] = {
	"verdict", "worst error, ticks", "bytes",	     "of which header", "ns",
	"cycles",  "instructions",	 "clock reads", "atomics",	   "ratio to floor",
};

bool table_many_workloads(const struct run *run)
{
	const char *first = NULL;
	size_t i;

	for (i = 0; i < run->table_count; i++) {
		if (first && run->table[i].workload && strcmp(first, run->table[i].workload))
			return true;
		if (!first)
			first = run->table[i].workload;
	}
	return false;
}

static const struct spread *spread_of(const struct table_row *row, enum table_column column)
{
	switch (column) {
	case TABLE_NS:
		return &row->ns;
	case TABLE_CYCLES:
		return &row->cycles;
	case TABLE_RATIO:
		return &row->ratio;
	default:
		return NULL;
	}
}

static double number_of(const struct table_row *row, enum table_column column)
{
	switch (column) {
	case TABLE_BYTES:
		return row->bytes;
	case TABLE_HEADER:
		return row->header_bytes;
	case TABLE_INSTRUCTIONS:
		return row->instructions;
	case TABLE_READS:
		return row->clock_reads;
	case TABLE_ATOMICS:
		return row->atomics;
	default:
		return spread_of(row, column)->median;
	}
}

double table_value(const struct table_row *row, enum table_column column)
{
	if (column == TABLE_ERROR)
		return row->worst_error_ticks;
	if (spread_of(row, column) && run_verdict_is(row->verdict, "broken"))
		return NAN;
	return number_of(row, column);
}

const char *table_cell(const struct table_row *row, enum table_column column,
		       char to[TABLE_CELL_BYTES])
{
	if (column == TABLE_VERDICT)
		snprintf(to, TABLE_CELL_BYTES, "%s", row->verdict ? row->verdict : "not judged");
	else if (column == TABLE_ERROR && row->worst_error_ticks == 0)
		snprintf(to, TABLE_CELL_BYTES, "exact");
	else if (column == TABLE_ERROR)
		text_count(to, row->worst_error_ticks);
	else if (spread_of(row, column) && run_verdict_is(row->verdict, "broken"))
		snprintf(to, TABLE_CELL_BYTES, "-");
	else if ((column == TABLE_BYTES || column == TABLE_HEADER) &&
		 isfinite(number_of(row, column)))
		snprintf(to, TABLE_CELL_BYTES, "%.2f", number_of(row, column));
	else
		text_figure(to, number_of(row, column));
	return to;
}

/* All errors of the row under storm are of stamps that it declares inexact. */
static bool declared_inexact(const struct run *run, const char *row)
{
	bool any = false;
	size_t i;

	for (i = 0; i < run->storm_count; i++) {
		if (strcmp(run->storm[i].row, row) || !(run->storm[i].worst_error_ticks > 0))
			continue;
		if (!run_storm_worst_declared(&run->storm[i]))
			return false;
		any = true;
	}
	return any;
}

const char *table_detail(const struct run *run, const struct table_row *row,
			 enum table_column column, char to[TABLE_CELL_BYTES])
{
	const struct spread *spread = spread_of(row, column);
	char low[TEXT_FIGURE_BYTES], high[TEXT_FIGURE_BYTES], time[TEXT_FIGURE_BYTES];

	to[0] = '\0';
	if (column == TABLE_ERROR && row->worst_error_ticks > 0)
		snprintf(to, TABLE_CELL_BYTES, "%s%s",
			 text_time(time, row->worst_error_ticks, run->machine.tsc_hz),
			 declared_inexact(run, row->row) ? ", declared inexact" : "");
	if (column == TABLE_RATIO && isfinite(row->ratio_95_low) &&
	    !run_verdict_is(row->verdict, "broken"))
		snprintf(to, TABLE_CELL_BYTES, "%.40s–%.40s%s",
			 text_figure(low, row->ratio_95_low), text_figure(high, row->ratio_95_high),
			 row->noisy ? " noisy" : "");
	else if (spread && !run_verdict_is(row->verdict, "broken") && isfinite(spread->low) &&
	    isfinite(spread->high))
		snprintf(to, TABLE_CELL_BYTES, "%.40s–%.40s", text_figure(low, spread->low),
			 text_figure(high, spread->high));
	return to;
}
