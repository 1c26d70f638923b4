// SPDX-License-Identifier: MIT
/* The record of a run: what it writes, and what it refuses. */
#define _GNU_SOURCE
#include <stdio.h>

#include "tests/support/record_fixture.h"

static void create_makes_a_directory_of_its_own(void **state)
{
	struct fixture *f = *state;
	char names[3][NAME_MAX];
	bool same_second = false;

	/* Three runs take microseconds: at most one pair of neighbours can straddle a second. */
	for (int i = 0; i < 3; i++) {
		finish_run(f, 1, names[i]);
		assert_int_equal(strspn(names[i], "0123456789T"), 15);
		assert_memory_equal(names[i] + 15, "Z-" ALIAS, strlen("Z-" ALIAS));
		same_second |=
			i && !memcmp(names[i - 1], names[i], 16) && strstr(names[i], ALIAS "-");
	}
	assert_true(same_second);
	assert_string_equal(names[0] + 15, "Z-" ALIAS);
	assert_int_equal(entry_count(f->root), 3 + 2); /* runs; .lock and latest */
	assert_int_equal(entry_count(path_in(f->root, "%s", names[0])), 2); /* rows and bench */
}

static void create_refuses_what_it_cannot_use(void **state)
{
	struct fixture *f = *state;
	struct record *rec = (void *)f;
	static const char *const bad[] = { "", "a/b", ".hidden", "-x", "a b", "\xc3\xa9" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_fails(record_create(f->root, bad[i], &rec), EXIT_USAGE, "host alias");
		assert_null(rec);
	}
	assert_false(exists(f->root));
	assert_fails(record_create(path_in(f->root, "missing"), ALIAS, &rec), EXIT_RESOURCE,
		     "create its parent directory");
	scratch_put(f->dir, "results", "x", 1);
	assert_fails(record_create(f->root, ALIAS, &rec), EXIT_RESOURCE, "move it away");
}

/* What goes in comes out, bit for bit, even if the caller goes on using its objects. */
static void finish_writes_what_was_recorded(void **state)
{
	struct fixture *f = *state;
	json_t *loaded;
	char name[NAME_MAX];
	struct record *rec = begin_run(f, 0, name);
	json_t *verdicts = json_pack("{s:s}", "floor", "kept"), *row = make_row(0);

	for (int i = 0; i < 5; i++) {
		json_object_set_new(row, "real_time", json_real(0.1 + i));
		assert_works(record_add_row(rec, row));
	}
	assert_works(record_set(rec, "verdicts", json_null()));
	assert_works(record_set(rec, "verdicts", verdicts));
	json_object_set_new(verdicts, "floor", json_string("changed too late"));
	/* A run that has not finished knows its machine, too. */
	assert_true(exists(path_in(f->root, "%s/context.json", name)));
	loaded = load(f, name, false, 0);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(loaded, "context"), "host_name")),
		ALIAS);
	json_decref(loaded);
	assert_works(record_finish(rec));
	loaded = load(f, "latest", true, 0);
	for (int i = 0; i < 5; i++) {
		json_object_set_new(row, "real_time", json_real(0.1 + i));
		assert_true(json_equal(
			json_array_get(json_object_get(loaded, "benchmarks"), (size_t)i), row));
	}
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(loaded, "verdicts"), "floor")),
		"kept");
	json_decref(loaded);
	json_decref(verdicts);
	json_decref(row);
}

/* Without rows nothing is left; without a context, or ended early, the rows are. */
static void ends_leave_rows_or_nothing(void **state)
{
	struct fixture *f = *state;
	struct earlier e = make_earlier(f);
	struct record *rec;
	char name[NAME_MAX];
	int before = entry_count(f->root);

	for (int early = 0; early < 2; early++) {
		rec = begin_run(f, 0, name);
		if (early)
			record_abort(rec);
		else
			assert_fails(record_finish(rec), EXIT_USAGE, "no row");
		assert_false(exists(path_in(f->root, "%s", name)));
		assert_int_equal(entry_count(f->root), before);
	}
	rec = begin_run(f, 4, name);
	record_abort(rec);
	record_abort(NULL);
	assert_int_equal(loaded_rows(f, name, false, 0), 4);
	assert_works(record_create(f->root, ALIAS, &rec));
	assert_works(add_row(rec, 0));
	snprintf(name, sizeof(name), "%s", strrchr(record_dir(rec), '/') + 1);
	assert_fails(record_finish(rec), EXIT_USAGE, "no context");
	assert_true(exists(path_in(f->root, "%s/rows.jsonl", name)));
	assert_earlier_intact(f, &e);
}

/* The real thing, where it is installed: 0.5 of the time is -0.5000 in its table. */
static void compare_py_reads_it(void **state)
{
	struct fixture *f = *state;
	static const char tool[] = "/usr/share/benchmark/compare.py";
	char names[2][NAME_MAX], command[4 * PATH_MAX], *output;

	SKIP_IF(!exists(tool) || system("/usr/bin/python3 -c 'import scipy, numpy' 2>/dev/null"),
		"needs libbenchmark-tools and python3-scipy");
	for (int run = 0; run < 2; run++) {
		struct record *rec = begin_run(f, 0, names[run]);

		for (int i = 0; i < 10; i++) {
			json_t *row = make_row(i);

			json_object_set_new(row, "real_time", json_real((12 + i) / (run + 1.)));
			json_object_set_new(row, "cpu_time", json_real(12 + i));
			assert_works(record_add_row(rec, row));
			json_decref(row);
		}
		assert_works(record_finish(rec));
	}
	snprintf(command, sizeof(command),
		 "/usr/bin/python3 %s --no-color benchmarks %s/%s/bench.json %s/%s/bench.json > "
		 "%s/out",
		 tool, f->root, names[0], f->root, names[1], f->dir);
	assert_int_equal(system(command), 0);
	output = file_text(path_in(f->dir, "out"), NULL);
	assert_non_null(strstr(output, "floor/steady "));
	assert_non_null(strstr(output, "+0.0000"));
	assert_non_null(strstr(output, "-0.5000"));
	assert_non_null(strstr(output, "U Test, Repetitions: 10 vs 10"));
	free(output);
}

TESTS_OF(NULL, NULL, fixture_setup, fixture_teardown, create_makes_a_directory_of_its_own,
	 create_refuses_what_it_cannot_use, finish_writes_what_was_recorded,
	 ends_leave_rows_or_nothing, compare_py_reads_it)
