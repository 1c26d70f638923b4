// SPDX-License-Identifier: MIT
/*
 * bench: the figures that stand beside the table: what a beat costs, what the same row twice
 * differs by, what a lower decile leaves out, and rows that came out below their floor.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "runner/figures.h"

void figures_mark_below_floor(struct summary_table *table, const json_t *again)
{
	/* The whole interval, and by more than the same row twice differs. */
	double noise = json_known(again, "noise"), limit = 1 - (noise > 0 ? noise : 0);
	struct summary_line *line;

	for (line = table->line; line < table->line + table->count; line++)
		line->below_floor =
			line->ratio_own.high_95 < limit || line->cheap_ratio_own.high_95 < limit;
}

static void print_again(const json_t *again)
{
	if (json_is_null(again))
		return;
	printf("%s twice: %.3f times itself (95 %%: %.3f to %.3f):\nrows that differ by less than "
	       "%.1f %% are not told apart in this run\n",
	       json_text(again, "row"), json_known(again, "ratio"),
	       json_known(again, "ratio_95_low"), json_known(again, "ratio_95_high"),
	       100 * json_known(again, "noise"));
}

static void print_marks(const struct summary_table *table)
{
	const struct summary_line *line;
	bool disagrees = false;

	for (line = table->line; line < table->line + table->count; line++) {
		disagrees |= line->disagrees;
		if (line->below_floor)
			printf("%s/%s is below its floor %s:\n%.3f times its time, %.3f with the "
			       "cheap clock\n",
			       line->about.row, line->about.workload, line->about.floor,
			       line->ratio_own.middle, line->cheap_ratio_own.middle);
	}
	if (disagrees)
		puts("!: ns and ratio of this row are of different repetitions, since its core was "
		     "shared; trust\nthe ratio");
}

/* Of the middle row, and of the one that has most. */
static void print_left_out(const struct summary_table *table, const char *workload)
{
	const struct summary_line *line, *most = NULL;
	double value[4 * DRIVERS_MAX];
	size_t count = 0;

	for (line = table->line; line < table->line + table->count; line++) {
		if (strcmp(line->about.workload, workload) || isnan(line->left_out_ns.middle))
			continue;
		value[count++] = line->left_out_ns.middle;
		if (!most || line->left_out_ns.middle > most->left_out_ns.middle)
			most = line;
	}
	if (!most)
		return;
	stats_sort(value, count);
	printf("ns leaves out %.2f ns per event (%.2f in %s):\nmean less lower decile: "
	       "interrupts, neighbours, wraps, beats; ns includes sub-buffer switches\n",
	       stats_quantile(value, count, 0.5), most->left_out_ns.middle, most->about.row);
}

static void print_beats(const json_t *beats)
{
	const json_t *line;
	size_t i;

	json_array_foreach(beats, i, line)
		printf("%s: a beat takes %.0f ns (95 %%: %.0f to %.0f),\n%.1f per second: %.1f us "
		       "in "
		       "each second\n",
		       json_text(line, "row"), json_known(line, "beat_ns"),
		       json_known(line, "beat_ns_95_low"), json_known(line, "beat_ns_95_high"),
		       json_known(line, "beats_per_second"),
		       json_known(line, "ns_per_second") / 1e3);
}

void figures_print(const struct summary_table *table, const json_t *again, const json_t *beats,
		   const char *workload)
{
	putchar('\n');
	print_again(again);
	print_marks(table);
	print_beats(beats);
	print_left_out(table, workload);
}
