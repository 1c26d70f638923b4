// SPDX-License-Identifier: MIT
/*
 * judge/check_merge: what two runs found, together. Every counter is filled with a number of its
 * own on either side, by its place and not by its name, so that a new one that is forgotten shows.
 */
#include "tests/support/test.h"
#include "judge/check.h"
#include "judge/driver.h"

#define WORDS (sizeof(struct check) / sizeof(uint64_t))
#define WORD(member) (offsetof(struct check, member) / sizeof(uint64_t))
#define END(member) \
	((offsetof(struct check, member) + sizeof(((struct check *)0)->member)) / sizeof(uint64_t))

static const struct scheme_desc desc = { .promises = PROMISES },
				other_desc = { .promises = PROMISE_ALL };

/* Words of struct check by what becomes of them; the others are where a reader stands. */
static bool adds(size_t word)
{
	return (word >= WORD(events) && word < WORD(tries.gap_sizes)) ||
	       word == WORD(tries.backs) || word == WORD(tries.slow) ||
	       (word >= WORD(by_context) && word < END(subbuf_bytes)) ||
	       (word >= WORD(closed_by_flush) && word < END(closed_wasting)) ||
	       (word >= WORD(violations) && word < END(violations)) || word == WORD(wraps_lost) ||
	       (word >= WORD(error_log2) && word < END(error_log2)) || word == WORD(damage.wrong) ||
	       word == WORD(damage.spells) ||
	       (word >= WORD(damage.ended) && word < END(damage.ended) &&
		word != WORD(damage.ended) + DAMAGE_NEVER) ||
	       word == WORD(skipped);
}

static struct check filled(uint64_t factor)
{
	struct check check;
	uint64_t words[WORDS];
	size_t i;

	memset(&check, 0, sizeof(check));
	memcpy(words, &check, sizeof(words));
	for (i = WORD(events); i < WORDS; i++)
		words[i] = factor * (1000 + i);
	memcpy(&check, words, sizeof(words));
	check_init(&check, &desc, 27);
	memcpy((uint8_t *)&check + offsetof(struct check, events),
	       (uint8_t *)words + offsetof(struct check, events),
	       sizeof(check) - offsetof(struct check, events));
	return check;
}

static uint64_t word_of(const struct check *check, size_t word)
{
	uint64_t value;

	memcpy(&value, (const uint8_t *)check + word * sizeof(value), sizeof(value));
	return value;
}

static void every_counter_is_added(void **state)
{
	struct check sum = filled(1), one = filled(10);
	size_t i, added = 0;

	one.damage.length = 0;
	check_merge(&sum, &one);
	for (i = WORD(events); i < WORDS; i++) {
		if (!adds(i))
			continue;
		added++;
		if (word_of(&sum, i) != 11 * (1000 + i))
			fail_msg("word %zu: %llu", i, (unsigned long long)word_of(&sum, i));
	}
	assert_true(added > 100);
	assert_int_equal(sum.tries.gap_sizes,
			 (1000 + WORD(tries.gap_sizes)) | 10 * (1000 + WORD(tries.gap_sizes)));
}

static void the_worst_is_kept(void **state)
{
	struct check sum = filled(1), one = filled(10), other;

	one.desc = &other_desc;
	one.stamp_bits = 16;
	check_merge(&sum, &one);
	/* What was merged last says of what row and width it is: a sum begins with neither. */
	assert_ptr_equal(sum.desc, &other_desc);
	assert_int_equal(sum.stamp_bits, 16);
	assert_int_equal(sum.worst_error, one.worst_error);
	assert_int_equal(sum.damage.worst, one.damage.worst);
	assert_int_equal(sum.damage.longest, one.damage.longest);
	other = filled(1);
	check_merge(&sum, &other);
	assert_int_equal(sum.worst_error, one.worst_error);
	assert_int_equal(sum.damage.worst, one.damage.worst);
	assert_int_equal(sum.damage.longest, one.damage.longest);
	/* A stretch that goes on at the end of one has no end. */
	one.damage.length = 3;
	other = filled(0);
	check_merge(&other, &one);
	assert_int_equal(other.damage.ended[DAMAGE_NEVER], one.damage.ended[DAMAGE_NEVER] + 1);
}

static void the_first_violation_is_the_earlier_runs(void **state)
{
	struct check sum, one;
	unsigned int oracle;

	check_init(&sum, &desc, 27);
	check_init(&one, &desc, 27);
	for (oracle = 0; oracle < ORACLES; oracle++)
		check_violate(&one, (enum oracle)oracle, "one", 1, 0, 0, NULL);
	check_violate(&sum, ORACLE_WINDOW, "sum", 1, 0, 0, NULL);
	check_merge(&sum, &one);
	for (oracle = 0; oracle < ORACLES; oracle++) {
		assert_int_equal(sum.violations[oracle], 1 + (oracle == ORACLE_WINDOW));
		assert_string_equal(sum.first[oracle].text,
				    oracle == ORACLE_WINDOW ? "sum" : "one");
	}
	assert_false(sum.windowless);
	one.windowless = true;
	check_merge(&sum, &one);
	assert_true(sum.windowless);
	one.windowless = false;
	check_merge(&sum, &one);
	assert_true(sum.windowless);
}

/* What an oracle says that a need excuses is left out, and so is what that oracle tried. */
static void excused_objections_are_left_out(void **state)
{
	struct check sum, one = filled(1);
	unsigned int oracle, excused;

	for (excused = 0; excused < 1u << ORACLES; excused++) {
		check_init(&sum, &desc, 27);
		check_merge_objections(&sum, &one, excused);
		for (oracle = 0; oracle < ORACLES; oracle++)
			assert_int_equal(sum.violations[oracle],
					 excused >> oracle & 1 ? 0 : one.violations[oracle]);
		assert_int_equal(sum.tries.slow, one.tries.slow);
		assert_int_equal(sum.tries.gaps, excused >> ORACLE_EXACT & 1 ? 0 : one.tries.gaps);
		assert_int_equal(sum.tries.backs,
				 excused >> ORACLE_EXACT & 1 ? 0 : one.tries.backs);
		assert_int_equal(sum.tries.gap_sizes,
				 excused >> ORACLE_EXACT & 1 ? 0 : one.tries.gap_sizes);
		assert_int_equal(sum.events, 0);
	}
}

TESTS(every_counter_is_added, the_worst_is_kept, the_first_violation_is_the_earlier_runs,
      excused_objections_are_left_out)
