// SPDX-License-Identifier: MIT
/* The guide follows the record: who qualifies, who is best, and what each row is not for. */
#include "tests/plots_fixture.h"

#include "plots/guide.h"

/* Every row of the sample's table as a scheme that can do all there is to ask for. */
static void add_schemes(const struct fixture *f)
{
	json_t *schemes = json_array(), *line;
	size_t i;

	json_array_foreach(json_object_get(f->bench, "table"), i, line)
		json_array_append_new(
			schemes, json_pack("{s:O, s:[s, s, s, s, s], s:[], s:i, s:s, s:s, s:[], s:b}",
					   "row", json_object_get(line, "row"), "promises",
					   "monotonic", "exact", "window", "wrap_proof", "bounded",
					   "needs", "counter_bits", 64, "nesting", "at once",
					   "format", "CTF", "shared_promises", "moves", 0));
	json_object_set_new(f->bench, "schemes", schemes);
}

/* The guide of the sample as it is now; free it. */
static char *guide(const struct fixture *f)
{
	struct run run;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	run_write(f);
	assert_int_equal(run_load(f->run, &run), 0);
	guide_markdown(&run, out);
	run_free(&run);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* The line that begins so, of the guide; "" if there is none. Free it. */
static char *line_of(const struct fixture *f, const char *begin)
{
	char *text = guide(f), *at = strstr(text, begin), *line;

	line = at ? strndup(at, strcspn(at, "\n")) : strdup("");
	free(text);
	return line;
}

static void assert_line(const struct fixture *f, const char *begin, const char *has,
			const char *has_not)
{
	char *line = line_of(f, begin);

	if (has && !strstr(line, has))
		fail_msg("'%s' has no '%s'", line, has);
	if (has_not && strstr(line, has_not))
		fail_msg("'%s' has '%s'", line, has_not);
	free(line);
}

#define LEAST_TIME "| exact times, and interrupts record too: least time"

static void set_ratio(const struct fixture *f, const char *row, double ratio)
{
	json_object_set_new(element(f, "table", "row", row), "ratio", json_real(ratio));
}

static void the_best_comes_first(void **state)
{
	const struct fixture *f = *state;

	add_schemes(f);
	set_ratio(f, "full_tsc", 0.991);
	set_ratio(f, "extended_header", 0.990);
	assert_line(f, LEAST_TIME, "`extended_header`, `full_tsc`", NULL);
	set_ratio(f, "full_tsc", 1.2);
	assert_line(f, LEAST_TIME, "`extended_header`", "`full_tsc`");
	set_ratio(f, "full_tsc", 0.5);
	assert_line(f, LEAST_TIME, "`full_tsc` | 0.50 times", "`extended_header`");
}

static void who_does_not_qualify_is_not_named(void **state)
{
	const struct fixture *f = *state;
	json_t *scheme, *row;

	add_schemes(f);
	set_ratio(f, "full_tsc", 0.5);
	scheme = element(f, "schemes", "row", "full_tsc");
	row = element(f, "table", "row", "full_tsc");
	assert_line(f, LEAST_TIME, "`full_tsc`", NULL);
	json_object_set_new(scheme, "nesting", json_string("later"));
	assert_line(f, LEAST_TIME, "| exact", "`full_tsc`");
	assert_line(f, "- An interrupt that records has to wait", "`full_tsc`", NULL);
	json_object_set_new(scheme, "nesting", json_string("at once"));
	json_array_append_new(json_object_get(scheme, "needs"), json_string("beat"));
	assert_line(f, LEAST_TIME, "| exact", "`full_tsc`");
	assert_line(f, "- Not where a quiet machine shall sleep", "`full_tsc`", NULL);
	json_array_clear(json_object_get(scheme, "needs"));
	json_object_set_new(element(f, "stress", "row", "full_tsc"), "inexact", json_integer(3));
	assert_line(f, LEAST_TIME, "| exact", "`full_tsc`");
	assert_line(f, "- Stamps of nested writers were declared inexact", "`full_tsc`", NULL);
	json_object_set_new(element(f, "stress", "row", "full_tsc"), "inexact", json_integer(0));
	json_object_set_new(row, "verdict", json_string("broken"));
	assert_line(f, LEAST_TIME, "| exact", "`full_tsc`");
}

static void each_need_asks_for_its_own(void **state)
{
	static const struct {
		const char *begin;
		const char *key;
		const char *text; /* NULL: `number`, or true */
		int number;
	} needs[] = {
		{ "| the same, threads that share", "moves", NULL, -1 },
		{ "| readers of ftrace sub-buffers", "format", "ftrace", 0 },
		{ "| a counter of 32 bits", "counter_bits", NULL, 32 },
	};
	const struct fixture *f = *state;
	json_t *scheme, *promises;
	unsigned int i;

	add_schemes(f);
	scheme = element(f, "schemes", "row", "full_tsc");
	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		assert_line(f, needs[i].begin, NULL, "`");
		json_object_set_new(scheme, needs[i].key, needs[i].text ?
				    json_string(needs[i].text) : needs[i].number < 0 ?
				    json_true() : json_integer(needs[i].number));
		assert_line(f, needs[i].begin, "| `full_tsc` |", NULL);
	}
	assert_line(f, "| the same, writers on several CPUs", NULL, "`");
	promises = json_object_get(scheme, "shared_promises");
	for (i = 0; i < RUN_PROMISES; i++)
		json_array_append_new(promises, json_string(run_promises[i]));
	assert_line(f, "| the same, writers on several CPUs", "| `full_tsc` |", NULL);
	/* The sample has another row without atomics, at more time. */
	set_ratio(f, "full_tsc", 0.9);
	assert_line(f, "| the same, no atomic", "| the same", "`full_tsc`");
	json_object_set_new(element(f, "table", "row", "full_tsc"), "atomics", json_real(0));
	assert_line(f, "| the same, no atomic", "| `full_tsc` |", NULL);
}

static void machine_and_old_runs(void **state)
{
	const struct fixture *f = *state;

	/* A record that says nothing of the schemes: nobody qualifies for what it does not say. */
	assert_line(f, LEAST_TIME, NULL, "`");
	assert_line(f, "| 1,000 events per second", "`", NULL);
	assert_line(f, "- All of this is of", NULL, "every row");
	json_object_set_new(f->bench, "left_out", json_array());
	assert_line(f, "- All of this is of", "every row can run", NULL);
	json_object_set_new(f->bench, "left_out", json_pack("[{s:s, s:s}]", "row", "restartable",
							    "why", "no rseq"));
	assert_line(f, "- All of this is of", "`restartable` (no rseq)", "every row");
}

/* Both are asked for: what a row declares, and what a storm found. */
static void exact_is_declared_and_judged(void **state)
{
	const struct fixture *f = *state;
	json_t *promises;

	add_schemes(f);
	set_ratio(f, "full_tsc", 0.5);
	assert_line(f, LEAST_TIME, "`full_tsc`", NULL);
	promises = json_object_get(element(f, "schemes", "row", "full_tsc"), "promises");
	json_array_remove(promises, 1);
	assert_line(f, LEAST_TIME, "| exact", "`full_tsc`");
	assert_line(f, "| 1,000 events per second", NULL, "`full_tsc`");
}

/* Nothing was interrupted: no line about interrupts names a row, and each says why. */
static void without_a_storm_nothing_is_exact(void **state)
{
	const struct fixture *f = *state;

	add_schemes(f);
	json_object_set_new(f->bench, "stress", json_array());
	assert_line(f, LEAST_TIME, "no storm was run", "`");
	assert_line(f, "| exact times, an interrupt may wait", "no storm was run", "`");
	assert_line(f, "| readers of ftrace", "no storm was run", "`");
	json_object_set_new(element(f, "schemes", "row", "full_tsc"), "counter_bits",
			    json_integer(32));
	assert_line(f, "| a counter of 32 bits", "`full_tsc`", "no storm");
}

static void set_cheap(const struct fixture *f, const char *row, double ratio)
{
	json_object_set_new(element(f, "table", "row", row), "cheap_ratio", json_real(ratio));
}

/* Least time is by both clocks: the row that is best by both, or each clock's own. */
static void two_clocks_choose(void **state)
{
	const struct fixture *f = *state;

	add_schemes(f);
	set_ratio(f, "full_tsc", 0.90);
	set_ratio(f, "extended_header", 0.91);
	set_cheap(f, "full_tsc", 1.5);
	set_cheap(f, "extended_header", 1.3);
	assert_line(f, LEAST_TIME, "| `extended_header` | 0.90 times the floor, 1.30 with a cheap",
		    "`full_tsc`");
	set_ratio(f, "full_tsc", 0.5);
	assert_line(f, LEAST_TIME,
		    "by this machine's clock `full_tsc`; by a cheap one `extended_header`", NULL);
	/* What the same row twice differs by is not told apart. */
	json_object_set_new(f->bench, "again", json_pack("{s:s, s:f}", "row", "full_tsc", "noise",
							 0.2));
	assert_line(f, LEAST_TIME, "| `full_tsc` | 0.50 times the floor, 1.30 with", "by a cheap one");
}

/* Bytes are those of a header with an id: a row without one gets it added. */
static void bytes_hold_an_id(void **state)
{
	static const char line[] = "| the same, fewest bytes, events back to back";
	const struct fixture *f = *state;
	json_t *row, *other;

	add_schemes(f);
	row = element(f, "table", "row", "full_tsc");
	other = element(f, "table", "row", "extended_header");
	json_object_set_new(row, "header_id_bytes", json_real(3));
	json_object_set_new(other, "header_id_bytes", json_real(3.5));
	assert_line(f, line, "`full_tsc` | 3.00 bytes of header", "`extended_header`");
	json_object_set_new(row, "header_id_bytes", json_real(5));
	assert_line(f, line, "`extended_header` | 3.50 bytes of header", "`full_tsc`");
}

/* A beat's price stands where the rows that need one do. */
static void a_beat_has_its_price(void **state)
{
	const struct fixture *f = *state;

	add_schemes(f);
	json_array_append_new(json_object_get(element(f, "schemes", "row", "full_tsc"), "needs"),
			      json_string("beat"));
	json_object_set_new(f->bench, "beats",
			    json_pack("[{s:s, s:f, s:f, s:f}]", "row", "full_tsc", "beat_ns", 2500.0,
				      "beats_per_second", 40.0, "ns_per_second", 100000.0));
	assert_line(f, "- Not where a quiet machine shall sleep",
		    "`full_tsc` (2500 ns each, 40.0 per second: 100.0 us in each second)", NULL);
}

static void page_and_markdown_say_the_same(void **state)
{
	const struct fixture *f = *state;
	struct run run;
	char *text = NULL, *markdown;
	unsigned int rows = 0, lines = 0;
	const char *at;
	size_t size;
	FILE *out;

	add_schemes(f);
	markdown = guide(f);
	assert_int_equal(run_load(f->run, &run), 0);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	guide_html(&run, out);
	run_free(&run);
	assert_int_equal(fclose(out), 0);
	for (at = text; (at = strstr(at, "<th scope=\"row\">")); at++)
		rows++;
	for (at = markdown; (at = strstr(at, "\n| ")); at++)
		lines++;
	assert_true(rows > 5);
	assert_int_equal(rows + 1, lines); /* and the head */
	free(text);
	free(markdown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLOTS_TEST(the_best_comes_first),
		PLOTS_TEST(who_does_not_qualify_is_not_named),
		PLOTS_TEST(each_need_asks_for_its_own),
		PLOTS_TEST(machine_and_old_runs),
		PLOTS_TEST(exact_is_declared_and_judged),
		PLOTS_TEST(without_a_storm_nothing_is_exact),
		PLOTS_TEST(two_clocks_choose),
		PLOTS_TEST(bytes_hold_an_id),
		PLOTS_TEST(a_beat_has_its_price),
		PLOTS_TEST(page_and_markdown_say_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
