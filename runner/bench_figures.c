// SPDX-License-Identifier: MIT
/*
 * bench: the figures that stand beside the table: what a beat costs, what the same row twice differs
 * by, what a lower decile leaves out, and rows that came out below their floor.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "timing/beat_cost.h"
#include "runner/bench.h"
#include "base/options.h"
#include "timing/summary.h"

int bench_run_beats(struct bench *bench)
{
	const struct driver *timed;
	struct beat_cost cost;
	int i, error;

	for (i = 0; i < bench->rows; i++) {
		if (!(bench->row[i]->desc->needs & NEED_BEAT))
			continue;
		progress_step(&bench->progress, "beats", bench->row[i]->row);
		timed = driver_find(drivers_timed, bench->row[i]->row);
		error = beat_cost_measure(timed, &bench->place, bench->plan.pu[0],
					  bench_size(bench)->beat_seconds, &cost);
		if (error)
			return error;
		json_array_append_new(bench->beats, beat_cost_json(timed, &cost));
	}
	return 0;
}

json_t *bench_again(const struct bench *bench)
{
	const struct rounds *rounds = &bench->rounds;
	struct stats_interval ratio;
	struct samples_cell first = { NULL, "steady" }, again = { NULL, SUMMARY_AGAIN };
	unsigned int i;

	for (i = 0; i < rounds->cells; i++)
		if (!strcmp(rounds->cell[i].workload, SUMMARY_AGAIN))
			first.row = again.row = rounds->cell[i].row;
	if (!first.row)
		return json_null();
	ratio = samples_median(bench->repetitions_json, &again,
			       bench->have_cycles ? "cycles" : "ticks", &first);
	if (isnan(ratio.low))
		return json_null();
	return json_pack("{s:s, s:f, s:f, s:f, s:f}", "row", first.row, "ratio", ratio.middle,
			 "ratio_95_low", ratio.low, "ratio_95_high", ratio.high, "noise",
			 fmax(fabs(ratio.low - 1), fabs(ratio.high - 1)));
}

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(const json_t *object, const char *key)
{
	const char *its = json_string_value(json_object_get(object, key));

	return its ? its : "";
}

/* The whole interval is below, and by more than the same row twice differs. */
static bool is_below(const json_t *line, const char *key, double noise)
{
	char high[64];

	snprintf(high, sizeof(high), "%s_95_high", key);
	return number(line, high) < 1 - (noise > 0 ? noise : 0);
}

void bench_mark_below_floor(const struct bench *bench, const json_t *again)
{
	double noise = number(again, "noise");
	json_t *line;
	size_t i;

	json_array_foreach(bench->table, i, line)
		json_object_set_new(line, "below_floor",
				    json_boolean(is_below(line, "ratio_own", noise) ||
						 is_below(line, "cheap_ratio_own", noise)));
}

static void print_again(const json_t *again)
{
	if (json_is_null(again))
		return;
	printf("%s twice: %.3f times itself (95 %%: %.3f to %.3f):\nrows that differ by less than "
	       "%.1f %% are not told apart in this run\n", text(again, "row"), number(again, "ratio"),
	       number(again, "ratio_95_low"), number(again, "ratio_95_high"),
	       100 * number(again, "noise"));
}

static void print_marks(const json_t *table)
{
	const json_t *line;
	bool disagrees = false;
	size_t i;

	json_array_foreach(table, i, line) {
		disagrees |= json_is_true(json_object_get(line, "disagrees"));
		if (json_is_true(json_object_get(line, "below_floor")))
			printf("%s/%s is below its floor %s:\n%.3f times its time, %.3f with the cheap "
			       "clock\n", text(line, "row"), text(line, "workload"),
			       text(line, "floor"), number(line, "ratio_own"),
			       number(line, "cheap_ratio_own"));
	}
	if (disagrees)
		puts("!: ns and ratio of this row are of different repetitions, since its core was "
		     "shared; believe\nthe ratio");
}

/* Of the middle row, and of the one that has most. */
static void print_left_out(const json_t *table)
{
	double value[4 * DRIVERS_MAX];
	const json_t *line, *most = NULL;
	size_t i, count = 0;

	json_array_foreach(table, i, line) {
		if (strcmp(text(line, "workload"), "steady") || isnan(number(line, "left_out_ns")))
			continue;
		if (count < 4 * DRIVERS_MAX)
			value[count++] = number(line, "left_out_ns");
		if (!most || number(line, "left_out_ns") > number(most, "left_out_ns"))
			most = line;
	}
	if (!most)
		return;
	stats_sort(value, count);
	printf("ns leaves out %.2f ns per event (%.2f in %s):\na mean less the lower decile: "
	       "interrupts, neighbours, wraps, beats; sub-buffer switches are in it\n",
	       stats_quantile(value, count, 0.5), number(most, "left_out_ns"), text(most, "row"));
}

static void print_beats(const json_t *beats)
{
	const json_t *line;
	size_t i;

	json_array_foreach(beats, i, line)
		printf("%s: a beat takes %.0f ns (95 %%: %.0f to %.0f),\n%.1f per second: %.1f us in "
		       "each second\n", text(line, "row"), number(line, "beat_ns"),
		       number(line, "beat_ns_95_low"), number(line, "beat_ns_95_high"),
		       number(line, "beats_per_second"), number(line, "ns_per_second") / 1e3);
}

void bench_print_figures(const struct bench *bench, const json_t *again)
{
	putchar('\n');
	print_again(again);
	print_marks(bench->table);
	print_beats(bench->beats);
	print_left_out(bench->table);
}
