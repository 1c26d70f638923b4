// SPDX-License-Identifier: MIT
/* Children: what they write, how they end, and what is said of one that cannot be started. */
#include "tests/support/test.h"

#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "base/child.h"
#include "tests/support/scratch.h"

static int run(const char *script, char **text)
{
	const char *argv[] = { "sh", "-c", script, NULL };

	return child_run(&(struct child_program){ .argv = argv }, text);
}

static void output_and_exit_code(void **state)
{
	char *text;

	assert_int_equal(run("echo one; echo two; exit 3", &text), 3);
	assert_string_equal(text, "one\ntwo\n");
	free(text);
	assert_int_equal(run("kill -9 $$", &text), 128 + 9);
	assert_string_equal(text, "");
	free(text);
	/* More than a pipe holds. */
	assert_int_equal(run("head -c 300000 /dev/zero | tr '\\0' x", &text), 0);
	assert_int_equal(strlen(text), 300000);
	free(text);
}

static void what_is_not_there_is_said(void **state)
{
	const char *argv[] = { "/no/such/program", NULL };
	struct child_program program = { .argv = argv };
	char *text = NULL;
	int code;

	assert_fails(child_run(&program, &text), -1,
		     "cannot start /no/such/program: No such file or directory");
	free(text);
	program.quiet = true;
	assert_says("", code = child_start(&program));
	assert_int_equal(code, -1);
}

static void to_a_file(void **state)
{
	const char *argv[] = { "sh", "-c", "echo out; echo err >&2", NULL };
	char dir[PATH_MAX], path[PATH_MAX + 8], text[64] = "";
	struct child_program program = { .argv = argv, .log = path };
	FILE *file;

	scratch_make(dir);
	snprintf(path, sizeof(path), "%s/log", dir);
	assert_int_equal(child_wait(child_start(&program)), 0);
	assert_int_equal(child_run(&program, NULL), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof(text) - 1, file), 16);
	fclose(file);
	assert_string_equal(text, "out\nerr\nout\nerr\n");
	scratch_remove(dir);
}

static void memory_is_shared(void **state)
{
	int *shared = child_share(sizeof(*shared));
	pid_t pid;

	assert_non_null(shared);
	assert_int_equal(*shared, 0);
	pid = child_fork(SIGKILL);
	if (!pid) {
		*shared = 42;
		_exit(7);
	}
	assert_int_equal(child_wait(pid), 7);
	assert_int_equal(*shared, 42);
	child_unshare(shared, sizeof(*shared));
}

TESTS(output_and_exit_code, what_is_not_there_is_said, to_a_file, memory_is_shared)
