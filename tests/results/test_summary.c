// SPDX-License-Identifier: MIT
/* The lines of the table, and their ranks. */
#include "tests/support/test.h"

#include <math.h>

#include <jansson.h>

#include "judge/driver.h"
#include "results/samples.h"
#include "runner/timed.h"
#include "runner/timing/summary.h"
#include "workloads/workload.h"

static void add(json_t *rows, const char *row, const char *workload, double cycles, double ratio,
		double ratio_own)
{
	json_t *one = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f}", "row", row, "workload",
				workload, "ticks", 2 * cycles, "cycles", cycles, "probe", 2.,
				"real_time", cycles * 4, "header_bytes", 4.25);

	if (ratio > 0)
		json_object_set_new(one, "ratio", json_real(ratio));
	if (ratio_own > 0)
		json_object_set_new(one, "ratio_own", json_real(ratio_own));
	json_array_append_new(rows, one);
}

#define assert_number(figure, value) assert_float_equal(figure, value, 1e-9)

/* Each figure from the made-up slots by hand: of nine, by order statistics, the second and the
 * eighth are the ends of the interval. */
static void figures_are_of_slots(void **state)
{
	const struct summary_row about = { .row = "delta",
					   .workload = "steady",
					   .verdict = "kept",
					   .floor = "floor",
					   .id_bytes_added = 2,
					   .rank = -1,
					   .cheap = CELLS_CHEAP };
	struct summary_row lowest = about;
	struct summary_line line;
	json_t *rows = json_array();
	int i;

	for (i = 0; i < 9; i++) {
		add(rows, "floor_published", "steady", 10, 0, 0);
		add(rows, "clock", "steady", 9, 0, 0);
		add(rows, "delta", "steady", 15 + i, 1.5 + 0.01 * i, 1.2);
		add(rows, "delta", "cheap", 5, 2.5, 0);
	}
	assert_true(summary_line(rows, &about, &line));
	assert_number(line.cycles.middle, 19);
	assert_number(line.cycles.low, 16);
	assert_number(line.cycles.high, 22);
	assert_number(line.ratio.middle, 1.54);
	assert_number(line.ratio.low, 1.51);
	assert_number(line.ratio_own.middle, 1.2);
	assert_number(line.above_clock.middle, 10);
	/* Two ticks of 2 ns are a cycle. */
	assert_number(line.ns.middle, 19 * 4);
	assert_number(line.cheap_cycles.middle, 5);
	assert_number(line.cheap_ratio.middle, 2.5);
	/* Whose own floor is the lowest has no other ratio. */
	assert_number(line.cheap_ratio_own.middle, 2.5);
	assert_number(line.header_id_bytes.middle, 6.25);
	assert_true(isnan(line.rank.middle));
	lowest.row = lowest.floor = "floor_published";
	assert_true(summary_line(rows, &lowest, &line));
	assert_number(line.ratio.middle, 1);
	assert_number(line.ratio_own.high, 1);
	lowest.row = "none";
	assert_false(summary_line(rows, &lowest, &line));
	json_decref(rows);
}

/* Rows that stamp, by ratio; within 1 % of the first of a rank they share it. */
static void rows_that_are_close_share_a_rank(void **state)
{
	static const struct {
		const char *row, *floor, *verdict;
		double ratio, rank;
	} cases[] = {
		{ "a", "floor", "kept", 1.0099, 1 },
		{ "b", "floor", "kept", 1.05, 4 },
		{ "c", "floor", "kept", 1.0, 1 },
		{ "floor", "floor", "no promise", 0.9, 0 },
		{ "d", "floor", "kept", 1.0199, 3 },
		{ "e", "floor", "broken", 0.5, 0 },
		{ "untimed", NULL, "no promise", 0.1, 0 },
	};
	static struct summary_table table;
	size_t i;

	for (i = 0; i < COUNT(cases); i++)
		table.line[i] = (struct summary_line){ .about = { .row = cases[i].row,
								  .workload = "steady",
								  .verdict = cases[i].verdict,
								  .floor = cases[i].floor },
						       .rank.middle = NAN,
						       .ratio.middle = cases[i].ratio };
	table.count = COUNT(cases);
	summary_rank(&table, 0.01);
	for (i = 0; i < COUNT(cases); i++)
		if (cases[i].rank > 0)
			assert_number(table.line[i].rank.middle, cases[i].rank);
		else
			assert_true(isnan(table.line[i].rank.middle));
}

/* By the rows' median half width times the square root of 2, or the largest change of a row that
 * was timed again. */
static void how_far_rows_are_told_apart(void **state)
{
	static const double cases[][3] = { { .001, 0, .003 },	 { .003, .001, .005 },
					   { .001, -.015, .02 }, { .001, .04, .05 },
					   { .2, 0, INFINITY },	 { .0707, 0, .1 },
					   { NAN, 0, INFINITY } };
	static struct summary_table table = { .count = 3 };
	unsigned int i, j;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		json_t *again = json_pack("[{s:f},{s:n}]", "change", cases[i][1], "change");

		for (j = 0; j < 3; j++) /* the floor's width does not count */
			table.line[j] =
				(struct summary_line){ .about.row = j ? "full_tsc" : SAMPLES_FLOOR,
						       .ratio = { 1, j ? 1 - cases[i][0] : 0,
								  1 + cases[i][0] } };
		assert_true(timed_apart(&table, again) == cases[i][2]);
		json_decref(again);
	}
}

TESTS(figures_are_of_slots, rows_that_are_close_share_a_rank, how_far_rows_are_told_apart)
