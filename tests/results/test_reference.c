// SPDX-License-Identifier: MIT
/* References: made of a run, and refused. */
#include "tests/support/run_fixture.h"

#include <glob.h>
#include <math.h>

#include "results/compare/contribute.h"
#include "results/compare/reference.h"
#include "tests/support/quoted.h"
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

/* Two steady cells of three repetitions each: the row's are 2, 3 and 4 times the floor's 10. */
static json_t *small_run(void)
{
	json_t *run = quoted(
		"{'command': 'make bench', 'again': {'noise': 0.01}, 'tails': ["
		"{'row': 'y', 'variant': true}, {'row': 'x', 'variant': true}],"
		" 'context': {'date': '2026-11-24T01:02:03', 'host_name': 'secret', 'stampede': {"
		"'schema': 3, 'cpu': {'vendor': 'V', 'model': 'M', 'family': 6, 'model_number': 7,"
		" 'stepping': null, 'flags': 'secret'}, 'hypervisor': {'name': 'kvm'},"
		" 'kernel': {'architecture': 'x86_64'}, 'tsc': {'hz': 2.5e9},"
		" 'git': {'revision': 'abc', 'dirty': true},"
		" 'build': {'compiler': 'gcc', 'flags': '-O2'}}},"
		" 'table': [{'row': 'x', 'workload': 'steady', 'verdict': 'kept', 'ns': 9.5,"
		" 'ratio_basis': 'cycles', 'cheap_ratio': 1.5, 'cheap_ratio_95_low': 1.25,"
		" 'cheap_ratio_95_high': null, 'page': 'secret'},"
		" {'row': 'z', 'workload': 'steady', 'verdict': 'kept', 'cheap_ratio': 0.9},"
		" {'row': 'x', 'workload': 'storm', 'verdict': 'kept'}], 'benchmarks': []}");
	int i;

	for (i = 0; i < 6; i++)
		json_array_append_new(json_object_get(run, "benchmarks"),
				      json_pack("{s:s, s:s, s:i, s:i, s:f, s:f}", "row",
						i % 2 ? "x" : "floor", "workload", "steady",
						"repetition_index", i / 2, "threads", 1, "ticks",
						7. * (i + 1), "cycles",
						i % 2 ? 20. + 10 * (i / 2) : 10.));
	return run;
}

static void what_a_reference_says(void **state)
{
	json_t *run = small_run();

	assert_json(
		reference_make(run),
		"{'reference': 1, 'floor': 'floor_published', 'noise': 0.01, 'needs': [],"
		" 'machine': {'vendor': 'V', 'model': 'M', 'family': 6, 'model_number': 7,"
		" 'hypervisor': 'kvm', 'architecture': 'x86_64', 'tsc_hz': 2.5e9},"
		" 'of': {'what': 'run', 'schema': 3, 'revision': 'abc', 'dirty': true,"
		" 'date': '2026-11-24', 'command': 'make bench', 'compiler': 'gcc',"
		" 'flags': '-O2'}, 'rows': ["
		"{'row': 'x', 'verdict': 'kept', 'ns': 9.5, 'ratio_basis': 'cycles',"
		" 'variant': true, 'ratio': {'floor': [3.0, null, null]},"
		" 'cheap_ratio': [1.5, 1.25, null]},"
		"{'row': 'z', 'verdict': 'kept', 'ratio': {}, 'cheap_ratio': [0.9, null, null]}]}");
	/* Of an older schema ratios are to the older floor; without tails nothing is a variant. */
	json_object_set_new(json_object_get(json_object_get(run, "context"), "stampede"), "schema",
			    json_integer(2));
	json_object_set_new(json_array_get(json_object_get(run, "tails"), 1), "variant",
			    json_false());
	json_object_del(json_array_get(json_object_get(run, "table"), 0), "ratio_basis");
	json_object_set_new(run, "made", reference_make(run));
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(run, "made"), "floor")), "floor");
	assert_null(json_object_get(row_in(json_object_get(run, "made"), "x"), "variant"));
	/* By ticks then: 14 / 7, 28 / 21 and 42 / 35. */
	assert_float_equal(ratio_in(json_object_get(run, "made"), "x", "floor", 0), 28. / 21, 1e-9);
	json_decref(run);
}

static void names_of_references(void **state)
{
	static const struct {
		const char *machine, *name;
	} cases[] = {
		{ "{'model': 'AMD EPYC 7763', 'family': 25, 'model_number': 1}",
		  "amd-epyc-7763-25-1" },
		{ "{'family': 25, 'model_number': 1}", "cpu-25-1" },
		{ "{'model': 'AMD EPYC 7763', 'family': 25}", "amd-epyc-7763" },
		{ "{'model': 'AMD EPYC 7763', 'model_number': 1}", "amd-epyc-7763" },
		{ "{}", "cpu" },
	};
	const char *own;
	char name[128];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *reference = json_pack("{s:o}", "machine", quoted(cases[i].machine));

		reference_name(reference, name, sizeof(name));
		assert_string_equal(name, cases[i].name);
		json_decref(reference);
	}
	assert_int_equal(setenv("STAMPEDE_REFERENCES", "there", 1), 0);
	assert_string_equal(reference_dir(), "there");
	assert_int_equal(setenv("STAMPEDE_REFERENCES", "", 1), 0);
	own = reference_dir();
	assert_non_null(strstr(own, "reference"));
	assert_int_equal(unsetenv("STAMPEDE_REFERENCES"), 0);
	assert_string_equal(reference_dir(), own);
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
	assert_non_null(strstr(said, "repeat it"));
	assert_false(exists(references(f)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(made_of_a_run),
		cmocka_unit_test(what_a_reference_says),
		cmocka_unit_test(names_of_references),
		RUN_TEST(refused_ones),
		RUN_TEST(unfinished_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
