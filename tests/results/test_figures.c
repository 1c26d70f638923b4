// SPDX-License-Identifier: MIT
/* A table's figures, from slots whose answer is known by hand. */
#include "tests/support/test.h"

#include <math.h>

#include <jansson.h>

#include "base/stats.h"
#include "runner/sections.c"
#include "tests/support/quoted.h"

/* ---- half of an interval ---- */

/* Its wider side, in shares of the middle. */
static void the_wider_side_counts(void **state)
{
	static const struct {
		struct stats_interval interval; /* middle, low, high */
		double half;
	} cases[] = {
		{ { 2, 1.9, 2.01 }, 0.05 },
		{ { 2, 1.99, 2.1 }, 0.05 },
		{ { -2, -2.1, -1.99 }, 0.05 },
		{ { 4, 4, 4 }, 0 },
	};
	unsigned int i;

	for (i = 0; i < COUNT(cases); i++)
		assert_float_equal(stats_half_width(&cases[i].interval), cases[i].half, 1e-12);
}

static void a_row_below_its_floor_is_marked(void **state)
{
	static const double cases[][3] = { { 1.01, 1.01, 0.01 }, { 0.97, 1.01, 0.01 },
					   { 1.01, 0.97, 0.01 }, { 0.985, 0.985, 0.01 },
					   { 0.97, 0.97, 0.05 }, { 0.94, 0.97, 0.05 } };
	static struct summary_table table = { .count = 1 };

	for (unsigned int i = 0; i < COUNT(cases); i++) {
		table.line[0].ratio_own.high = cases[i][0];
		table.line[0].cheap_ratio_own.high = cases[i][1];
		mark_below_floor(&table, cases[i][2]);
		assert_int_equal(table.line[0].below_floor, i == 1 || i == 2 || i == 5);
	}
}

/* Three slots of 10, 12 and 20 cycles of 2 ticks of 2 ns, over a clock of 4. */
static json_t *all_figures(void)
{
	static const double cycles[] = { 10, 12, 20 };
	json_t *rows = json_array();
	int i;

	for (i = 0; i < 3; i++) {
		json_array_append_new(
			rows, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
					"s:f, s:f}",
					"row", "x", "workload", "steady", "real_time",
					4 * cycles[i], "ticks", 2 * cycles[i], "probe", 2.,
					"cycles", cycles[i], "ratio", cycles[i] / 8, "instructions",
					30., "bytes", 16., "header_bytes", 4., "payload_bytes", 12.,
					"subbuf_bytes", 0.25, "alignment_bytes", 0.5));
		json_array_append_new(rows,
				      json_pack("{s:s, s:s, s:f, s:f}", "row", "clock", "workload",
						"steady", "cycles", 4., "probe", 2.));
		json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "row", "x",
						      "workload", "cheap", "cycles", 3., "probe",
						      2., "ratio", 1.5, "ratio_own", 1.25));
	}
	return rows;
}

static void a_line_says_all_of_this(void **state)
{
	const struct summary_row about = { .row = "x",
					   .workload = "steady",
					   .verdict = "kept",
					   .why = "because",
					   .floor = SAMPLES_FLOOR,
					   .cheap = "cheap",
					   .id_bytes_added = 2,
					   .clock_reads = 1,
					   .atomics = 1.5,
					   .extended = 0.125,
					   .rank = 2,
					   .worst_error_ticks = 7 };
	json_t *rows = all_figures();
	struct summary_line line;

	assert_true(summary_line(rows, &about, &line));
	assert_json(summary_json(&line),
		    "{'row': 'x', 'workload': 'steady', 'verdict': 'kept', 'why': 'because',"
		    " 'floor': '" SAMPLES_FLOOR "', 'clock_reads': 1.0, 'atomics': 1.5,"
		    " 'extended': 0.125, 'repetitions': 3, 'shared': 0,"
		    " 'worst_error_ticks': 7.0, 'mixed': false,"
		    " 'below_floor': false, 'cycles': 12.0, 'cycles_95_low': null,"
		    " 'cycles_95_high': null, 'rank': 2.0, 'ns': 48.0,"
		    " 'ratio': 1.5, 'ratio_95_low': null, 'ratio_95_high': null,"
		    " 'ratio_own': 1.5, 'ratio_own_95_low': null, 'ratio_own_95_high': null,"
		    " 'ticks': 24.0, 'instructions': 30.0, 'above_clock': 8.0,"
		    " 'cheap_cycles': 3.0, 'cheap_cycles_95_low': null,"
		    " 'cheap_cycles_95_high': null, 'cheap_ratio': 1.5,"
		    " 'cheap_ratio_95_low': null, 'cheap_ratio_95_high': null,"
		    " 'cheap_ratio_own': 1.25, 'cheap_ratio_own_95_low': null,"
		    " 'cheap_ratio_own_95_high': null, 'bytes': 16.0, 'header_bytes': 4.0,"
		    " 'id_bytes_added': 2.0, 'header_id_bytes': 6.0, 'payload_bytes': 12.0,"
		    " 'subbuf_bytes': 0.25, 'alignment_bytes': 0.5}");
	json_decref(rows);
}

TESTS(the_wider_side_counts, a_row_below_its_floor_is_marked, a_line_says_all_of_this)
