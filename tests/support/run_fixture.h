/* SPDX-License-Identifier: MIT */
/* For tests of what reads a run: one made from the synthetic sample, and its files. */
#ifndef STAMPEDE_TESTS_RUN_FIXTURE_H
#define STAMPEDE_TESTS_RUN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
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

/* A path inside the run; the last eight stay valid. */
__attribute__((format(printf, 2, 3))) static inline const char *in_run(const struct fixture *f,
								       const char *format, ...)
{
	static char paths[8][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % 8];
	size_t length = (size_t)snprintf(path, PATH_MAX, "%s/", f->run);
	va_list args;

	va_start(args, format);
	vsnprintf(path + length, PATH_MAX - length, format, args);
	va_end(args);
	return path;
}

static inline bool exists(const char *path)
{
	return !access(path, F_OK);
}

/* The file's bytes, '\0' behind them; free them. */
static inline char *file_text(const char *path, size_t *size)
{
	FILE *in = fopen(path, "r");
	char *text = malloc(1 << 23);
	size_t got;

	if (!in)
		fail_msg("no %s", path);
	assert_non_null(text);
	got = fread(text, 1, (1 << 23) - 1, in);
	fclose(in);
	text[got] = '\0';
	if (size)
		*size = got;
	return text;
}

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
