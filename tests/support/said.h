/* SPDX-License-Identifier: MIT */
/*
 * For tests: what the code under test prints on stderr. Between listen_to_stderr() and the next
 * call here, no assertion may fail, or its message is swallowed too.
 */
#pragma once

#include <unistd.h>

#include "tests/support/test.h"

static int said_stderr = -1;
static FILE *said_file;

static inline void listen_to_stderr(void)
{
	said_file = tmpfile();
	assert_non_null(said_file);
	fflush(stderr);
	said_stderr = dup(STDERR_FILENO);
	dup2(fileno(said_file), STDERR_FILENO);
}

/* Stop listening; the text is valid until the next call. */
static inline char *what_was_said(void)
{
	static char text[16384];
	size_t bytes;

	fflush(stderr);
	dup2(said_stderr, STDERR_FILENO);
	close(said_stderr);
	rewind(said_file);
	bytes = fread(text, 1, sizeof(text) - 1, said_file);
	text[bytes] = '\0';
	fclose(said_file);
	return text;
}

/* It is exactly one line, one of the project, with `part` in it. */
static inline void assert_one_line(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' was expected in: %s", part, text);
	assert_ptr_equal(strstr(text, "stampede: "), text);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

/* Stop listening: that is what was said. */
static inline void assert_said(const char *part)
{
	assert_one_line(what_was_said(), part);
}

/* What `call` says is `text`. */
#define assert_says(text, call) \
	do { \
		listen_to_stderr(); \
		call; \
		assert_string_equal(what_was_said(), text); \
	} while (0)
