/* SPDX-License-Identifier: MIT */
/*
 * For tests that touch files or expect an error: a directory of their own that goes away, and what
 * a call wrote to stderr. Include after cmocka.h.
 */
#ifndef STAMPEDE_TESTS_SCRATCH_H
#define STAMPEDE_TESTS_SCRATCH_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_stderr[16384];
static int scratch_saved_fd;
static FILE *scratch_capture;

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
	(void)st;
	(void)type;
	(void)ftw;
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

/* A file_writer of base/file.h; `arg` is a string. */
__attribute__((unused)) static int file_write_text(FILE *out, void *text)
{
	return fputs(text, out) == EOF;
}

static inline void scratch_capture_begin(void)
{
	fflush(stderr);
	scratch_saved_fd = dup(STDERR_FILENO);
	scratch_capture = tmpfile();
	assert_true(scratch_saved_fd >= 0 && scratch_capture);
	assert_true(dup2(fileno(scratch_capture), STDERR_FILENO) >= 0);
}

static inline void scratch_capture_end(void)
{
	size_t size;

	fflush(stderr);
	dup2(scratch_saved_fd, STDERR_FILENO);
	close(scratch_saved_fd);
	rewind(scratch_capture);
	size = fread(scratch_stderr, 1, sizeof(scratch_stderr) - 1, scratch_capture);
	scratch_stderr[size] = '\0';
	fclose(scratch_capture);
}

/* Evaluates call; what it wrote to stderr is then in scratch_stderr. */
#define CAPTURED(call) \
	__extension__({ \
		int captured_; \
\
		scratch_capture_begin(); \
		captured_ = (call); \
		scratch_capture_end(); \
		captured_; \
	})

/* True if stderr got exactly one line, an error with text in it; says what it got if not. */
static inline int scratch_one_error(const char *text)
{
	const char *newline = strchr(scratch_stderr, '\n');

	if (!strncmp(scratch_stderr, "stampede: ", 10) && newline && !newline[1] &&
	    strstr(scratch_stderr, text))
		return 1;
	fprintf(stderr, "expected one line with \"%s\", got: %s\n", text, scratch_stderr);
	return 0;
}

/* call must return status, and print one line that holds text. */
#define assert_fails(call, status, text) \
	do { \
		int returned_ = CAPTURED(call); \
\
		assert_true(scratch_one_error(text)); \
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

#endif /* STAMPEDE_TESTS_SCRATCH_H */
