// SPDX-License-Identifier: MIT
/* A table's figures, from slots whose answer is known by hand, and how each of them is printed. */
#include "tests/support/test.h"

#include <math.h>

#include <jansson.h>

#include "base/stats.h"
#include "runner/timing/summary.h"
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

/* ---- what a table says of them ---- */

/* Words of a line, each with one space behind it. */
static const char *words_of(const struct summary_line *line)
{
	static struct summary_table table = { .count = 1 };
	static char words[4096];
	char *text = NULL, *at, *rest;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	table.line[0] = *line;
	summary_print(out, &table);
	fclose(out);
	words[0] = '\0';
	/* Behind the title. */
	for (at = strtok_r(strchr(text, '\n') + 1, " \n", &rest); at;
	     at = strtok_r(NULL, " \n", &rest)) {
		strcat(words, at);
		strcat(words, " ");
	}
	free(text);
	return words;
}

/* Each with what is there in place of the line below; null: nothing is. */
static const struct {
	const char *changed, *words;
} printed[] = {
	{ "{}", "row kept 12 4.2 35.2 3 30.2 1.25 1.5000 5.00 13.5 " },
	{ "{\"worst_error_ticks\": 999999}",
	  "row kept 999999 4.2 35.2 3 30.2 1.25 1.5000 5.00 13.5 " },
	{ "{\"worst_error_ticks\": 1000000}",
	  "row kept 1.0e+06 4.2 35.2 3 30.2 1.25 1.5000 5.00 13.5 " },
	{ "{\"worst_error_ticks\": null}", "row kept n/a 4.2 35.2 3 30.2 1.25 1.5000 5.00 13.5 " },
	{ "{\"worst_error_ticks\": null, \"void_error_ticks\": 5}",
	  "row kept void 4.2 35.2 3 30.2 1.25 1.5000 5.00 13.5 " },
	{ "{\"id_bytes_added\": 0.5}", "row kept 12 4.2+ 35.2 3 30.2 1.25 1.5000 5.00 13.5 " },
	{ "{\"header_id_bytes\": null}", "row kept 12 n/a 35.2 3 30.2 1.25 1.5000 5.00 13.5 " },
	{ "{\"cycles\": null, \"rank\": null}",
	  "row kept 12 4.2 n/a n/a 30.2 1.25 1.5000 5.00 13.5 " },
	{ "{\"cheap_cycles\": null}", "row kept 12 4.2 35.2 3 30.2 1.25 1.5000 5.00 n/a " },
	{ "{\"ratio_95_low\": null}", "row kept 12 4.2 35.2 3 30.2 1.25 1.5000 n/a 13.5 " },
	/* The wider side; hundredths as far as they fit. */
	{ "{\"ratio_95_high\": 1.649}", "row kept 12 4.2 35.2 3 30.2 1.25 1.5000 9.93 13.5 " },
	{ "{\"ratio_95_low\": 1.2}", "row kept 12 4.2 35.2 3 30.2 1.25 1.5000 20 13.5 " },
	{ "{\"mixed\": true}", "row kept 12 4.2 35.2 3 30.2 1.25 1.5000 5.00 13.5~ " },
};

static void every_figure_is_printed(void **state)
{
	unsigned int i;

	for (i = 0; i < COUNT(printed); i++) {
		json_t *changed = json_loads(printed[i].changed, 0, NULL);
		json_t *line = json_pack(
			"{s:i, s:f, s:f, s:f, s:i, s:f, s:f, s:f, s:f, s:f, s:f}",
			"worst_error_ticks", 12, "header_id_bytes", 4.24, "id_bytes_added", 0.,
			"cycles", 35.21, "rank", 3, "instructions", 30.2, "atomics", 1.25, "ratio",
			1.5, "ratio_95_low", 1.46, "ratio_95_high", 1.575, "cheap_cycles", 13.5);

		struct summary_line its = {
			.about = { .row = "row", .workload = "steady", .verdict = "kept" }
		};

		assert_non_null(changed);
		json_object_update(line, changed);
		its.mixed = json_is_true(json_object_get(line, "mixed"));
#define X(key, ...) \
	its.key.middle = json_known(line, #key), \
	its.key.low_95 = json_known(line, #key "_95_low"), \
	its.key.high_95 = json_known(line, #key "_95_high");
#include "base/json.h"
#include "results/columns.def"
#undef X
		assert_string_equal(words_of(&its), printed[i].words);
		json_decref(changed);
		json_decref(line);
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
					   .worst_error_ticks = 7,
					   .void_error_ticks = 9 };
	json_t *rows = all_figures();
	struct summary_line line;

	assert_true(summary_line(rows, &about, &line));
	assert_json(summary_json(&line),
		    "{'row': 'x', 'workload': 'steady', 'verdict': 'kept', 'why': 'because',"
		    " 'floor': '" SAMPLES_FLOOR "', 'clock_reads': 1.0, 'atomics': 1.5,"
		    " 'extended': 0.125, 'repetitions': 3, 'shared': 0,"
		    " 'worst_error_ticks': 7.0, 'void_error_ticks': 9.0, 'mixed': false,"
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

TESTS(the_wider_side_counts, every_figure_is_printed, a_line_says_all_of_this)
