// SPDX-License-Identifier: MIT
/* What build/plots makes of a good run: data files, pictures, the page, Markdown. */
#include <ctype.h>

#include "tests/plots_fixture.h"

#include "plots/scripts.h"
#include "plots/svg.h"
#include "plots/text.h"

/* ---- helpers with their worked examples ---- */

static void numbers_are_written_as_documented(void **state)
{
	char text[2 * TEXT_FIGURE_BYTES];

	(void)state;
	assert_string_equal(text_figure(text, 0.07), "0.07");
	assert_string_equal(text_figure(text, 1.031), "1.03");
	assert_string_equal(text_figure(text, 9.999), "10.0");
	assert_string_equal(text_figure(text, 36.5), "36.5");
	assert_string_equal(text_figure(text, 99.96), "100");
	assert_string_equal(text_figure(text, 1551.4), "1,551");
	assert_string_equal(text_figure(text, NAN), "n/a");
	assert_string_equal(text_count(text, 1234567), "1,234,567");
	assert_string_equal(text_count(text, 123), "123");
	assert_string_equal(text_count(text, 1e300), "1e+300");
	assert_string_equal(text_short(text, 1234567), "1.23 M");
	assert_string_equal(text_short(text, 999.9), "1 k");
	assert_string_equal(text_time(text, 134217728, 2.25e9), "59.7 ms");
	assert_string_equal(text_time(text, 1234, 0), "");
	assert_string_equal(text_error(text, 0, 2.25e9), "exact");
	assert_string_equal(text_error(text, 1234, 2.25e9), "1,234 ticks (548 ns)");
	assert_string_equal(text_error(text, NAN, 2.25e9), "n/a");
}

static void labels_are_fit_for_gnuplot(void **state)
{
	char label[TEXT_LABEL_BYTES];

	(void)state;
	text_label(label, sizeof(label), "a%s\"b");
	assert_string_equal(label, "a?s?b");
	text_label(label, sizeof(label), "\xc3\xa9t\xc3\xa9");
	assert_string_equal(label, "?t?");
	text_label(label, 8, "abcdefg");
	assert_string_equal(label, "abcdefg");
	text_label(label, 8, "abcdefgh");
	assert_string_equal(label, "abcd...");
	text_row_label(label, "extended_header", 27);
	assert_string_equal(label, "extended_header (27 bits)");
	text_row_label(label, "a_name_that_is_much_too_long_for_a_plot", 1e300);
	assert_string_equal(label, "a_name_that_is_much_too_long... (9999 bits)");
}

static void svgs_can_share_a_page(void **state)
{
	static const char svg[] =
		"<?xml?>\n<svg width='9'>\n<title>Gnuplot</title><desc>x</desc>\n"
		"<path id='gp' stroke='rgb(  0, 114, 178)'/><use xlink:href='#gp' fill=\"black\"/>"
		"<g clip-path='url(#c)' color=\"rgb(1,2,3)\"><text>black a</text></g></svg>\n";
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	svg_inline(out, svg, "p-", "a \"b\"");
	assert_int_equal(fclose(out), 0);
	assert_string_equal(
		text, "<svg role=\"img\" aria-label=\"a &quot;b&quot;\" width='9'>\n\n"
		      "<path id='p-gp' stroke='var(--plot-blue)'/><use xlink:href='#p-gp' "
		      "fill=\"var(--plot-ink)\"/><g clip-path='url(#p-c)' color=\"rgb(1,2,3)\">"
		      "<text>black a</text></g></svg>\n");
	free(text);
}

/* A stale copy inside the program would draw yesterday's plots. */
static void program_carries_the_scripts_of_the_source(void **state)
{
	static const char *const names[] = { "style", "cost",  "space",
					     "rate",  "storm", "late_beat",
					     "injected", "layouts", "threads",
					     "replay", "idle",
					     "tails", "ties" };
	char path[PATH_MAX], *text;
	size_t i, size, carried_size;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *carried = script_text(names[i], &carried_size);

		snprintf(path, sizeof(path), "%s", sample_path(""));
		snprintf(strstr(path, "tests/data"), 64, "plots/%s.gp", names[i]);
		text = file_text(path, &size);
		assert_non_null(carried);
		assert_int_equal(size, carried_size);
		assert_memory_equal(text, carried, size);
		free(text);
	}
	for (i = 0; i < PLOTS; i++)
		assert_non_null(script_text(plot_descs[i].name, &size));
	assert_null(script_text("no such", &size));
}

/* ---- data files ---- */

/* From the third column on, the row has what its cell of the record says. */
static void assert_columns(struct fixture *f, const char *data, json_t *cell,
			   const char *const *keys)
{
	const char *row = json_string_value(json_object_get(cell, "row"));
	int column;

	for (column = 3; *keys; keys++, column++)
		assert_near(data_at(f, data, row, column), number(cell, *keys));
}

static void cost_data_is_the_runs(void **state)
{
	static const char *const cost[] = { "cycles", "cycles_low", "cycles_high", "ns", "ratio",
					    "ratio_low", "ratio_high", NULL };
	struct fixture *f = *state;
	json_t *cell = element(f, "table", "row", "extended_header");
	char *text;

	make_data(f);
	assert_columns(f, "cost", cell, cost);
	assert_near(data_at(f, "cost", "extended_header", 10), 0);
	assert_near(data_at(f, "cost", "floor", 10), 1);
	/* Cheapest first, by ratio; a row that broke a promise comes last, without a figure. */
	assert_near(data_at(f, "cost", "untimed", 1), 1);
	assert_true(data_at(f, "cost", "floor", 1) < data_at(f, "cost", "extended_header", 1));
	assert_near(data_at(f, "cost", "delta_sync_hard", 1), 9);
	assert_near(data_at(f, "cost", "made_up_broken", 1), 10);
	assert_near(data_at(f, "cost", "made_up_broken", 10), 3);
	for (int column = 3; column <= 9; column++)
		assert_true(isnan(data_at(f, "cost", "made_up_broken", column)));
	assert_holds(in_run(f, "plots/run.gp"), "cost_unit = 'cycles'\n", true);
	text = file_text(in_run(f, "plots/cost.dat"), NULL);
	/* Three repetitions of nine rows, and the line that stands for none. */
	assert_int_equal(occurrences(strstr(text, "# every repetition"), "\n"), 1 + 1 + 3 * 9);
	free(text);
}

/* Every repetition's ratio is to the floor of its own round. */
static void repetitions_are_compared_within_their_round(void **state)
{
	struct fixture *f = *state;
	json_t *list = json_object_get(f->bench, "benchmarks"), *one;
	char line[128];
	size_t i;

	json_array_foreach(list, i, one) {
		double round = number(one, "repetition_index");
		const char *name = json_string_value(json_object_get(one, "name"));

		if (!strcmp(name, "floor/steady"))
			json_object_set_new(one, "cycles", json_real(10 * (round + 1)));
		else if (!strcmp(name, "heartbeat/steady"))
			json_object_set_new(one, "cycles", json_real(20));
	}
	make_data(f);
	for (i = 1; i <= 3; i++) {
		snprintf(line, sizeof(line), "\n2 20 %.10g\n", 2.0 / (double)i);
		assert_holds(in_run(f, "plots/cost.dat"), line, true);
	}
}

static void space_data_is_the_runs(void **state)
{
	static const char *const space[] = { "instructions", "bytes", "header_bytes",
					     "alignment_bytes", "subbuf_bytes", "payload_bytes",
					     NULL };
	struct fixture *f = *state;
	json_t *cell = element(f, "table", "row", "full_tsc");

	json_object_set_new(element(f, "table", "row", "floor"), "payload_bytes", json_null());
	make_data(f);
	assert_columns(f, "space", cell, space);
	assert_near(data_at(f, "space", "full_tsc", 9), 0);
	assert_near(data_at(f, "space", "floor", 9), 8);
	assert_near(data_at(f, "space", "untimed", 1), 1);
	assert_near(data_at(f, "space", "delta_sync_hard", 1), 10);
	/* 827 instructions must not press the others flat: the axis ends at 4 x the median, 31. */
	assert_holds(in_run(f, "plots/run.gp"), "space_instructions = 124\n", true);
}

static void storm_data_is_the_runs(void **state)
{
	struct fixture *f = *state;
	json_t *zero = element(f, "stress", "row", "zero_delta");
	json_t *broken = element(f, "stress", "row", "made_up_broken");

	make_data(f);
	assert_near(data_at(f, "storm", "full_tsc", 4), 0);
	assert_near(data_at(f, "storm", "full_tsc", 9), 0);
	/* A bit length of 11: at most 2047. */
	assert_near(data_at(f, "storm", "made_up_broken", 3), 2047);
	assert_near(data_at(f, "storm", "made_up_broken", 4), number(broken, "worst_error_ticks"));
	assert_near(data_at(f, "storm", "made_up_broken", 7), number(broken, "events"));
	assert_near(data_at(f, "storm", "made_up_broken", 8), number(broken, "hits"));
	assert_near(data_at(f, "storm", "made_up_broken", 9), 3);
	assert_near(data_at(f, "storm", "made_up_broken", 1), 7);
	/* The error of zero_delta is all of stamps that it declares inexact. */
	assert_near(data_at(f, "storm", "zero_delta", 4), 0);
	assert_near(data_at(f, "storm", "zero_delta", 5),
		    number(zero, "inexact") / number(zero, "events"));
	assert_near(data_at(f, "storm", "zero_delta", 6), number(zero, "worst_error_ticks"));
	assert_near(data_at(f, "storm", "zero_delta", 9), 1);
	/* It recorded nothing, and the threads workload is no storm. */
	assert_holds(in_run(f, "plots/storm.dat"), "\"floor\"", false);
	assert_holds(in_run(f, "plots/run.gp"), "storm_rows = 7\n", true);
}

static void rows_with_the_same_figures_share_a_curve(void **state)
{
	struct fixture *f = *state;
	char *text, *block;

	make_data(f);
	assert_near(data_at(f, "rate", "extended_header", 1), 1);
	assert_near(data_at(f, "rate", "extended_header", 2), 12);
	assert_near(data_at(f, "rate", "extended_header", 3), 12);
	assert_holds(in_run(f, "plots/rate.dat"), "\n 100 534.11 5.3411 \"extended_header\"\n",
		     true);
	assert_holds(in_run(f, "plots/run.gp"),
		     "array rate_titles[4] = ['delta_sync_hard, delta_sync_soft, nested_stamps "
		     "+ 1 more', 'extended_header', 'full_tsc', 'heartbeat']\n", true);
	assert_holds(in_run(f, "plots/run.gp"),
		     "array late_titles[2] = ['heartbeat', 'full_tsc, extended_header']\n", true);
	text = file_text(in_run(f, "plots/late_beat.dat"), NULL);
	block = strstr(text, "\n\n\n");
	assert_non_null(block);
	assert_null(strstr(block, "\"heartbeat\""));
	assert_non_null(strstr(block, "\"full_tsc\""));
	assert_non_null(strstr(text, " 10.5214 10 \"heartbeat\"\n"));
	free(text);
}

/* Gaps are measured: they differ from row to row, and do not grow as they were asked to. */
static void curves_of_late_beats_stand_what_was_measured(void **state)
{
	struct fixture *f = *state;
	json_t *list = json_object_get(f->bench, "late_beat"), *lost, *none;

	lost = json_object_get(json_array_get(list, 0), "steps");
	none = json_object_get(json_array_get(list, 1), "steps");
	json_object_set_new(json_array_get(lost, 0), "gap_wraps", json_real(7));
	json_object_set_new(json_array_get(none, 3), "gap_wraps", json_real(99));
	json_array_remove(none, 0);
	make_data(f);
	assert_holds(in_run(f, "plots/late_beat.dat"),
		     " 6.018 6 \"heartbeat\"\n 7 0 \"heartbeat\"\n 8.0027 8 \"heartbeat\"\n", true);
	assert_holds(in_run(f, "plots/run.gp"), "'full_tsc, extended_header']\n", true);
}

/* One figure that differs, and the rows have a curve each. */
static void rows_with_other_figures_do_not(void **state)
{
	struct fixture *f = *state;
	json_t *steps = value_at(f, "late_beat[1].steps");

	json_object_set_new(json_array_get(steps, 7), "wraps_lost", json_real(1));
	make_data(f);
	assert_holds(in_run(f, "plots/run.gp"),
		     "array late_titles[3] = ['heartbeat', 'full_tsc', 'extended_header']\n", true);
}

/* The name alone does, unless a row ran at several widths. */
static void widths_are_named_where_they_matter(void **state)
{
	struct fixture *f = *state;
	json_t *narrow = json_deep_copy(element(f, "stress", "row", "nested_stamps"));

	json_object_set_new(narrow, "bits", json_integer(16));
	json_array_append_new(json_object_get(f->bench, "stress"), narrow);
	make_data(f);
	assert_holds(in_run(f, "plots/storm.dat"), "\"nested_stamps (27 bits)\"", true);
	assert_holds(in_run(f, "plots/storm.dat"), "\"nested_stamps (16 bits)\"", true);
	assert_holds(in_run(f, "plots/storm.dat"), "\"full_tsc\"", true);
	assert_holds(in_run(f, "plots/run.gp"), "storm_bits = 1\n", true);
}

/* A row's curve goes by the share of wraps, then of interruptions; the floor is the line at 1. */
static void injected_data_is_the_runs(void **state)
{
	struct fixture *f = *state;

	make_data(f);
	assert_holds(in_run(f, "plots/injected.dat"),
		     "\n 0 1 0 \"extended_header\"\n 0.001 1.0005 0 \"extended_header\"\n"
		     " 1 1.5 0 \"extended_header\"\n\n\n 0 1 0 \"extended_header\"\n"
		     " 0.002 1.1 1 \"extended_header\"\n 0.002 1.2 2 \"extended_header\"\n\n\n",
		     true);
	assert_holds(in_run(f, "plots/injected.dat"), "\"floor\"", false);
	assert_holds(in_run(f, "plots/run.gp"),
		     "array injected_titles[2] = ['extended_header', 'nested_stamps']\n", true);
}

static void layouts_have_a_plot_of_their_own(void **state)
{
	struct fixture *f = *state;

	make_data(f);
	assert_holds(in_run(f, "plots/rate.dat"), "cut", false);
	assert_near(data_at(f, "layouts", "13_19_cut9_beat", 2), 1094);
	assert_holds(in_run(f, "plots/run.gp"),
		     "array layouts_titles[2] = ['13_19_cut9_beat', '5_27_cut5_ext, "
		     "7_25_cut7_ext']\n", true);
}

static void data_of_other_workloads_is_the_runs(void **state)
{
	struct fixture *f = *state;
	double steady;

	make_data(f);
	steady = data_at(f, "threads", "extended_header", 3);
	assert_near(data_at(f, "threads", "extended_header", 4), 17);
	assert_near(data_at(f, "threads", "extended_header", 5), 2);
	assert_near(data_at(f, "threads", "extended_header", 6), 2 * steady / 17);
	assert_holds(in_run(f, "plots/replay.dat"),
		     "\n1 \"extended_header\" 1 12 0 \"marker_saturated\"\n"
		     "1 \"extended_header\" 2 12.1 0 \"sched_only_calm\"\n"
		     "2 \"heartbeat\" 1 16 0 \"marker_saturated\"\n", true);
	assert_holds(in_run(f, "plots/idle.dat"), "\n2 \"heartbeat\" 5 5.5 80 5 5.5 96\n", true);
}

/* ---- pictures, page, Markdown ---- */

static void every_picture_is_drawn(void **state)
{
	struct fixture *f = *state;
	size_t size;
	char *text;
	int i;

	make_pictures(f);
	for (i = 0; i < PLOTS; i++) {
		const char *name = plot_descs[i].name;

		text = file_text(in_run(f, "plots/%s.svg", name), &size);
		assert_non_null(strstr(text, "width=\"900\""));
		assert_non_null(strstr(text, plot_descs[i].title));
		assert_non_null(strstr(text, "SYNTHETIC SAMPLE, not measured, 2 CPUs, under KVM"));
		assert_non_null(strstr(text, "run run, Linux 6.18.0-made-up, gcc 12.2.0"));
		free(text);
		text = file_text(in_run(f, "plots/%s.png", name), &size);
		/* Width, as PNG's first chunk has it. */
		assert_memory_equal(text + 16, "\0\0\x07\x08", 4);
		free(text);
	}
	assert_holds(in_run(f, "plots/cost.svg"), ">stamps are wrong, so no figure<", true);
	assert_holds(in_run(f, "plots/cost.svg"), ">36.3 = 16.3 ns<", true);
	assert_holds(in_run(f, "plots/cost.svg"), ">reading the clock<", true);
	assert_holds(in_run(f, "plots/rate.svg"), "16.8 per second<", true);
	/* One beside its mark's left, where there is no room to its right. */
	assert_holds(in_run(f, "plots/storm.svg"), ">0.4 % declared inexact<", true);
	assert_holds(in_run(f, "plots/storm.svg"), ">&lt; 0.01 % declared inexact<", true);
	assert_holds(in_run(f, "plots/late_beat.svg"), ">full_tsc, extended_header<", true);
	/* Twelve steps of one row in blue, of two in vermillion, and a mark each below. */
	text = file_text(in_run(f, "plots/late_beat.svg"), NULL);
	assert_int_equal(occurrences(text, "color='rgb(  0, 114, 178)'"), 12 + 1);
	assert_int_equal(occurrences(text, "color='rgb(213,  94,   0)'"), 2 * 12 + 1);
	free(text);
	/* Nothing is of unknown use, so nothing is drawn in its colour. */
	assert_holds(in_run(f, "plots/space.svg"), "204, 121, 167", false);
	assert_holds(in_run(f, "plots/space.svg"), ">827 →<", true);
	/* Every repetition is a dot on both axes, but for the ratios of 2 rows, off the axis. */
	text = file_text(in_run(f, "plots/cost.svg"), NULL);
	assert_int_equal(occurrences(text, "color='rgb(168, 168, 168)'"), 3 * 9 + 3 * 7);
	free(text);
}

/* gnuplot in RUN/plots, by hand, gives the same picture. */
static void scripts_work_by_hand(void **state)
{
	struct fixture *f = *state;
	char command[2 * PATH_MAX], *drawn, *again;
	int i;

	make_pictures(f);
	for (i = 0; i < PLOTS; i++) {
		drawn = file_text(in_run(f, "plots/%s.svg", plot_descs[i].name), NULL);
		assert_int_equal(unlink(in_run(f, "plots/%s.svg", plot_descs[i].name)), 0);
		snprintf(command, sizeof(command), "cd '%s/plots' && gnuplot %s.gp 2>&1", f->run,
			 plot_descs[i].name);
		assert_int_equal(system(command), 0);
		again = file_text(in_run(f, "plots/%s.svg", plot_descs[i].name), NULL);
		assert_string_equal(again, drawn);
		free(drawn);
		free(again);
	}
}

/* Ids of a page must be one of a kind, or a picture takes its neighbour's shapes. */
static void assert_unique_ids(const char *text)
{
	const char *at, *other;
	size_t length;

	for (at = text; (at = strstr(at, " id=")); at = other) {
		other = at + 4;
		length = strcspn(other + 1, "\"'") + 2;
		for (const char *next = other; (next = strstr(next, " id=")); next += 4)
			if (!strncmp(next + 4, other, length))
				fail_msg("twice: %.*s", (int)length, other);
	}
}

static void page_has_everything_in_one_file(void **state)
{
	struct fixture *f = *state;
	static const char *const holds[] = {
		"Promises were broken, so no times are given, by <code>made_up_broken</code>.",
		"the cheapest are these 2, which this run cannot tell apart (within 2 %): "
		"<code>delta_sync_soft</code> (1.02 times the floor, 12.2 bytes), "
		"<code>full_tsc</code>",
		"<strong>Disturbs: hypervisor.</strong> this is a virtual machine (KVM)",
		"<strong>Unknown: governor.</strong>",
		"<td class=\"broken\">broken<small>3 records decoded to another time</small></td>",
		"Instructions were counted by single-step.",
		"Broken by <code>made_up_broken</code> (1.16 k objections). Not promised by "
		"<code>floor</code>, <code>zero_delta</code>. Kept by <code>full_tsc</code>",
		"<small>no event checked</small>",
		"Here 5 of 7 rows stay within 15 % of the floor; the dearest is "
		"<code>delta_sync_hard</code> with 42.6 times the floor.",
		"(16.8 per second, the dotted line)",
		"at most 134 bytes per second",
		"here 6 of 7 are. The worst stamp is one of <code>made_up_broken</code>: "
		"134,217,728 ticks (59.7 ms).",
		"Lost here, at most: <code>heartbeat</code> 10.0 wraps. Nothing lost by "
		"<code>full_tsc</code>, <code>extended_header</code>.",
		"<th scope=\"row\">stampede.run.seed</th><td>18446744073709551615</td>",
		"The loop without a scheme takes 1.02 cycles per event.",
		"Decoding and all oracles take 123 M events per second.",
		"<a href=\"bench.json\">", "</html>",
	};
	char *text;
	size_t i;

	make_pictures(f);
	text = file_text(in_run(f, "report.html"), NULL);
	for (i = 0; i < sizeof(holds) / sizeof(holds[0]); i++)
		if (!strstr(text, holds[i]))
			fail_msg("the page lacks: %s", holds[i]);
	assert_int_equal(occurrences(text, "<svg "), PLOTS);
	assert_int_equal(occurrences(text, "</svg>"), PLOTS);
	assert_unique_ids(text);
	/* Nothing is fetched, and the one script is the page's own; namespaces are names. */
	assert_int_equal(occurrences(text, "http://"), 2 * PLOTS);
	assert_int_equal(occurrences(text, "http://www.w3.org/"), 2 * PLOTS);
	assert_null(strstr(text, "https://"));
	assert_int_equal(occurrences(text, "<script"), 1);
	assert_int_equal(occurrences(text, "script-src 'sha256-"), 1);
	assert_null(strstr(text, "src="));
	assert_null(strstr(text, "Gnuplot</title>"));
	assert_null(strstr(text, "left out"));
	/* What does not disturb is no warning. */
	assert_null(strstr(text, "tsc.</strong>"));
	/* No colour of a picture is fixed: each has its other in the dark. */
	assert_null(strstr(text, "='rgb(  0"));
	assert_null(strstr(text, "\"black\""));
	free(text);
}

static void markdown_table_can_be_copied(void **state)
{
	struct fixture *f = *state;
	char *text, *end, *line, *save = NULL;
	unsigned int lines = 0;

	make_data(f);
	text = file_text(in_run(f, "report.md"), NULL);
	line = strstr(text, "<!-- table: begin -->\n");
	assert_non_null(line);
	end = strstr(line, "<!-- table: end -->\n");
	assert_non_null(end);
	*end = '\0';
	assert_non_null(strstr(line, "| `made_up_broken` | broken | 134,217,728 (59.7 ms) | "
				     "12.25 | 4.00 | n/a | - | - | - | 25.0 | 1.00 | 1.00 | "
				     "- | - | - | - |\n"));
	assert_non_null(strstr(line, "| `full_tsc` | kept | exact | 24.25 | 12.00 | n/a | 15.9 | "
				     "n/a | 37.3 | 22.0 | 1.00 | 1.00 | 1.02 | n/a | n/a | "
				     "n/a |\n"));
	for (line = strtok_r(line, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line != '|')
			continue;
		assert_int_equal(occurrences(line, "|"), 17);
		lines++;
	}
	assert_int_equal(lines, 2 + 10);
	free(text);
}

/* What is asked first stands first: verdict, table, guide; then what disturbed, then pictures. */
static void what_is_asked_first_stands_first(void **state)
{
	static const char *const page[] = { "<p class=\"verdict", "href=\"#disturbed\"",
					    "<h2>Table</h2>", "<h2>Which one to take</h2>",
					    "<section id=\"disturbed\">", "<figure" };
	static const char *const text[] = { "<!-- table: begin -->", "<!-- guide: begin -->",
					    "## Plots", "![" };
	struct fixture *f = *state;
	char *whole, *at;
	size_t i;

	make_pictures(f);
	whole = at = file_text(in_run(f, "report.html"), NULL);
	for (i = 0; i < sizeof(page) / sizeof(page[0]); i++)
		assert_non_null(at = strstr(at, page[i]));
	/* Not one picture above all that. */
	assert_ptr_equal(strstr(whole, "<figure"), at);
	free(whole);
	whole = at = file_text(in_run(f, "report.md"), NULL);
	for (i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		assert_non_null(at = strstr(at, text[i]));
	assert_ptr_equal(strstr(whole, "!["), at);
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_written_as_documented),
		cmocka_unit_test(labels_are_fit_for_gnuplot),
		cmocka_unit_test(svgs_can_share_a_page),
		cmocka_unit_test(program_carries_the_scripts_of_the_source),
		PLOTS_TEST(what_is_asked_first_stands_first),
		PLOTS_TEST(cost_data_is_the_runs),
		PLOTS_TEST(repetitions_are_compared_within_their_round),
		PLOTS_TEST(space_data_is_the_runs),
		PLOTS_TEST(storm_data_is_the_runs),
		PLOTS_TEST(rows_with_the_same_figures_share_a_curve),
		PLOTS_TEST(curves_of_late_beats_stand_what_was_measured),
		PLOTS_TEST(rows_with_other_figures_do_not),
		PLOTS_TEST(widths_are_named_where_they_matter),
		PLOTS_TEST(injected_data_is_the_runs),
		PLOTS_TEST(layouts_have_a_plot_of_their_own),
		PLOTS_TEST(data_of_other_workloads_is_the_runs),
		PLOTS_TEST(every_picture_is_drawn),
		PLOTS_TEST(scripts_work_by_hand),
		PLOTS_TEST(page_has_everything_in_one_file),
		PLOTS_TEST(markdown_table_can_be_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
