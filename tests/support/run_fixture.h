/* SPDX-License-Identifier: MIT */
/* For tests of what reads a run: one made from the synthetic sample, and its files. */
#ifndef STAMPEDE_TESTS_RUN_FIXTURE_H
#define STAMPEDE_TESTS_RUN_FIXTURE_H

#include "tests/support/test.h"

#include <jansson.h>

#include "tests/support/scratch.h"

struct fixture {
	char dir[PATH_MAX]; /* everything of this test */
	char run[PATH_MAX]; /* dir/run */
	json_t *bench; /* the sample; run_write() makes the run of it */
};

/* tests/data/<name>, from wherever the compiler was told this file is. */
static inline const char *sample_path(const char *name)
{
	static char path[PATH_MAX];
	const char *slash = strrchr(__FILE__, '/');

	snprintf(path, sizeof(path), "%.*s/../data/%s", slash ? (int)(slash - __FILE__) : 1,
		 slash ? __FILE__ : ".", name);
	return path;
}

static inline int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	scratch_make(f->dir);
	assert_true(snprintf(f->run, sizeof(f->run), "%s/run", f->dir) < PATH_MAX);
	assert_int_equal(mkdir(f->run, 0755), 0);
	f->bench = json_load_file(sample_path("bench_sample.json"), 0, NULL);
	assert_non_null(f->bench);
	*state = f;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	json_decref(f->bench);
	scratch_remove(f->dir);
	free(f);
	return 0;
}

#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

#define in_run(f, ...) path_in((f)->run, __VA_ARGS__)

static inline void run_write(const struct fixture *f)
{
	assert_int_equal(json_dump_file(f->bench, in_run(f, "bench.json"), 0), 0);
}

/* The value at a path such as "table[3].ns" of the sample; with `key`, of the object there. */
static inline json_t *value_at(const struct fixture *f, const char *path)
{
	json_t *value = f->bench;

	while (*path) {
		char key[64];
		size_t length = strcspn(path, ".[");

		if (*path == '[') {
			value = json_array_get(value, strtoul(path + 1, NULL, 10));
			path = strchr(path, ']') + 1;
		} else {
			snprintf(key, sizeof(key), "%.*s", (int)length, path);
			value = json_object_get(value, key);
			path += length;
		}
		if (!value)
			fail_msg("the sample has no '%s' (left)", path);
		path += *path == '.';
	}
	return value;
}

/* The element of an array of objects whose key is that text. */
static inline json_t *element(const struct fixture *f, const char *section, const char *key,
			      const char *text)
{
	json_t *list = json_object_get(f->bench, section), *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (!strcmp(json_string_value(json_object_get(one, key)), text))
			return one;
	fail_msg("no %s in %s of the sample", text, section);
	return NULL;
}

#endif /* STAMPEDE_TESTS_RUN_FIXTURE_H */
