// SPDX-License-Identifier: MIT
/*
 * bench: the figures that stand beside the table: what a beat costs, what the same row twice
 * differs by, what a lower decile leaves out, and rows that came out below their floor.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/stats.h"
#include "judge/driver.h"
#include "runner/figures.h"

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The whole interval is below, and by more than the same row twice differs. */
static bool is_below(const json_t *line, const char *key, double noise)
{
	char high[64];

	snprintf(high, sizeof(high), "%s_95_high", key);
	return number(line, high) < 1 - (noise > 0 ? noise : 0);
}

void figures_mark_below_floor(json_t *table, const json_t *again)
{
	double noise = number(again, "noise");
	json_t *line;
	size_t i;

	json_array_foreach(table, i, line)
		json_object_set_new(line, "below_floor",
				    json_boolean(is_below(line, "ratio_own", noise) ||
						 is_below(line, "cheap_ratio_own", noise)));
}

static void print_again(const json_t *again)
{
	if (json_is_null(again))
		return;
	printf("%s twice: %.3f times itself (95 %%: %.3f to %.3f):\nrows that differ by less than "
	       "%.1f %% are not told apart in this run\n",
	       json_text(again, "row"), number(again, "ratio"), number(again, "ratio_95_low"),
	       number(again, "ratio_95_high"), 100 * number(again, "noise"));
}

static void print_marks(const json_t *table)
{
	const json_t *line;
	bool disagrees = false;
	size_t i;

	json_array_foreach(table, i, line) {
		disagrees |= json_is_true(json_object_get(line, "disagrees"));
		if (json_is_true(json_object_get(line, "below_floor")))
			printf("%s/%s is below its floor %s:\n%.3f times its time, %.3f with the "
			       "cheap "
			       "clock\n",
			       json_text(line, "row"), json_text(line, "workload"),
			       json_text(line, "floor"), number(line, "ratio_own"),
			       number(line, "cheap_ratio_own"));
	}
	if (disagrees)
		puts("!: ns and ratio of this row are of different repetitions, since its core was "
		     "shared; trust\nthe ratio");
}

/* Of the middle row, and of the one that has most. */
static void print_left_out(const json_t *table, const char *workload)
{
	double value[4 * DRIVERS_MAX];
	const json_t *line, *most = NULL;
	size_t i, count = 0;

	json_array_foreach(table, i, line) {
		if (strcmp(json_text(line, "workload"), workload) ||
		    isnan(number(line, "left_out_ns")))
			continue;
		if (count < 4 * DRIVERS_MAX)
			value[count++] = number(line, "left_out_ns");
		if (!most || number(line, "left_out_ns") > number(most, "left_out_ns"))
			most = line;
	}
	if (!most)
		return;
	stats_sort(value, count);
	printf("ns leaves out %.2f ns per event (%.2f in %s):\nmean less lower decile: "
	       "interrupts, neighbours, wraps, beats; ns includes sub-buffer switches\n",
	       stats_quantile(value, count, 0.5), number(most, "left_out_ns"),
	       json_text(most, "row"));
}

static void print_beats(const json_t *beats)
{
	const json_t *line;
	size_t i;

	json_array_foreach(beats, i, line)
		printf("%s: a beat takes %.0f ns (95 %%: %.0f to %.0f),\n%.1f per second: %.1f us "
		       "in "
		       "each second\n",
		       json_text(line, "row"), number(line, "beat_ns"),
		       number(line, "beat_ns_95_low"), number(line, "beat_ns_95_high"),
		       number(line, "beats_per_second"), number(line, "ns_per_second") / 1e3);
}

void figures_print(const json_t *table, const json_t *again, const json_t *beats,
		   const char *workload)
{
	putchar('\n');
	print_again(again);
	print_marks(table);
	print_beats(beats);
	print_left_out(table, workload);
}
