/* SPDX-License-Identifier: MIT */
/* What the tests of the plots share: a run made from the synthetic sample, and its files. */
#ifndef STAMPEDE_TESTS_PLOTS_FIXTURE_H
#define STAMPEDE_TESTS_PLOTS_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <jansson.h>

#include "plots/make.h"
#include "plots/output.h"
#include "tests/scratch.h"

struct fixture {
	char dir[PATH_MAX]; /* everything of this test */
	char run[PATH_MAX]; /* dir/run */
	char path[PATH_MAX]; /* PATH as it was */
	json_t *bench; /* the sample; run_write() makes the run of it */
};

/* tests/data/<name>, from wherever the compiler was told this file is. */
static inline const char *sample_path(const char *name)
{
	static char path[PATH_MAX];
	const char *slash = strrchr(__FILE__, '/');

	snprintf(path, sizeof(path), "%.*s/data/%s", slash ? (int)(slash - __FILE__) : 1,
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
	/* What this checkout keeps of other machines is not of the sample. */
	snprintf(f->path, sizeof(f->path), "%.4000s/reference", f->dir);
	assert_int_equal(setenv("STAMPEDE_REFERENCES", f->path, 1), 0);
	assert_non_null(getenv("PATH"));
	snprintf(f->path, sizeof(f->path), "%s", getenv("PATH"));
	f->bench = json_load_file(sample_path("bench_sample.json"), 0, NULL);
	assert_non_null(f->bench);
	*state = f;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	setenv("PATH", f->path, 1);
	json_decref(f->bench);
	scratch_remove(f->dir);
	free(f);
	return 0;
}

#define PLOTS_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

/* A path inside the run; the last eight stay valid. */
__attribute__((format(printf, 2, 3)))
static inline const char *in_run(const struct fixture *f, const char *format, ...)
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

static inline double number(json_t *object, const char *key)
{
	assert_true(json_is_number(json_object_get(object, key)));
	return json_number_value(json_object_get(object, key));
}

/* No gnuplot is found any more: what is written without one is the same, and faster made. */
static inline void without_gnuplot(const struct fixture *f)
{
	setenv("PATH", f->dir, 1);
}

/* The run's data and page, without pictures. */
static inline void make_data(const struct fixture *f)
{
	without_gnuplot(f);
	run_write(f);
	assert_fails(make_all(f->run, NULL), PLOTS_UNSUPPORTED, "gnuplot-nox");
	setenv("PATH", f->path, 1);
}

/* Skips the test where gnuplot is not installed. */
static inline void need_gnuplot(void)
{
	if (system("gnuplot --version >/dev/null 2>&1")) {
		print_message("skipped: gnuplot is not installed\n");
		skip();
	}
}

static inline void make_pictures(const struct fixture *f)
{
	need_gnuplot();
	run_write(f);
	assert_works(make_all(f->run, NULL));
}

/* Column `column` (from 1, the label counts as one) of the line of a row in a data file. */
static inline double data_at(const struct fixture *f, const char *plot, const char *row, int column)
{
	char *text = file_text(in_run(f, "plots/%s.dat", plot), NULL), quoted[128];
	char *at, *line, *save = NULL, *word;
	double value = NAN;

	snprintf(quoted, sizeof(quoted), " \"%s\"", row);
	at = strstr(text, quoted);
	if (!at)
		fail_msg("no row %s in %s.dat", row, plot);
	for (line = at; line > text && line[-1] != '\n'; line--)
		;
	line[strcspn(line, "\n")] = '\0';
	/* Labels may hold spaces, but the ones asked for here do not. */
	for (word = strtok_r(line, " ", &save); word && --column; word = strtok_r(NULL, " ", &save))
		;
	if (!word)
		fail_msg("too few columns for %s in %s.dat", row, plot);
	value = strtod(word, NULL);
	free(text);
	return value;
}

static inline void assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-6 * fmax(1, fabs(b))))
		fail_msg("%.12g is not %.12g", a, b);
}

/* How often a text stands in another. */
static inline unsigned int occurrences(const char *text, const char *what)
{
	unsigned int count = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		count++;
	return count;
}

/* The file holds the text, or does not. */
static inline void assert_holds(const char *path, const char *what, bool holds)
{
	char *text = file_text(path, NULL);

	if (!strstr(text, what) == holds)
		fail_msg("%s %s: %s", path, holds ? "lacks" : "holds", what);
	free(text);
}

#endif /* STAMPEDE_TESTS_PLOTS_FIXTURE_H */
