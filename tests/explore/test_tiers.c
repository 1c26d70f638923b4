// SPDX-License-Identifier: MIT
/* Which families a tier has of a row: all of them, and no search twice. */
#include <inttypes.h>

#include "tests/support/test.h"
#include "explore/tasks.h"

#define FAMILIES_MOST 128

/* What the row is searched for, in words that say all that differs between these families. */
static void words_of(const struct family *family, const struct driver *driver, char *words,
		     size_t bytes)
{
	struct family its = *family;
	size_t used;

	if (!(driver->desc->needs & NEED_BEAT))
		its.budget.beats = 0;
	family_words(&its, words, bytes);
	used = strlen(words);
	snprintf(words + used, bytes - used,
		 " before=%" PRIu64 " phases=%d offsets=%d mode=%d sections=%d", its.before,
		 its.phases, its.offsets, its.mode, its.sections);
}

/* How many are wanted; none of them is another's search. */
static unsigned int wanted(int tier, const struct driver *driver)
{
	static char words[FAMILIES_MOST][256];
	struct explore_options options = { .tier = tier };
	const struct family *family;
	unsigned int count = 0, i;

	for (family = families; family->shape; family++) {
		if (!tasks_wanted(&options, family, driver))
			continue;
		assert_true(count < FAMILIES_MOST);
		words_of(family, driver, words[count], sizeof(words[0]));
		for (i = 0; i < count; i++)
			assert_string_not_equal(words[i], words[count]);
		count++;
	}
	/* And what is left out is one of these, or not for this row. */
	for (family = families; family->shape; family++) {
		char its[256];

		words_of(family, driver, its, sizeof(its));
		for (i = 0; i < count && strcmp(words[i], its); i++)
			;
		if (i == count)
			assert_true((int)family->tier > tier || family->budget.writers > 1 ||
				    family->main_rows || family->budget.beats > 1 ||
				    (driver->desc->ages && !strcmp(family->shape, "timed")));
	}
	return count;
}

static void no_search_twice(void **state)
{
	struct scheme_desc desc = { .needs = 0 }, beat = { .needs = NEED_BEAT },
			   age = { .needs = NEED_BEAT, .ages = true };
	struct driver main_row = { .desc = &desc }, variant = { .desc = &desc, .variant = true },
		      beats = { .desc = &beat }, ages = { .desc = &age };
	unsigned int main_families, tier;

	for (tier = TIER_QUICK; tier < TIERS; tier++) {
		main_families = wanted((int)tier, &main_row);
		assert_true(wanted((int)tier, &variant) <= main_families);
		assert_true(wanted((int)tier, &beats) > main_families);
		assert_true(wanted((int)tier, &ages) < wanted((int)tier, &beats));
	}
}

/* What main rows have in the long tier, variants have in the exhaustive one. */
static void variants_come_later(void **state)
{
	struct scheme_desc desc = { .needs = 0 };
	struct driver main_row = { .desc = &desc }, variant = { .desc = &desc, .variant = true };
	struct explore_options options = { .tier = TIER_EXHAUSTIVE };
	const struct family *family;
	unsigned int again = 0;

	for (family = families; family->shape; family++)
		again += family->tier == TIER_EXHAUSTIVE &&
			 tasks_wanted(&options, family, &variant) &&
			 !tasks_wanted(&options, family, &main_row);
	assert_int_equal(again, 3);
}

TESTS(no_search_twice, variants_come_later)
