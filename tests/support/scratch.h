/* SPDX-License-Identifier: MIT */
/*
 * For tests that touch files or expect an error: a directory of their own that goes away, and what
 * a call wrote to stderr.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#include "tests/support/said.h"

__attribute__((unused)) static char *scratch_stderr;

/* A new empty directory below $TMPDIR or /tmp, open to other users too. */
static inline void scratch_make(char dir[PATH_MAX])
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, PATH_MAX, "%s/stampede-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chmod(dir, 0755), 0);
}

static inline int scratch_remove_one(const char *path, const struct stat *st, int type,
				     struct FTW *ftw)
{
	return remove(path);
}

static inline void scratch_remove(const char *dir)
{
	assert_int_equal(nftw(dir, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* Writes dir/path, and makes the directories on the way. */
static inline void scratch_put(const char *dir, const char *path, const char *text, size_t size)
{
	char full[PATH_MAX];
	FILE *out;

	assert_true(snprintf(full, sizeof(full), "%s/%s", dir, path) < (int)sizeof(full));
	for (char *slash = full + strlen(dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(full, 0755))
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
	out = fopen(full, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

/* A path inside dir; the last eight stay valid. */
__attribute__((format(printf, 2, 3))) static inline const char *path_in(const char *dir,
									const char *format, ...)
{
	static char paths[8][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % 8];
	size_t len = (size_t)snprintf(path, PATH_MAX, "%s/", dir);
	va_list args;

	va_start(args, format);
	assert_true(vsnprintf(path + len, PATH_MAX - len, format, args) < (int)(PATH_MAX - len));
	va_end(args);
	return path;
}

static inline bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
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

/* A file_writer of base/file.h; `arg` is a string. */
__attribute__((unused)) static int file_write_text(FILE *out, void *text)
{
	return fputs(text, out) == EOF;
}

/* Evaluates call; what it wrote to stderr is then in scratch_stderr. */
#define CAPTURED(call) \
	__extension__({ \
		int captured_; \
\
		listen_to_stderr(); \
		captured_ = (call); \
		scratch_stderr = what_was_said(); \
		captured_; \
	})

/* call must return status, and print one line that holds text. */
#define assert_fails(call, status, text) \
	do { \
		int returned_ = CAPTURED(call); \
\
		assert_one_line(scratch_stderr, text); \
		assert_int_equal(returned_, status); \
	} while (0)

/* call must return 0 and print nothing. */
#define assert_works(call) \
	do { \
		int returned_ = CAPTURED(call); \
\
		assert_string_equal(scratch_stderr, ""); \
		assert_int_equal(returned_, 0); \
	} while (0)
