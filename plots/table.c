// SPDX-License-Identifier: MIT
#include "plots/table.h"

#include <math.h>
#include <string.h>

const char *const table_titles[TABLE_COLUMNS] = {
	[TABLE_VERDICT] = "verdict",
	[TABLE_ERROR] = "worst error, ticks",
	[TABLE_BYTES] = "bytes",
	[TABLE_HEADER] = "of which header",
	[TABLE_HEADER_ID] = "header with an id",
	[TABLE_NS] = "ns",
	[TABLE_ABOVE] = "ns above the clock",
	[TABLE_CYCLES] = "cycles",
	[TABLE_INSTRUCTIONS] = "instructions",
	[TABLE_READS] = "clock reads",
	[TABLE_ATOMICS] = "atomics",
	[TABLE_RATIO] = "ratio to floor",
	[TABLE_OWN] = "to its own floor",
	[TABLE_CHEAP] = "ratio, cheap clock",
	[TABLE_LEFT_OUT] = "ns beyond the decile",
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
	case TABLE_HEADER_ID:
		return row->header_id_bytes;
	case TABLE_ABOVE:
		return row->above_clock_ns;
	case TABLE_OWN:
		return row->ratio_own;
	case TABLE_CHEAP:
		return row->cheap_ratio;
	case TABLE_LEFT_OUT:
		return row->left_out_ns;
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

/* A time, or a ratio of two: not of a row that broke a promise. */
static bool is_time(const struct table_row *row, enum table_column column)
{
	return spread_of(row, column) || column == TABLE_ABOVE || column == TABLE_OWN ||
	       column == TABLE_CHEAP || column == TABLE_LEFT_OUT;
}

double table_value(const struct table_row *row, enum table_column column)
{
	if (column == TABLE_ERROR)
		return row->worst_error_ticks;
	if (is_time(row, column) && run_verdict_is(row->verdict, "broken"))
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
	else if (is_time(row, column) && run_verdict_is(row->verdict, "broken"))
		snprintf(to, TABLE_CELL_BYTES, "-");
	else if ((column == TABLE_BYTES || column == TABLE_HEADER || column == TABLE_HEADER_ID ||
		  column == TABLE_ABOVE || column == TABLE_LEFT_OUT) &&
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
	if (column == TABLE_HEADER_ID && row->id_bytes_added > 0)
		snprintf(to, TABLE_CELL_BYTES, "%.0f bytes of id added", row->id_bytes_added);
	if (column == TABLE_OWN && row->floor && !run_verdict_is(row->verdict, "broken"))
		snprintf(to, TABLE_CELL_BYTES, "%.60s%s", row->floor,
			 row->below_floor ? ", below it" : "");
	if (column == TABLE_CHEAP && isfinite(row->cheap_ratio_95_low) &&
	    !run_verdict_is(row->verdict, "broken"))
		snprintf(to, TABLE_CELL_BYTES, "%.40s–%.40s",
			 text_figure(low, row->cheap_ratio_95_low),
			 text_figure(high, row->cheap_ratio_95_high));
	if (column == TABLE_ERROR && row->worst_error_ticks > 0)
		snprintf(to, TABLE_CELL_BYTES, "%s%s",
			 text_time(time, row->worst_error_ticks, run->machine.tsc_hz),
			 declared_inexact(run, row->row) ? ", declared inexact" : "");
	if (column == TABLE_RATIO && isfinite(row->ratio_95_low) &&
	    !run_verdict_is(row->verdict, "broken"))
		snprintf(to, TABLE_CELL_BYTES, "%.36s–%.36s%s",
			 text_figure(low, row->ratio_95_low), text_figure(high, row->ratio_95_high),
			 row->disagrees ? "  unlike ns" :
			 row->noisy	? " noisy" :
					  "");
	else if (spread && !run_verdict_is(row->verdict, "broken") && isfinite(spread->low) &&
	    isfinite(spread->high))
		snprintf(to, TABLE_CELL_BYTES, "%.40s–%.40s", text_figure(low, spread->low),
			 text_figure(high, spread->high));
	return to;
}
