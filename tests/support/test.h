/* SPDX-License-Identifier: MIT */
/* What each test of cmocka's begins and ends with. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* All tests are given a state, and few want one. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* cmocka's compares floats, and takes NaN for equal to any. */
#undef assert_float_equal
#define assert_float_equal(got, expected, within) \
	do { \
		double got_ = (got), expected_ = (expected); \
		if (!(fabs(got_ - expected_) <= (within))) \
			fail_msg("%.17g is not %.17g", got_, expected_); \
	} while (0)

/* The text after "### name" in tests/data/tables.txt; the caller frees it. */
static inline char *table_named(const char *name)
{
	FILE *file = fopen("tests/data/tables.txt", "r");
	char *all = NULL, head[64], *begin = NULL, *end;
	size_t bytes = 0;

	snprintf(head, sizeof(head), "### %s\n", name);
	if (!file || getdelim(&all, &bytes, 0, file) < 0 || !(begin = strstr(all, head)))
		fail_msg("no table %s", name);
	fclose(file);
	begin += strlen(head);
	end = strstr(begin, "### ");
	begin = strndup(begin, end ? (size_t)(end - begin) : SIZE_MAX);
	free(all);
	return begin;
}

/* Fails and prints `got` on stderr if the table has another text. Frees `got`. */
static inline void assert_recorded(char *got, const char *name)
{
	char *wanted = table_named(name);

	if (strcmp(got, wanted))
		fail_msg("%s", (fputs(got, stderr), "above: not what tables.txt has"));
	free(wanted);
	free(got);
}

/*
 * Finds the next line of a table that begins with $, from `rest` on. Puts its words into argv[16],
 * with a space for each ~ and a tab for each ^, and writes the line to `to`. Returns the number of
 * words, or 0 after the last such line.
 */
static inline int table_command(char **rest, FILE *to, char **argv)
{
	char *line, *c;
	int argc = 0;

	while ((line = strsep(rest, "\n")) && *line != '$')
		;
	if (!line)
		return 0;
	fprintf(to, "%s\n", line);
	for (; argc < 15 && (argv[argc] = strsep(&line, " ")); argc++)
		for (c = argv[argc]; *c; c++)
			*c = *c == '~' ? ' ' : *c == '^' ? '\t' : *c;
	argv[argc] = NULL;
	return argc;
}

/* Skips the test, and says why. */
#define SKIP_IF(condition, ...) \
	do { \
		if (condition) { \
			print_message("skipped: " __VA_ARGS__); \
			print_message("\n"); \
			skip(); \
		} \
	} while (0)
#define SKIP_EMULATED() \
	SKIP_IF(getenv("STAMPEDE_EMULATED"), "times of an emulated machine mean nothing")

/* TESTS_OF(group, group's end, each one's, its end, names): main(), up to 81 tests. */
#define TESTS_PARENTHESES ()
#define TESTS_3(...) TESTS_2(TESTS_2(TESTS_2(__VA_ARGS__)))
#define TESTS_2(...) TESTS_1(TESTS_1(TESTS_1(__VA_ARGS__)))
#define TESTS_1(...) TESTS_0(TESTS_0(TESTS_0(__VA_ARGS__)))
#define TESTS_0(...) __VA_ARGS__
#define TESTS_EACH(before, after, name, ...) \
	{ #name, name, before, after, NULL }, \
		__VA_OPT__(TESTS_NEXT TESTS_PARENTHESES(before, after, __VA_ARGS__))
#define TESTS_NEXT() TESTS_EACH
#define TESTS_OF(begin, end, before, after, ...) \
	int main(void) \
	{ \
		static const struct CMUnitTest tests[] = { TESTS_3( \
			TESTS_EACH(before, after, __VA_ARGS__)) }; \
\
		return cmocka_run_group_tests(tests, begin, end); \
	}
#define TESTS(...) TESTS_OF(NULL, NULL, NULL, NULL, __VA_ARGS__)
