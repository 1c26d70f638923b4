// SPDX-License-Identifier: MIT
/* base/: a line on stderr, a file whole or not at all, a document in lines, a table of options. */
#include "tests/support/test.h"

#include <dirent.h>
#include <getopt.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/options.h"
#include "tests/support/scratch.h"

static void a_line_is_one_line(void **state)
{
	int status;

	assert_says("stampede: a name with two breaks\n",
		    status = fail_with(EXIT_UNSUPPORTED, "a name\nwith\ttwo %s", "breaks"));
	assert_int_equal(status, EXIT_UNSUPPORTED);
	listen_to_stderr();
	status = fail_file("write", "/some/where", ENOSPC);
	assert_said("cannot write /some/where: No space left on device; the disk is full");
	assert_int_equal(status, EXIT_RESOURCE);
}

/* ---- files ---- */

static char dir[PATH_MAX];

static const char *in(const char *name)
{
	static char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static unsigned int entries(void)
{
	unsigned int count = 0;
	struct dirent *entry;
	DIR *stream = opendir(dir);

	assert_non_null(stream);
	while ((entry = readdir(stream)))
		count += entry->d_name[0] != '.' || entry->d_name[1] != '.';
	closedir(stream);
	return count - 1; /* "." */
}

static void holds(const char *name, const char *text)
{
	char content[256] = "";
	FILE *file = fopen(in(name), "r");

	assert_non_null(file);
	content[fread(content, 1, sizeof(content) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(content, text);
}

static int half(FILE *out, void *arg)
{
	fputs("half of", out);
	errno = EDOM;
	return -1;
}

static int to_a_full_device(FILE *out, void *arg)
{
	fputs("all of it", out);
	/* What is buffered cannot be written any more. */
	dup2(open("/dev/full", O_WRONLY), fileno(out));
	return 0;
}

static void a_file_is_there_whole_or_as_it_was(void **state)
{
	scratch_make(dir);
	assert_int_equal(file_put(AT_FDCWD, in("one"), file_write_text, (char[]){ "first" }), 0);
	holds("one", "first");
	assert_int_equal(file_put(AT_FDCWD, in("one"), half, NULL), EDOM);
	holds("one", "first");
	assert_int_equal(file_put(AT_FDCWD, in("one"), to_a_full_device, NULL), ENOSPC);
	holds("one", "first");
	assert_int_equal(file_put(AT_FDCWD, in("one"), file_write_text, (char[]){ "second" }), 0);
	holds("one", "second");
	assert_int_equal(entries(), 1);
	/* Where it must be new, what is there stays, and so does nothing beside it. */
	assert_int_equal(file_put_new(AT_FDCWD, in("one"), file_write_text, (char[]){ "third" }),
			 EEXIST);
	assert_int_equal(file_put_new(AT_FDCWD, in("new"), half, NULL), EDOM);
	assert_int_equal(file_put_new(AT_FDCWD, in("new"), file_write_text, (char[]){ "new" }), 0);
	holds("new", "new");
	assert_int_equal(entries(), 2);
	assert_int_equal(remove(in("new")), 0);
	assert_int_equal(file_put(AT_FDCWD, in("no/one"), file_write_text, (char[]){ "x" }),
			 ENOENT);
	assert_int_equal(mkdir(in("full"), 0755), 0);
	assert_int_equal(mkdir(in("full/inside"), 0755), 0);
	assert_int_not_equal(file_put(AT_FDCWD, in("full"), file_write_text, (char[]){ "x" }), 0);
	assert_int_equal(entries(), 2);
	scratch_remove(dir);
}

/* ---- options ---- */

static struct {
	bool fast;
	const char *name;
	uint64_t number;
	double real;
	const char *taken;
	int word;
} given;

static bool take(const char *argument, void *into)
{
	*(const char **)into = argument;
	if (strcmp(argument, "bad"))
		return true;
	fail_line("--taken does not take 'bad'");
	return false;
}

/* Parses the line, whose words end with NULL. */
static bool parsed(const char *rest, int *status, char **line)
{
	static const char *const words[] = { "red", "green", NULL };
	const struct option_entry table[] = {
		{ "fast", NULL, "goes fast", OPTION_FLAG, .into = &given.fast, .letter = 'f' },
		{ "name", "TEXT", "a name\nof two lines", OPTION_TEXT, .into = &given.name },
		{ "number", "N", "from 2 to 5", OPTION_NUMBER, .into = &given.number, .least = 2,
		  .most = 5 },
		{ "real", "F", "below 1", OPTION_REAL, .into = &given.real, .low = 0, .high = 1,
		  .rare = true },
		{ "word", "W", "red, green", OPTION_WORD, .into = &given.word, .words = words,
		  .letter = 'w' },
		{ "a-name-that-is-longer-than-its-column", "X", "anything", OPTION_TAKEN,
		  .into = &given.taken, .take = take },
		{ .name = NULL },
	};
	const struct option_program program = { "usage: test [options]\n", table,
						"exit: 0 fine\nexamples:\n  test\n", rest };
	int count = 0;

	while (line[count])
		count++;
	memset(&given, 0, sizeof(given));
	optind = 0; /* glibc: from the start */
	*status = -1;
	return options_parse(&program, count, line, status);
}

#define PARSED(rest, ...) parsed(rest, &status, (char *[]){ "test", __VA_ARGS__, NULL })

static void options_are_taken(void **state)
{
	int status;

	assert_true(PARSED("FILE", "--fast", "--name", "x", "--number=3", "--real", "0.5",
			   "--a-name", "t", "file"));
	assert_true(given.fast);
	assert_string_equal(given.name, "x");
	assert_int_equal(given.number, 3);
	assert_true(given.real == 0.5);
	assert_string_equal(given.taken, "t");
	assert_int_equal(optind, 9);
	assert_true(PARSED(NULL, "--name=x"));
	assert_false(given.fast);
	assert_true(PARSED(NULL, "--word", "green"));
	assert_int_equal(given.word, 1);
	assert_true(PARSED(NULL, "-fw", "green", "-w", "red"));
	assert_true(given.fast);
	assert_int_equal(given.word, 0);
}

#define REFUSED(part, ...) \
	do { \
		bool went_on; \
\
		listen_to_stderr(); \
		went_on = PARSED(NULL, __VA_ARGS__); \
		assert_said(part); \
		assert_false(went_on); \
		assert_int_equal(status, EXIT_USAGE); \
	} while (0)

static void mistakes_are_named(void **state)
{
	int status;

	REFUSED("'--slow' is not an option", "--slow");
	REFUSED("'-x' is not an option", "-x");
	REFUSED("'-w' is not an option, or lacks its value", "-f", "-w");
	REFUSED("--word blue: not one of red, green", "-w", "blue");
	REFUSED("'--name' is not an option, or lacks its value", "--name");
	REFUSED("--name is empty; give TEXT, or leave it out", "--name=");
	REFUSED("'--fast=1' is not an option", "--fast=1");
	REFUSED("--number takes a whole number from 2 to 5, not '6'", "--number", "6");
	REFUSED("--number takes a whole number from 2 to 5, not '1'", "--number", "1");
	REFUSED("--real takes a number from 0 to 1, not '1.5'", "--real", "1.5");
	REFUSED("--real takes a number from 0 to 1, not 'x'", "--real", "x");
	REFUSED("--real takes a number from 0 to 1, not '0x1'", "--real", "0x1");
	REFUSED("--taken does not take 'bad'", "--a-name", "bad");
	REFUSED("'file' is not an option", "--fast", "file");
}

/* What is printed for it, into `text`. */
static void print_help(char *option, char *text, size_t bytes)
{
	int status, saved = dup(STDOUT_FILENO);
	FILE *file = tmpfile();
	bool went_on;

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	went_on = PARSED(NULL, option, "--slow");
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(file);
	text[fread(text, 1, bytes - 1, file)] = '\0';
	fclose(file);
	assert_false(went_on);
	assert_int_equal(status, EXIT_FINE);
}

static void help_is_the_table(void **state)
{
#define BEGIN \
	"usage: test [options]\n" \
	"  -f, --fast             goes fast\n" \
	"  --name TEXT            a name\n" \
	"                         of two lines\n" \
	"  --number N             from 2 to 5\n"
#define END \
	"  -w, --word W           red, green\n" \
	"  --a-name-that-is-longer-than-its-column X anything\n" \
	"  --version              print the commit of the build\n" \
	"  --help                 print this text\n" \
	"  --help-all             print it with 1 more options, rarely used\n" \
	"exit: 0 fine\nexamples:\n  test\n"
	char text[2048];

	print_help("--help", text, sizeof(text));
	assert_string_equal(text, BEGIN END);
	print_help("--help-all", text, sizeof(text));
	assert_string_equal(text, BEGIN "  --real F               below 1\n" END);
}

TESTS(a_line_is_one_line, a_file_is_there_whole_or_as_it_was, options_are_taken, mistakes_are_named,
      help_is_the_table)
