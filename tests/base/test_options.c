// SPDX-License-Identifier: MIT
/* Reading what the user typed: options of every kind, names with a nearest guess, lists of rows. */
#include "tests/support/test.h"

#include <getopt.h>
#include <inttypes.h>

#include "judge/driver.h"
#include "base/options.h"
#include "tests/support/scratch.h"

static const char *const animals[] = { "horse", "ox", "bison", "antelope", NULL };

static struct {
	bool flag;
	const char *text, *out;
	uint64_t small, any, large;
	double real;
	int word;
} given;

static const struct option_entry entries[] = {
	{ "flag", NULL, "one\nand two", OPTION_FLAG, .into = &given.flag, .letter = 'f' },
	{ "text", "\"A B\"", "text", OPTION_TEXT, .into = &given.text, .letter = 't' },
	{ "out", "FILE", "a file", OPTION_OUT, .into = &given.out },
	{ "small", "1..3", "small", OPTION_NUMBER, .into = &given.small, .least = 1, .most = 3 },
	{ "any", "N", "any", OPTION_NUMBER, .into = &given.any, .most = UINT64_MAX, .rare = true },
	{ "large", "N", "large", OPTION_NUMBER, .into = &given.large, .least = 1001,
	  .most = 999999 },
	{ "real", "A-NUMBER-OF-SECONDS", "real", OPTION_REAL, .into = &given.real, .low = -0.5,
	  .high = 86400 },
	{ "word", "BEAST", "word", OPTION_WORD, .into = &given.word, .words = animals,
	  .rare = true },
	{ .name = NULL },
};

/* A program with these options says this of each line of the table that begins with $. */
static void arguments_are_taken_or_refused(void **state)
{
	struct option_program program = { "usage: beast\n", entries, "exit: 0\n", .rest = NULL };
	char *all = table_named("options"), *rest = all, *got, *argv[16];
	FILE *to, *out = stdout, *errors = stderr;
	size_t bytes;
	int argc, status;
	bool on;

	to = open_memstream(&got, &bytes);
	while ((argc = table_command(&rest, to, argv))) {
		memset(&given, 0, sizeof(given));
		program.rest = argv[argc - 1][0] == '+' ? "more" : NULL;
		optind = 0, status = 0, stdout = stderr = to;
		on = options_parse(&program, argc, argv, &status);
		stdout = out, stderr = errors;
		fprintf(to,
			"%d %d: flag %d, text %s, out %s, %" PRIu64 " %" PRIu64 " %" PRIu64
			", %g, %d\n",
			on, status, given.flag, given.text ?: "-", given.out ?: "-", given.small,
			given.any, given.large, given.real, given.word);
	}
	/* The first line ends at column 80, the second before it. */
	options_item(to, "a_beast",
		     "of just forty nine letters, by which a line ends. Then fifty of them, of "
		     "which the last is too many.");
	options_item(to, "a_beast_of_more_letters_than_fit", "");
	fclose(to);
	free(all);
	assert_recorded(got, "options");
}

static void unknown(const char *name, const char *nearest)
{
	char line[256];

	snprintf(line, sizeof(line),
		 "stampede: no beast is called '%s'; the nearest is '%s' (--list shows all)\n",
		 name, nearest);
	assert_says(line, option_unknown("beast", name, strlen(name), animals));
}

static void an_unknown_name_gets_the_nearest(void **state)
{
	unknown("hors", "horse"); /* one missing */
	unknown("hoarse", "horse"); /* one too many */
	unknown("house", "horse"); /* one changed */
	unknown("bisno", "bison");
	unknown("o", "ox");
	unknown("envelope", "antelope");
	unknown("", "ox");
	unknown("oxse", "horse"); /* ox is as near, and comes later */
	unknown("noise", "horse");
	/* What is further off is no slip. */
	assert_says("stampede: no beast is called 'antelopeantelope' "
		    "(--list shows all)\n",
		    option_unknown("beast", "antelopeantelope", 16, animals));
}

/* The name is a stretch of a longer list, and may be longer than any name we have. */
static void an_unknown_name_has_a_length(void **state)
{
	static const char *const none[] = { NULL };
	char name[300], text[512];

	listen_to_stderr();
	option_unknown("beast", "hors,ox", 4, animals);
	assert_string_equal(what_was_said(), "stampede: no beast is called 'hors'; the nearest is "
					     "'horse' (--list shows all)\n");
	assert_says("stampede: no beast is called 'hors' (--list shows all)\n",
		    option_unknown("beast", "hors", 4, none));
	memset(name, 'x', sizeof(name));
	snprintf(text, sizeof(text), "stampede: no beast is called '%.*s' (", 300, name);
	listen_to_stderr();
	option_unknown("beast", name, sizeof(name), animals);
	assert_memory_equal(what_was_said(), text, strlen(text));
}

static void a_known_name_of_great_length_is_no_guess(void **state)
{
	char length_63[64], length_64[65];
	const char *const names[] = { length_64, length_63, "ox", NULL };

	memset(length_63, 'y', 63);
	memset(length_64, 'z', 64);
	length_63[63] = length_64[64] = '\0';
	listen_to_stderr();
	option_unknown("beast", "o", 1, names);
	assert_string_equal(what_was_said(), "stampede: no beast is called 'o'; the nearest is "
					     "'ox' (--list shows all)\n");
	listen_to_stderr();
	option_unknown("beast", length_63, 62, names);
	assert_non_null(strstr(what_was_said(), "; the nearest is 'yyyy"));
}

/* ---- lists of rows ---- */

static const struct driver rows[] = {
	{ .row = "floor" },
	{ .row = "full" },
	{ .row = "full_tsc" },
	{ .row = "nested_stamps" },
	{ .row = "nested_stamps_cmpxchg" },
	{ .row = "floor_large", .variant = true },
};
static const struct driver *const drivers[] = { &rows[0], &rows[1], &rows[2], &rows[3],
						&rows[4], &rows[5], NULL };

/* `list` chooses the rows whose digits are in `expected`; words: it is refused by these. */
static void chooses(const char *list, const char *expected)
{
	const struct driver *chosen[8] = { NULL };
	char got[16] = "";
	int i, count;

	if (!strchr("0123456789", *expected)) {
		assert_fails(driver_select(drivers, list, chosen, 8), -1, expected);
		return;
	}
	assert_says("", count = driver_select(drivers, list, chosen, 8));
	assert_true(count > 0);
	for (i = 0; i < count; i++)
		got[i] = (char)('0' + (chosen[i] - rows));
	assert_string_equal(got, expected);
}

static void lists_choose_rows_or_are_refused(void **state)
{
	FILE *file = fopen("tests/data/row_lists.txt", "r");
	char line[200], *expected;
	unsigned int tried = 0;

	assert_non_null(file);
	chooses(NULL, "012345");
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		line[strcspn(line, "\n")] = '\0';
		expected = strchr(line, '|');
		*expected++ = '\0';
		chooses(line, expected);
		tried++;
	}
	assert_int_equal(tried, 28);
	fclose(file);
}

static void lists_keep_to_the_room_there_is(void **state)
{
	const struct driver *chosen[3] = { NULL, NULL, &rows[4] };

	assert_int_equal(driver_select(drivers, NULL, chosen, 2), 2);
	assert_ptr_equal(chosen[1], &rows[1]);
	assert_ptr_equal(chosen[2], &rows[4]);
}

/* Variants are left out where no list names rows. */
static void variants_are_asked_for(void **state)
{
	static const char *const lists[] = { NULL, "", " ", ",", "  ", "full" };
	const struct driver *chosen[6];
	unsigned int i, j;

	for (i = 0; i < COUNT(lists); i++) {
		memcpy(chosen, drivers, sizeof(chosen));
		assert_int_equal(driver_omit_variants(lists[i], chosen, 6), i == 5 ? 6 : 5);
		for (j = 0; j < 5; j++)
			assert_ptr_equal(chosen[j], &rows[j]);
	}
}

static void rows_are_found_by_their_whole_name(void **state)
{
	assert_ptr_equal(driver_find(drivers, "full"), &rows[1]);
	assert_ptr_equal(driver_find(drivers, "full_tsc"), &rows[2]);
	assert_null(driver_find(drivers, "full_"));
	assert_null(driver_find(drivers, "nested"));
	assert_null(driver_find(drivers, ""));
}

/* All builds have the same rows in the same order, and each is of its build. */
static void the_tables_of_all_builds_agree(void **state)
{
	unsigned int i;

	for (i = 0; drivers_timed[i]; i++) {
		assert_string_equal(drivers_timed[i]->row, drivers_checked[i]->row);
		assert_string_equal(drivers_timed[i]->row, drivers_counting[i]->row);
		assert_true(drivers_timed[i]->timed);
		assert_false(drivers_checked[i]->timed);
		assert_false(drivers_counting[i]->timed);
		assert_ptr_equal(driver_find(drivers_checked, drivers_timed[i]->row),
				 drivers_checked[i]);
	}
	assert_true(i > 0);
	assert_true(driver_is_floor(driver_find(drivers_timed, "floor_large")));
	assert_false(driver_is_floor(driver_find(drivers_timed, "full_tsc")));
	assert_null(drivers_checked[i]);
	assert_null(drivers_counting[i]);
}

TESTS(arguments_are_taken_or_refused, an_unknown_name_gets_the_nearest,
      an_unknown_name_has_a_length, a_known_name_of_great_length_is_no_guess,
      lists_choose_rows_or_are_refused, lists_keep_to_the_room_there_is, variants_are_asked_for,
      rows_are_found_by_their_whole_name, the_tables_of_all_builds_agree)
