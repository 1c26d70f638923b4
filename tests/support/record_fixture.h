/* SPDX-License-Identifier: MIT */
/* What the tests of the record share: runs to write, and proof that earlier ones are untouched. */
#pragma once

#include "tests/support/test.h"

#include <dirent.h>

#include <jansson.h>

#include "results/record.h"
#include "tests/support/scratch.h"

#define ALIAS "test-2cpu"

struct fixture {
	char dir[PATH_MAX]; /* everything of this test */
	char root[PATH_MAX]; /* dir/results, not yet there */
};

static inline int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	scratch_make(f->dir);
	assert_true(snprintf(f->root, sizeof(f->root), "%s/results", f->dir) < PATH_MAX);
	*state = f;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	scratch_remove(f->dir);
	free(f);
	return 0;
}

#define RECORD_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

static inline json_t *make_row(int index)
{
	json_t *row =
		json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:s, s:f, s:i}", "name",
			  "floor/steady", "run_name", "floor/steady", "run_type", "iteration",
			  "repetitions", 9, "repetition_index", index, "threads", 1, "iterations",
			  1048576, "real_time", 12.25 + index, "cpu_time", 12.125 + index,
			  "time_unit", "ns", "instructions", 25.5, "bytes", 12);

	assert_non_null(row);
	return row;
}

static inline json_t *make_context(void)
{
	json_t *context = json_pack("{s:s, s:{s:i}}", "host_name", ALIAS, "stampede", "schema",
				    RECORD_SCHEMA);

	assert_non_null(context);
	return context;
}

/* These return what the call on the record does. */
static inline int add_row(struct record *rec, int index)
{
	json_t *row = make_row(index);
	int status = record_add_row(rec, row);

	json_decref(row);
	return status;
}

static inline int set_context(struct record *rec)
{
	json_t *context = make_context();
	int status = record_set(rec, "context", context);

	json_decref(context);
	return status;
}

/* Begins a run with context and rows; name gets that of its directory. */
static inline struct record *begin_run(const struct fixture *f, int rows, char name[NAME_MAX])
{
	struct record *rec;

	assert_works(record_create(f->root, ALIAS, &rec));
	assert_works(set_context(rec));
	for (int i = 0; i < rows; i++)
		assert_works(add_row(rec, i));
	snprintf(name, NAME_MAX, "%s", strrchr(record_dir(rec), '/') + 1);
	return rec;
}

/* A whole run, finished. */
static inline void finish_run(const struct fixture *f, int rows, char name[NAME_MAX])
{
	struct record *rec = begin_run(f, rows, name);

	assert_works(record_finish(rec));
}

static inline void assert_latest(const struct fixture *f, const char *name)
{
	char target[PATH_MAX] = "";

	assert_true(readlink(path_in(f->root, "latest"), target, sizeof(target) - 1) > 0);
	assert_string_equal(target, name);
}

/* What a reader finds of a run: bench.json, or else the whole lines of rows.jsonl. */
static inline json_t *load(const struct fixture *f, const char *name, bool complete,
			   size_t torn_bytes)
{
	const char *run = path_in(f->root, "%s", name);
	json_t *rows = json_array(),
	       *document = json_load_file(path_in(run, "bench.json"), 0, NULL);
	char *text, *line, *end;

	assert_int_equal(document != NULL, complete);
	if (document) {
		assert_true(json_array_size(json_object_get(document, "benchmarks")));
		assert_true(json_object_get(json_object_get(document, "context"), "host_name"));
		json_decref(rows);
		return document;
	}
	text = file_text(path_in(run, "rows.jsonl"), NULL);
	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		json_t *row = json_loadb(line, (size_t)(end - line), 0, NULL);

		assert_true(json_is_object(row));
		json_array_append_new(rows, row);
	}
	assert_int_equal(strlen(line), torn_bytes);
	free(text);
	return json_pack("{s:o, s:o?}", "benchmarks", rows, "context",
			 json_load_file(path_in(run, "context.json"), 0, NULL));
}

/* The number of its rows, each of which is there. */
static inline size_t loaded_rows(const struct fixture *f, const char *path, bool complete,
				 size_t torn_bytes)
{
	json_t *json = load(f, path, complete, torn_bytes), *row;
	size_t i;

	json_array_foreach(json_object_get(json, "benchmarks"), i, row)
		assert_int_equal(json_integer_value(json_object_get(row, "repetition_index")), i);
	json_decref(json);
	return i;
}

/* An earlier, finished run, byte for byte; taken before what might harm it. */
struct earlier {
	char name[NAME_MAX];
	char *bench;
};

static inline struct earlier make_earlier(const struct fixture *f)
{
	struct earlier e;

	finish_run(f, 3, e.name);
	e.bench = file_text(path_in(f->root, "%s/bench.json", e.name), NULL);
	return e;
}

/* Still as it was, and still the latest. Frees e. */
static inline void assert_earlier_intact(const struct fixture *f, struct earlier *e)
{
	char *now = file_text(path_in(f->root, "%s/bench.json", e->name), NULL);

	assert_string_equal(now, e->bench);
	free(now);
	free(e->bench);
	assert_latest(f, e->name);
	assert_int_equal(loaded_rows(f, "latest", true, 0), 3);
	assert_false(exists(path_in(f->root, ".latest.tmp")));
}

/* Entries of a directory, "." and ".." left out. */
static inline int entry_count(const char *path)
{
	DIR *dir = opendir(path);
	int count = -2;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}
