// SPDX-License-Identifier: MIT
/* Reading what the user typed: numbers with ranges, names with a nearest guess, lists of rows. */
#include "tests/support/test.h"
#include "judge/driver.h"
#include "base/options.h"
#include "tests/support/scratch.h"

#define UNTOUCHED 0x5eed

/* `text` is taken as `expected`, and nothing is said. */
static void takes(const char *text, uint64_t least, uint64_t most, uint64_t expected)
{
	uint64_t value = UNTOUCHED;
	bool taken;

	assert_says("", taken = option_number("--seconds", text, least, most, &value));
	if (!taken)
		fail_msg("'%s' was refused", text);
	assert_int_equal(value, expected);
}

/* `text` is refused in one line that names option, range and text; the value stays. */
static void refuses(const char *text, uint64_t least, uint64_t most)
{
	uint64_t value = UNTOUCHED;
	char line[256], *c;
	bool taken;

	snprintf(line, sizeof(line),
		 "stampede: --seconds takes a whole number from %llu to %llu, not '%s'\n",
		 (unsigned long long)least, (unsigned long long)most, text ? text : "");
	/* One line stays one line. */
	for (c = line; c[1]; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	assert_says(line, taken = option_number("--seconds", text, least, most, &value));
	assert_false(taken);
	assert_int_equal(value, UNTOUCHED);
}

static void numbers_are_taken(void **state)
{
	takes("0", 0, 10, 0);
	takes("1", 1, 10, 1);
	takes("10", 1, 10, 10);
	takes("007", 0, 10, 7);
	takes("1k", 0, 1000, 1000);
	takes("3M", 1, 3000000, 3000000);
	takes("0M", 0, 10, 0);
	takes("18446744073709551615", 0, UINT64_MAX, UINT64_MAX);
	takes("18446744073709551k", 0, UINT64_MAX, UINT64_C(18446744073709551000));
}

static void numbers_outside_the_range_are_refused(void **state)
{
	refuses("0", 1, 3);
	refuses("4", 1, 3);
	refuses("1k", 1, 999);
	refuses("1k", 1001, 2000);
	refuses("1M", 1, 999999);
}

static void what_is_no_number_is_refused(void **state)
{
	static const char *const bad[] = {
		"",    "-1",  "+1",  " 1",  "1 ", "x",	"k",   "1x",  "1K",  "1m",
		"1kk", "1kM", "1.5", "0x1", "1,", "M1", "- 1", "1\t", "one", "\xc2\xb2",
	};
	unsigned int i;

	for (i = 0; i < COUNT(bad); i++)
		refuses(bad[i], 0, UINT64_MAX);
	refuses(NULL, 0, UINT64_MAX);
}

/* Numbers that do not fit must not come back small. */
static void numbers_that_run_over_are_refused(void **state)
{
	refuses("18446744073709551616", 0, UINT64_MAX);
	refuses("99999999999999999999999999", 0, UINT64_MAX);
	refuses("18446744073709552k", 0, UINT64_MAX);
	refuses("18446744073710M", 0, UINT64_MAX);
	refuses("18446744073709551615k", 0, UINT64_MAX);
}

static const char *const animals[] = { "horse", "ox", "bison", "antelope", NULL };

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

static void words_are_found_whole(void **state)
{
	listen_to_stderr();
	assert_int_equal(option_word("--beast", "horse", animals), 0);
	assert_int_equal(option_word("--beast", "antelope", animals), 3);
	assert_string_equal(what_was_said(), "");
	assert_says("stampede: --beast o: not one of horse, ox, bison, antelope\n",
		    assert_int_equal(option_word("--beast", "o", animals), -1));
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

TESTS(numbers_are_taken, numbers_outside_the_range_are_refused, what_is_no_number_is_refused,
      numbers_that_run_over_are_refused, an_unknown_name_gets_the_nearest,
      an_unknown_name_has_a_length, a_known_name_of_great_length_is_no_guess, words_are_found_whole,
      lists_choose_rows_or_are_refused, lists_keep_to_the_room_there_is, variants_are_asked_for,
      rows_are_found_by_their_whole_name, the_tables_of_all_builds_agree)
