// SPDX-License-Identifier: MIT
/* References: made of a run, and refused. */
#include "tests/support/run_fixture.h"

#include <glob.h>
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

/* The only one, whose path is in `path`. */
static json_t *contributed(const struct fixture *f, char path[PATH_MAX])
{
	char pattern[PATH_MAX];
	json_t *reference;
	glob_t found;

	run_write(f);
	assert_int_equal(contribute(NULL, f->run, references(f)), 0);
	snprintf(pattern, sizeof(pattern), "%.4000s/*/" REFERENCE_FILE, references(f));
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	snprintf(path, PATH_MAX, "%.4000s", found.gl_pathv[0]);
	globfree(&found);
	reference = json_load_file(path, 0, NULL);
	assert_int_equal(json_integer_value(json_object_get(reference, "reference")),
			 REFERENCE_FORM);
	return reference;
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
	char path[PATH_MAX], *text;
	const json_t *of;
	json_t *one;
	size_t size;

	make_fit(f);
	one = contributed(f, path);
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
	text = file_text(path, &size);
	assert_null(strstr(text, "secret"));
	assert_null(strstr(text, f->dir));
	assert_null(strstr(text, "repetition_index"));
	assert_true(size < 48 << 10);
	free(text);
	json_decref(one);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(made_of_a_run),
		RUN_TEST(refused_ones),
		RUN_TEST(unfinished_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
