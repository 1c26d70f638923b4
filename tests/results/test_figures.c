// SPDX-License-Identifier: MIT
/* A table's figures, from series whose answer is known by hand, and how each of them is printed. */
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
	json_t *line = json_object();
	unsigned int i;

	for (i = 0; i < COUNT(cases); i++) {
		assert_float_equal(stats_half_width(&cases[i].interval), cases[i].half, 1e-12);
		/* Noisy is what is wider, and not what is as wide. */
		summary_set_noise(line, &cases[i].interval, cases[i].half + 1e-9);
		assert_true(json_is_false(json_object_get(line, "noisy")));
		summary_set_noise(line, &cases[i].interval, cases[i].half - 1e-9);
		assert_true(json_is_true(json_object_get(line, "noisy")));
	}
	summary_set_noise(line, &cases[3].interval, 0);
	assert_true(json_is_false(json_object_get(line, "noisy")));
	summary_set_noise(line, &cases[0].interval, 1);
	assert_float_equal(json_number_value(json_object_get(line, "ratio_95_low")), 1.9, 0);
	assert_float_equal(json_number_value(json_object_get(line, "ratio_95_high")), 2.01, 0);
	/* Of too few nothing is known, and that is noisy. */
	summary_set_noise(line, &(struct stats_interval){ 2, NAN, NAN }, 1);
	assert_true(json_is_true(json_object_get(line, "noisy")));
	assert_true(json_is_null(json_object_get(line, "ratio_95_low")));
	json_decref(line);
}

/* ---- which repetitions ---- */

/* One repetition; a probe or a time of 0 is none. */
struct repetition {
	const char *row;
	const char *workload;
	json_int_t round;
	int threads;
	double ticks, probe;
};

static json_t *rows_of(const struct repetition *one, size_t count)
{
	json_t *rows = json_array(), *row;

	for (; count--; one++) {
		row = json_pack("{s:s*, s:s*, s:I, s:i, s:f}", "row", one->row, "workload",
				one->workload, "repetition_index", one->round, "threads",
				one->threads, "ticks", one->ticks);
		if (one->probe > 0)
			json_object_set_new(row, "probe", json_real(one->probe));
		json_array_append_new(rows, row);
	}
	return rows;
}

/* Of its own row, its own workload and a round that there can be. */
static void only_its_own_repetitions_count(void **state)
{
	static const struct repetition repetitions[] = {
		{ "row", "steady", 0, 1, 1, 0 },  { "other", "steady", 1, 1, 2, 0 },
		{ "row", "storm", 2, 1, 3, 0 },	  { NULL, "steady", 3, 1, 4, 0 },
		{ "row", NULL, 4, 1, 5, 0 },	  { "row", "steady", 1 << 24, 1, 6, 0 },
		{ "row", "steady", -1, 1, 7, 0 }, { "row", "steady", 5, 1, 8, 0 },
	};
	const struct samples_cell cell = { "row", "steady" };
	json_t *rows = rows_of(repetitions, COUNT(repetitions));
	struct samples samples = samples_collect(rows, &cell, "ticks", NULL);

	assert_int_equal(samples.count, 2);
	assert_true(samples.value[0] == 1 && samples.value[1] == 8);
	samples_free(&samples);
	assert_null(samples.value);
	json_decref(rows);
}

/* Undisturbed is up to 1.2 times the calmest with as many threads, whichever row it is of. */
static void the_calmest_probe_is_the_measure(void **state)
{
	struct repetition repetitions[16];
	const struct samples_cell cell = { "row", "steady" };
	struct samples samples;
	json_t *rows;
	int i;

	for (i = 0; i < 14; i++)
		repetitions[i] =
			(struct repetition){ "row", "steady", i, 2, i, i < 7 ? 1.2 : 1.2001 };
	repetitions[14] = (struct repetition){ "other", "steady", 0, 2, 9, 1 };
	repetitions[15] = (struct repetition){ "other", "steady", 0, 1, 9, 0.5 };
	rows = rows_of(repetitions, COUNT(repetitions));
	samples = samples_collect(rows, &cell, "ticks", NULL);
	assert_int_equal(samples.count, 7);
	assert_int_equal(samples.left_out, 7);
	assert_true(samples.value[0] == 0 && samples.value[6] == 6);
	assert_false(samples.mixed);
	samples_free(&samples);
	json_decref(rows);
}

/* Each round's base is its own, or that of the nearest calm round: the earlier of two. */
static void the_nearest_calm_base(void **state)
{
	/* The base by round: 0 is none, as behind the end; below 0: disturbed, else just not. */
	static const double base_ticks[] = { 0.5, -1, 1, -1, -1, 2, 0, -1, -1 };
	static const double expected[] = { 0.5, 0.5, 1, 1, 2, 2, 0, 2, 2 };
	const struct samples_cell cell = { "row", "steady" }, base = { "base", "steady" };
	struct repetition repetitions[2 * 10];
	struct samples samples, above;
	size_t i, k;
	json_t *rows;

	for (i = 0; i < 10; i++) {
		repetitions[2 * i] =
			(struct repetition){ "row", "steady", (json_int_t)i, 1, 64. * (1 << i), 1 };
		repetitions[2 * i + 1] =
			(struct repetition){ i < 9 ? "base" : "other",
					     "steady",
					     (json_int_t)i,
					     1,
					     i < 9 ? fabs(base_ticks[i]) : 1,
					     i < 9 && base_ticks[i] < 0 ? 2 : 1.2 };
	}
	rows = rows_of(repetitions, COUNT(repetitions));
	samples = samples_collect(rows, &cell, "ticks", &base);
	above = samples_above(rows, &cell, "ticks", &base);
	assert_int_equal(samples.count, 8);
	assert_int_equal(above.count, 8);
	for (i = k = 0; i < COUNT(expected); i++) {
		if (!expected[i])
			continue;
		assert_float_equal(samples.value[k], 64. * (1 << i) / expected[i], 1e-9);
		assert_float_equal(above.value[k++], 64. * (1 << i) - expected[i], 1e-9);
	}
	samples_free(&samples);
	samples_free(&above);
	json_decref(rows);
}

/* A series to itself is 1 in each round, and what it is to another one is not. */
static void a_series_to_itself(void **state)
{
	struct repetition repetitions[40];
	const struct samples_cell own = { "row", "steady" }, twin = { "twin", "steady" };
	struct stats_interval same, other;
	json_t *rows;
	int i;

	for (i = 0; i < 40; i++)
		repetitions[i] = (struct repetition){ i % 2 ? "twin" : "row",	 "steady", i / 2, 1,
						      i % 2 ? 110 + i : 100 + i, 0 };
	rows = rows_of(repetitions, COUNT(repetitions));
	same = samples_median(rows, &own, "ticks", &own);
	other = samples_median(rows, &twin, "ticks", &own);
	assert_true(same.middle == 1 && same.low == 1 && same.high == 1);
	/* (111 + 2 i) / (100 + 2 i), between its ends. */
	assert_true(other.middle > 149. / 138 && other.middle < 1.11);
	assert_true(other.low < other.middle && other.middle < other.high);
	json_decref(rows);
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
	{ "{}", "row kept 12 4.2 10.0 1.5 30.2 1.25 1.500 5.0% 2.50 " },
	{ "{\"worst_error_ticks\": 999999}",
	  "row kept 999999 4.2 10.0 1.5 30.2 1.25 1.500 5.0% 2.50 " },
	{ "{\"worst_error_ticks\": 1000000}",
	  "row kept 1.0e+06 4.2 10.0 1.5 30.2 1.25 1.500 5.0% 2.50 " },
	{ "{\"worst_error_ticks\": null}", "row kept n/a 4.2 10.0 1.5 30.2 1.25 1.500 5.0% 2.50 " },
	{ "{\"worst_error_ticks\": null, \"void_error_ticks\": 5}",
	  "row kept void 4.2 10.0 1.5 30.2 1.25 1.500 5.0% 2.50 " },
	{ "{\"id_bytes_added\": 0.5}", "row kept 12 4.2+ 10.0 1.5 30.2 1.25 1.500 5.0% 2.50 " },
	{ "{\"header_id_bytes\": null}", "row kept 12 n/a 10.0 1.5 30.2 1.25 1.500 5.0% 2.50 " },
	{ "{\"cheap_ratio\": null}", "row kept 12 4.2 10.0 1.5 30.2 1.25 1.500 5.0% n/a " },
	{ "{\"ratio_95_low\": null}", "row kept 12 4.2 10.0 1.5 30.2 1.25 1.500 n/a 2.50 " },
	/* The wider side; tenths as far as they fit. */
	{ "{\"ratio_95_high\": 1.649}", "row kept 12 4.2 10.0 1.5 30.2 1.25 1.500 9.9% 2.50 " },
	{ "{\"ratio_95_high\": 1.6494}", "row kept 12 4.2 10.0 1.5 30.2 1.25 1.500 10% 2.50 " },
	{ "{\"ratio_95_low\": 1.2}", "row kept 12 4.2 10.0 1.5 30.2 1.25 1.500 20% 2.50 " },
	{ "{\"noisy\": true}", "row kept 12 4.2 10.0 1.5 30.2 1.25 1.500 5.0% 2.50~ " },
	{ "{\"noisy\": true, \"disagrees\": true}",
	  "row kept 12 4.2 10.0 1.5 30.2 1.25 1.500 5.0% 2.50! " },
};

static void every_figure_is_printed(void **state)
{
	unsigned int i;

	for (i = 0; i < COUNT(printed); i++) {
		json_t *changed = json_loads(printed[i].changed, 0, NULL);
		json_t *line =
			json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
				  "worst_error_ticks", 12, "header_id_bytes", 4.24,
				  "id_bytes_added", 0., "ns", 10.01, "above_clock_ns", 1.51,
				  "instructions", 30.2, "atomics", 1.25, "ratio", 1.5,
				  "ratio_95_low", 1.46, "ratio_95_high", 1.575, "cheap_ratio", 2.5);

		struct summary_line its = {
			.about = { .row = "row", .workload = "steady", .verdict = "kept" }
		};

		assert_non_null(changed);
		json_object_update(line, changed);
		its.noisy = json_is_true(json_object_get(line, "noisy"));
		its.disagrees = json_is_true(json_object_get(line, "disagrees"));
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

/* Three rounds of 10, 12 and 20 ns (quartiles 11 and 16), over a floor of 8 and a clock of 4. */
static json_t *all_figures(void)
{
	static const double ns[] = { 10, 12, 20 };
	json_t *rows = json_array();
	int i;

	for (i = 0; i < 3; i++) {
		json_array_append_new(
			rows, json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
					"s:f, s:f, s:f}",
					"row", "x", "workload", "steady", "repetition_index", i,
					"threads", 1, "probe", 1., "ns", ns[i], "mean_ns",
					ns[i] + 0.5, "ticks", 2 * ns[i], "cycles", 3 * ns[i],
					"bytes", 16., "header_bytes", 4., "payload_bytes", 12.,
					"subbuf_bytes", 0.25, "alignment_bytes", 0.5));
		json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:f}",
						      "row", SAMPLES_FLOOR, "workload", "steady",
						      "repetition_index", i, "threads", 1, "probe",
						      1., "ns", 8., "ticks", 16., "cycles", 24.));
		json_array_append_new(rows,
				      json_pack("{s:s, s:s, s:i, s:i, s:f, s:f}", "row", "clock",
						"workload", "steady", "repetition_index", i,
						"threads", 1, "probe", 1., "ns", 4.));
		json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:f}", "row",
						      i < 2 ? "x" : SAMPLES_FLOOR, "workload",
						      "cheap", "repetition_index", i % 2, "threads",
						      1, "probe", 1., "ns", i < 2 ? 3. : 2.,
						      "cycles", i < 2 ? 3. : 2.));
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
					   .instructions = 30,
					   .worst_error_ticks = 7,
					   .void_error_ticks = 9,
					   .half_width = 0.01 };
	json_t *rows = all_figures();
	struct summary_line line;

	assert_true(summary_line(rows, &about, &line));
	assert_json(summary_json(&line),
		    "{'row': 'x', 'workload': 'steady', 'verdict': 'kept', 'why': 'because',"
		    " 'floor': '" SAMPLES_FLOOR "', 'clock_reads': 1.0, 'atomics': 1.5,"
		    " 'extended': 0.125, 'ratio_basis': 'cycles', 'repetitions': 3, 'disturbed': 0,"
		    " 'worst_error_ticks': 7.0, 'void_error_ticks': 9.0, 'mixed': false,"
		    " 'disagrees': false, 'below_floor': false, 'noisy': true, 'ns': 12.0, "
		    "'ns_low': 11.0, 'ns_high': 16.0,"
		    " 'ratio': 1.5, 'ratio_low': 1.375, 'ratio_high': 2.0, 'ratio_95_low': null,"
		    " 'ratio_95_high': null, 'ratio_own': 1.5, 'ratio_own_95_low': null,"
		    " 'ratio_own_95_high': null, 'cycles': 36.0, 'cycles_low': 33.0,"
		    " 'cycles_high': 48.0, 'ticks': 24.0, 'instructions': 30.0,"
		    " 'instructions_source': 'single-step', 'above_clock_ns': 8.0,"
		    " 'above_clock_ns_95_low': null, 'above_clock_ns_95_high': null,"
		    " 'left_out_ns': 0.5, 'left_out_ns_95_low': null, 'left_out_ns_95_high': null,"
		    " 'cheap_ratio': 1.5, 'cheap_ratio_95_low': null, 'cheap_ratio_95_high': null,"
		    " 'cheap_ns': 3.0, 'cheap_ns_95_low': null, 'cheap_ns_95_high': null,"
		    " 'cheap_ratio_own': 1.5, 'cheap_ratio_own_95_low': null,"
		    " 'cheap_ratio_own_95_high': null, 'bytes': 16.0, 'header_bytes': 4.0,"
		    " 'id_bytes_added': 2.0, 'header_id_bytes': 6.0, 'payload_bytes': 12.0,"
		    " 'subbuf_bytes': 0.25, 'alignment_bytes': 0.5}");
	json_decref(rows);
}

/* Instructions that the CPU did not count are those of single steps, and say so. */
static void who_counted_the_instructions(void **state)
{
	const struct repetition repetitions[] = { { "row", "steady", 0, 1, 1, 0 } };
	struct summary_row about = { .row = "row", .workload = "steady", .verdict = "kept" };
	json_t *rows = rows_of(repetitions, 1);
	struct summary_line line;
	unsigned int i;

	json_object_set_new(json_array_get(rows, 0), "ns", json_real(3));
	for (i = 0; i < 4; i++) {
		bool counted = i & 1;

		if (counted)
			json_object_set_new(json_array_get(rows, 0), "instructions", json_real(40));
		else
			json_object_del(json_array_get(rows, 0), "instructions");
		about.instructions = i < 2 ? 0 : -1;
		about.worst_error_ticks = i < 2 ? 0 : -1;
		assert_true(summary_line(rows, &about, &line));
		assert_true(line.stepped == (!counted && i < 2));
		assert_true(isnan(line.instructions.middle) == (!counted && i >= 2));
		if (counted)
			assert_float_equal(line.instructions.middle, 40, 0);
		assert_true(isnan(line.worst_error_ticks.middle) == (i >= 2));
	}
	json_decref(rows);
}

/* A cell that nobody ran has no line, and of a key that nobody knows there is no median. */
static void what_was_not_run_has_no_line(void **state)
{
	const struct repetition repetitions[] = { { "row", "steady", 0, 1, 3, 0 },
						  { "base", "steady", 0, 1, 2, 0 } };
	const struct samples_cell cell = { "row", "steady" }, base = { "base", "steady" };
	const struct summary_row about = { .row = "none", .workload = "steady", .verdict = "" };
	json_t *rows = rows_of(repetitions, 2);
	struct summary_line line;

	assert_false(summary_line(rows, &about, &line));
	assert_true(summary_median(rows, "row", "steady", "ticks") == 3);
	assert_true(summary_median(rows, "row", "steady", "none") == -1);
	assert_true(summary_ratio(rows, &cell, &base, "ticks") == 1.5);
	assert_true(summary_ratio(rows, &cell, &base, "none") == -1);
	json_decref(rows);
}

TESTS(the_wider_side_counts, only_its_own_repetitions_count, the_calmest_probe_is_the_measure,
      the_nearest_calm_base, a_series_to_itself, every_figure_is_printed, a_line_says_all_of_this,
      who_counted_the_instructions, what_was_not_run_has_no_line)
