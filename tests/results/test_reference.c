// SPDX-License-Identifier: MIT
/* References: made of a run, refused, found by machine, and what a run differs from one by. */
#include "tests/support/run_fixture.h"

#include <math.h>

#include "results/compare/contribute.h"
#include "results/compare/reference.h"
#include "tests/support/said.h"

#define ROUNDS 9

/* ---- making ---- */

static void add_repetitions(const struct fixture *f, const char *row, double ticks)
{
	json_t *rows = json_object_get(f->bench, "benchmarks");
	int i;

	for (i = 0; i < ROUNDS; i++)
		json_array_append_new(
			rows,
			json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:s, "
				  "s:f, s:f}",
				  "name", row, "run_name", row, "run_type", "iteration", "row", row,
				  "workload", "steady", "repetitions", ROUNDS, "repetition_index",
				  i, "threads", 1, "iterations", 4096, "real_time", 1.0, "cpu_time",
				  1.0, "time_unit", "ns", "ticks", ticks + i, "cycles", ticks + i));
}

static void drop(json_t *list, const char *row)
{
	size_t i;

	for (i = json_array_size(list); i--;)
		if (!strcmp(json_string_value(json_object_get(json_array_get(list, i), "row")),
			    row))
			json_array_remove(list, i);
}

/* The sample as a run that may be contributed: calm, nothing broken, and full of private things. */
static void make_fit(const struct fixture *f)
{
	static const char *const sections[] = { "table", "stress", "late_beat", "idle", "replay" };
	json_t *context = json_object_get(f->bench, "context");
	size_t i;

	for (i = 0; i < 5; i++)
		drop(json_object_get(f->bench, sections[i]), "made_up_broken");
	json_array_clear(json_object_get(f->bench, "benchmarks"));
	add_repetitions(f, "floor", 100);
	add_repetitions(f, "floor_published", 50);
	add_repetitions(f, "full_tsc", 200);
	json_object_set_new(f->bench, "noise", json_pack("{s:b}", "too_noisy", 0));
	json_object_set_new(f->bench, "command",
			    json_string("make bench ARGS=--results=/secret/dir"));
	json_object_set_new(context, "host_name", json_string("secret-host"));
	json_object_set_new(value_at(f, "context.stampede.build"), "flags",
			    json_string("-O2 -I/secret/include"));
	json_object_set_new(value_at(f, "context.stampede.kernel"), "release",
			    json_string("6.1-secret-host"));
}

static const char *references(const struct fixture *f)
{
	static char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%.4000s/reference", f->dir);
	return dir;
}

static json_t *contributed(const struct fixture *f)
{
	json_t *all;

	run_write(f);
	assert_int_equal(contribute(NULL, f->run, references(f)), 0);
	all = reference_load(references(f));
	assert_int_equal(json_array_size(all), 1);
	return all;
}

/* Where the only one is. */
static const char *path_of(const struct fixture *f, const json_t *reference)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s/%s/" REFERENCE_FILE, references(f),
		 json_string_value(json_object_get(reference, "name")));
	return path;
}

static const json_t *row_in(const json_t *reference, const char *row)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(reference, "rows"), i, one)
		if (!strcmp(json_string_value(json_object_get(one, "row")), row))
			return one;
	fail_msg("no %s in the reference", row);
	return NULL;
}

static double ratio_in(const json_t *reference, const char *row, const char *floor, size_t part)
{
	const json_t *ratio = json_object_get(row_in(reference, row), "ratio");

	return json_number_value(json_array_get(json_object_get(ratio, floor), part));
}

/* Medians to each floor, by hand: rounds 0 to 8, of which the middle one is 4; extremes at 9. */
static void made_of_a_run(void **state)
{
	const struct fixture *f = *state;
	const json_t *of, *one;
	json_t *all;
	char *text;
	size_t size;

	make_fit(f);
	all = contributed(f);
	one = json_array_get(all, 0);
	assert_true(fabs(ratio_in(one, "full_tsc", "floor", 0) - 204.0 / 104) < 1e-5);
	assert_true(fabs(ratio_in(one, "full_tsc", "floor_published", 0) - 204.0 / 54) < 1e-5);
	/* By order statistics: of 9, the 2nd and the 8th. */
	assert_true(fabs(ratio_in(one, "full_tsc", "floor", 1) - 207.0 / 107) < 1e-5);
	assert_true(fabs(ratio_in(one, "full_tsc", "floor", 2) - 201.0 / 101) < 1e-5);
	assert_string_equal(json_string_value(json_object_get(row_in(one, "full_tsc"), "verdict")),
			    "kept");
	assert_string_equal(json_string_value(json_object_get(one, "floor")), "floor");
	of = json_object_get(one, "of");
	assert_string_equal(json_string_value(json_object_get(of, "revision")), "000000000000");
	assert_null(json_object_get(of, "command"));
	assert_true(json_array_size(json_object_get(one, "needs")) > 0);
	text = file_text(path_of(f, one), &size);
	assert_null(strstr(text, "secret"));
	assert_null(strstr(text, f->dir));
	assert_null(strstr(text, "repetition_index"));
	assert_true(size < 48 << 10);
	free(text);
	json_decref(all);
}

/* ---- refusing ---- */

static void refused(const struct fixture *f, int code, const char *words)
{
	const char *said, *newline;
	int status;

	run_write(f);
	listen_to_stderr();
	status = contribute(NULL, f->run, references(f));
	said = what_was_said();
	assert_int_equal(status, code);
	newline = strchr(said, '\n');
	if (!strstr(said, words) || !newline || newline[1])
		fail_msg("'%s' is not one line with '%s'", said, words);
	assert_false(exists(references(f)));
}

static void refused_ones(void **state)
{
	const struct fixture *f = *state;
	json_t *verdict = NULL;

	make_fit(f);
	json_object_set_new(f->bench, "command", json_string("make bench QUICK=1"));
	refused(f, 1, "quick run");
	json_object_set_new(f->bench, "command", json_string("make bench"));
	json_object_set_new(f->bench, "noise", json_pack("{s:b}", "too_noisy", 1));
	refused(f, 7, "too noisy");
	json_object_del(f->bench, "noise");
	refused(f, 7, "does not say");
	json_object_set_new(f->bench, "noise", json_pack("{s:b}", "too_noisy", 0));
	verdict = element(f, "table", "row", "full_tsc");
	json_object_set_new(verdict, "verdict", json_string("broken"));
	refused(f, 2, "'full_tsc' broke a promise");
	json_object_set_new(verdict, "verdict", json_string("kept"));
	json_object_set_new(element(f, "stress", "row", "full_tsc"), "verdict",
			    json_string("broken"));
	refused(f, 2, "'full_tsc' broke a promise");
	json_object_set_new(element(f, "stress", "row", "full_tsc"), "verdict",
			    json_string("kept"));
	drop(json_object_get(f->bench, "table"), "floor");
	refused(f, 1, "no steady cell of 'floor'");
}

/* rows.jsonl alone is of a run that was killed. */
static void unfinished_is_refused(void **state)
{
	const struct fixture *f = *state;
	const char *said;
	FILE *rows;
	int status;

	make_fit(f);
	rows = fopen(in_run(f, "rows.jsonl"), "w");
	assert_non_null(rows);
	json_dumpf(json_array_get(json_object_get(f->bench, "benchmarks"), 0), rows, 0);
	fputc('\n', rows);
	assert_int_equal(fclose(rows), 0);
	listen_to_stderr();
	status = contribute(NULL, f->run, references(f));
	said = what_was_said();
	assert_int_equal(status, 5);
	assert_non_null(strstr(said, "RESUME=1"));
	assert_false(exists(references(f)));
}

/* ---- the nearest ---- */

static json_t *machine(const char *vendor, const char *model, int number, const char *revision)
{
	json_t *one = json_pack("{s:i, s:{s:s, s:s}, s:{s:s, s:s}, s:[], s:[]}", "reference", 1,
				"of", "what", "run", "revision", revision, "machine", "vendor",
				vendor, "model", model, "rows", "needs");

	if (number) {
		json_object_set_new(json_object_get(one, "machine"), "family", json_integer(6));
		json_object_set_new(json_object_get(one, "machine"), "model_number",
				    json_integer(number));
	}
	return one;
}

static void assert_nearest(const json_t *all, const char *vendor, const char *model, int number,
			   const char *revision, enum reference_near asked)
{
	json_t *mine = machine(vendor, model, number, "mine");
	enum reference_near near;
	const json_t *nearest = reference_nearest(all, mine, &near);
	const json_t *its = json_object_get(json_object_get(nearest, "of"), "revision");

	assert_int_equal(near, asked);
	if (revision)
		assert_string_equal(json_string_value(its), revision);
	else
		assert_null(nearest);
	json_decref(mine);
}

static void nearest_by_model_then_vendor(void **state)
{
	json_t *all = json_array();

	(void)state;
	json_array_append_new(all, machine("AMD", "EPYC", 0, "a"));
	json_array_append_new(all, machine("Intel", "Core", 1, "b"));
	json_array_append_new(all, machine("Intel", "Xeon", 143, "c"));
	json_array_append_new(all, machine("Intel", "Xeon", 207, "d"));
	assert_nearest(all, "Intel", "Xeon", 143, "c", REFERENCE_MODEL);
	assert_nearest(all, "Intel", "Xeon", 207, "d", REFERENCE_MODEL);
	/* A name that many share: another number is another model. */
	assert_nearest(all, "Intel", "Xeon", 85, "b", REFERENCE_VENDOR);
	assert_nearest(all, "Intel", "Atom", 9, "b", REFERENCE_VENDOR);
	/* That one does not say its number: the name is all there is. */
	assert_nearest(all, "AMD", "EPYC", 17, "a", REFERENCE_MODEL);
	assert_nearest(all, "VIA", "Xeon", 143, NULL, REFERENCE_NONE);
	json_decref(all);
}

/* ---- differences ---- */

static void add_row(json_t *reference, const char *row, const char *floor, double ratio,
		    double half, double bytes)
{
	json_array_append_new(json_object_get(reference, "rows"),
			      json_pack("{s:s, s:s, s:s, s:f, s:f, s:{s:[f, f, f]}}", "row", row,
					"verdict", "kept", "ratio_basis", "ticks", "instructions",
					20.0, "bytes", bytes, "ratio", floor, ratio, ratio - half,
					ratio + half));
}

/* What is said of a run beside a reference; takes both over. Free it. */
static char *difference(json_t *mine, json_t *theirs)
{
	json_t *all = json_array();
	char *text = NULL, *line, *end;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	json_array_append_new(all, theirs);
	reference_print(out, all, mine);
	fclose(out);
	json_decref(all);
	json_decref(mine);
	for (line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		assert_true(end - line <= 100);
	}
	return text;
}

static json_t *xeon(const char *floor, double packed, double rewind, double half, double bytes)
{
	json_t *one = machine("Intel", "Xeon", 143, "same");

	add_row(one, "floor", "floor", 1, 0, 12);
	if (strcmp(floor, "floor"))
		add_row(one, floor, floor, 1, 0, 12);
	add_row(one, "packed_word", floor, packed, half, bytes);
	add_row(one, "rewind", floor, rewind, half, 12);
	return one;
}

static void planted_differences(void **state)
{
	char *text;

	(void)state;
	text = difference(xeon("floor", 1.10, 1.03, 0.01, 12),
			  xeon("floor", 1.11, 1.035, 0.01, 12));
	assert_non_null(strstr(text, "the same CPU model: Xeon 6-143 (commit same)"));
	assert_non_null(strstr(text, "ratios are to floor, in both"));
	assert_non_null(
		strstr(text, "nothing differs by more than the intervals allow, in 3 rows"));
	assert_null(strstr(text, "other code"));
	free(text);
	text = difference(xeon("floor", 1.10, 1.03, 0.01, 12),
			  xeon("floor", 0.99, 1.035, 0.01, 16));
	assert_non_null(strstr(text, "ratio, here and there: packed_word 1.100, 0.990\n"));
	assert_non_null(strstr(text, "ranked the other way there: "));
	assert_non_null(strstr(text, "rewind before packed_word"));
	assert_non_null(strstr(text, "bytes, here and there: packed_word 12.00, 16.00\n"));
	assert_null(strstr(text, "nothing differs"));
	assert_null(strstr(text, "instructions"));
	free(text);
}

/* Ratios to one floor are no ratios to another; nor are those of cycles, of ticks. */
static void like_with_like(void **state)
{
	json_t *cycles = xeon("floor", 0.5, 1.03, 0.01, 12), *one;
	char *text;
	size_t i;

	(void)state;
	text = difference(xeon("floor_published", 1.10, 1.03, 0.01, 12),
			  xeon("floor", 0.99, 1.035, 0.01, 12));
	assert_non_null(strstr(text, "ratios are to floor, in both"));
	assert_null(strstr(text, "packed_word"));
	free(text);
	json_array_foreach(json_object_get(cycles, "rows"), i, one)
		json_object_set_new(one, "ratio_basis", json_string("cycles"));
	text = difference(xeon("floor", 1.10, 1.03, 0.01, 12), cycles);
	assert_null(strstr(text, "packed_word"));
	free(text);
}

/* Many of them stay on one line, and those without room are counted. */
static void few_lines(void **state)
{
	json_t *mine = xeon("floor", 1.1, 1.03, 0.01, 12), *theirs = xeon("floor", 2, 3, 0.01, 12);
	char *text, row[24];
	size_t lines = 0, i;

	(void)state;
	for (i = 0; i < 40; i++) {
		snprintf(row, sizeof(row), "some_long_row_name_%zu", i);
		add_row(mine, row, "floor", 1 + (double)i, 0.01, 12);
		add_row(theirs, row, "floor", 100 - (double)i, 0.01, 13);
	}
	text = difference(mine, theirs);
	assert_non_null(strstr(text, "; and "));
	for (i = 0; text[i]; i++)
		lines += text[i] == '\n';
	assert_true(lines <= 8);
	free(text);
	text = difference(machine("VIA", "x", 0, "r"), machine("Intel", "x", 0, "r"));
	assert_string_equal(text,
			    "\nno reference of this vendor's CPUs; build/compare --contribute "
			    "RUN makes one\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(made_of_a_run),
		RUN_TEST(refused_ones),
		RUN_TEST(unfinished_is_refused),
		cmocka_unit_test(nearest_by_model_then_vendor),
		cmocka_unit_test(planted_differences),
		cmocka_unit_test(like_with_like),
		cmocka_unit_test(few_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
