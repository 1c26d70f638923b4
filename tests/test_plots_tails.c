// SPDX-License-Identifier: MIT
/* The plots of latencies and of ties: their data, their words, and what they refuse. */
#include "tests/plots_fixture.h"

static void tails_data_is_the_runs(void **state)
{
	struct fixture *f = *state;
	char *text;

	make_data(f);
	/* Panels in the run's order, main rows before variants; the variant has no storm. */
	assert_holds(in_run(f, "plots/run.gp"),
		     "tails_regimes[2] = 'storm'\ntails_gaps[2] = ''\n"
		     "tails_regimes[3] = 'replay'\ntails_gaps[3] = 'syscalls_busy'\n", true);
	assert_holds(in_run(f, "plots/run.gp"),
		     "tails_rows = 3\ntails_mains = 2\ntails_panels = 3\n", true);
	assert_holds(in_run(f, "plots/run.gp"), "tails_least = 90\ntails_most = 27000\n", true);
	assert_holds(in_run(f, "plots/run.gp"), "tails_fence = 48\n", true);
	/* Of 1,000 samples ten are above 99 %, one above 99.9 %; under the storm 20 were hit. */
	assert_holds(in_run(f, "plots/tails.dat"),
		     "\n1 \"floor\" 90 200 NaN NaN 9000\n"
		     "2 \"extended_header\" 180 400 NaN NaN 18000\n"
		     "3 \"extended_header_locked\" 270 600 NaN NaN 27000\n\n\n"
		     "1 \"floor\" 90 NaN NaN NaN 9000\n"
		     "2 \"extended_header\" 180 NaN NaN NaN 18000\n"
		     "3 \"extended_header_locked\" NaN NaN NaN NaN NaN\n\n\n", true);
	text = file_text(in_run(f, "plots/tails.dat"), NULL);
	assert_int_equal(occurrences(text, "\n\n\n"), 3 - 1);
	free(text);
}

/* A quantile is drawn from the sample count on that leaves ten above it. */
static void quantiles_need_samples_above(void **state)
{
	static const struct {
		int samples;
		const char *line;
	} cases[] = {
		{ 999, "\n1 \"floor\" 90 NaN NaN NaN 9000\n" },
		{ 9999, "\n1 \"floor\" 90 200 NaN NaN 9000\n" },
		{ 10000, "\n1 \"floor\" 90 200 400 NaN 9000\n" },
		{ 99999, "\n1 \"floor\" 90 200 400 NaN 9000\n" },
		{ 100000, "\n1 \"floor\" 90 200 400 8000 9000\n" },
	};
	struct fixture *f = *state;
	size_t i;

	json_object_set_new(value_at(f, "tails[0]"), "p9999", json_integer(8000));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_object_set_new(value_at(f, "tails[0]"), "samples",
				    json_integer(cases[i].samples));
		make_data(f);
		assert_holds(in_run(f, "plots/tails.dat"), cases[i].line, true);
	}
}

/* However many rows there are, each has a line with its name; variants come last. */
static void every_row_has_a_line(void **state)
{
	struct fixture *f = *state;
	json_t *list = json_object_get(f->bench, "tails"), *one;
	char name[32], *svg;
	int i;

	for (i = 0; i < 41; i++) {
		one = json_deep_copy(json_array_get(list, 0));
		snprintf(name, sizeof(name), "variant_%d_", i);
		json_object_set_new(one, "row", json_string(name));
		json_object_set_new(one, "variant", json_true());
		json_array_insert_new(list, 0, one);
	}
	make_pictures(f);
	assert_holds(in_run(f, "plots/run.gp"), "tails_rows = 44\ntails_mains = 2\n", true);
	assert_holds(in_run(f, "plots/tails.dat"), "\n1 \"floor\" ", true);
	assert_holds(in_run(f, "plots/tails.dat"), "\n3 \"variant_40_\" ", true);
	/* Three panels stand in one band: each name once. */
	svg = file_text(in_run(f, "plots/tails.svg"), NULL);
	for (i = 0; i < 41; i++) {
		snprintf(name, sizeof(name), ">variant_%d_<", i);
		assert_int_equal(occurrences(svg, name), 1);
	}
	assert_int_equal(occurrences(svg, ">extended_header_locked<"), 1);
	free(svg);
}

/* A row whose ring an oracle objected to has no line. */
static void violations_have_no_dots(void **state)
{
	struct fixture *f = *state;
	json_t *list = json_object_get(f->bench, "tails"), *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (!strcmp(json_string_value(json_object_get(one, "row")), "floor")) {
			json_object_set_new(one, "violation", json_string("time goes back"));
			json_object_set_new(one, "ecdf", json_array());
			json_object_set_new(one, "p999", json_null());
		}
	make_data(f);
	assert_holds(in_run(f, "plots/tails.dat"), "floor", false);
	assert_holds(in_run(f, "plots/run.gp"), "tails_rows = 2\n", true);
	assert_holds(in_run(f, "report.md"), "takes longer than 800 ticks with `extended_header` "
		     "and longer than 1,200 with `extended_header_locked`", true);
}

static void tails_words_are_the_runs(void **state)
{
	struct fixture *f = *state;

	make_data(f);
	assert_holds(in_run(f, "report.md"), "takes longer than 400 ticks with `floor` and longer "
		     "than 1,200 with `extended_header_locked`", true);
	assert_holds(in_run(f, "report.md"), "a signal hit 2.00 % of the samples", true);
}

static void ties_data_is_the_runs(void **state)
{
	struct fixture *f = *state;

	make_data(f);
	assert_holds(in_run(f, "plots/ties.dat"), "\n9 0 \"syscalls_busy\"\n10 30000 "
		     "\"syscalls_busy\"\n", true);
	assert_holds(in_run(f, "plots/ties.dat"), "\n\n\n0 0.5 \"back to back\"\n", true);
	assert_holds(in_run(f, "plots/run.gp"), "ties_lines = 2\nties_least = 0.5\n"
		     "ties_hz = 2250000000\n", true);
	assert_holds(in_run(f, "report.md"), "The first bit that adds ties: 10 for "
		     "`syscalls_busy`, 5 for `back to back`.", true);
	assert_holds(in_run(f, "report.md"), "saves at most 45.0 % of the header bytes "
		     "(`extended_header`, 90.0 % of the events compact); merged by time, at most "
		     "2,000 events per million come before an earlier one (`heartbeat_compact` at "
		     "the gaps of `syscalls_busy`).", true);
}

/* No ties at all still make a plot: its axis has a place for none. */
static void no_ties_are_drawn(void **state)
{
	struct fixture *f = *state;
	json_t *list = json_object_get(f->bench, "precision"), *one;
	size_t i;

	json_array_foreach(list, i, one)
		json_object_set_new(one, "ties_per_million", json_pack("[f, f, f]", 0.0, 0.0, 0.0));
	make_pictures(f);
	assert_holds(in_run(f, "plots/ties.svg"), ">none<", true);
	assert_holds(in_run(f, "report.md"), "No cut adds a tie here.", true);
}

static void what_is_no_distribution_is_refused(void **state)
{
	static const char *const bad[] = { "7", "[[1]]", "[[1, 2]]", "[[5, 0.5], [4, 0.6]]",
					   "[[1, 0.5], [2, 0.4]]", "[[\"1\", 1]]", "[[-1, 1]]" };
	struct fixture *f = *state;
	size_t i;

	without_gnuplot(f);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json_object_set_new(value_at(f, "tails[1]"), "ecdf",
				    json_loads(bad[i], JSON_DECODE_ANY, NULL));
		run_write(f);
		assert_fails(make_all(f->run, NULL), PLOTS_HARNESS, "tails[1].ecdf must be");
	}
	json_object_set_new(value_at(f, "tails[1]"), "ecdf", json_null());
	json_object_set_new(value_at(f, "tails[0]"), "variant", json_integer(1));
	run_write(f);
	assert_fails(make_all(f->run, NULL), PLOTS_HARNESS, "tails[0].variant must be true or");
	json_object_set_new(value_at(f, "tails[0]"), "variant", json_null());
	json_object_set_new(value_at(f, "precision[1]"), "ties_per_million",
			    json_loads("[1, -1]", 0, NULL));
	run_write(f);
	assert_fails(make_all(f->run, NULL), PLOTS_HARNESS,
		     "precision[1].ties_per_million must be an array of numbers");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLOTS_TEST(tails_data_is_the_runs),
		PLOTS_TEST(quantiles_need_samples_above),
		PLOTS_TEST(every_row_has_a_line),
		PLOTS_TEST(violations_have_no_dots),
		PLOTS_TEST(tails_words_are_the_runs),
		PLOTS_TEST(ties_data_is_the_runs),
		PLOTS_TEST(no_ties_are_drawn),
		PLOTS_TEST(what_is_no_distribution_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
