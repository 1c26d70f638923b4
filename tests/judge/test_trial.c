// SPDX-License-Identifier: MIT
/*
 * judge/trial and judge/verdict: what a row's word is worth. Every row's trial tries what the row
 * promises; without each kind the word of some promise changes; rows that break a promise in a way
 * that one kind alone shows are broken by that kind and pass without it.
 */
#include <stdint.h>

/* How the row `narrow` keeps the last time: so many bits of it, where these low ones are not all 0.
 */
static unsigned int last_bits = 32, none_bits;

static inline uint64_t since(uint64_t stamp, uint64_t last)
{
	if (none_bits && !(last & ((UINT64_C(1) << none_bits) - 1)))
		return 0; /* 0 stands for none */
	return last_bits < 64 ? (stamp - last) & ((UINT64_C(1) << last_bits) - 1) : stamp - last;
}

#include "judge/driver.c"
#include "judge/reader.c"

#include "tests/support/test.h"
#include "judge/verdict.h"
#include "tests/support/traps.h"

static struct row_trial trial;

static const struct driver *row(const struct driver *const *drivers, const char *name)
{
	const struct driver *driver = driver_find(drivers, name);

	assert_non_null(driver);
	return driver;
}

/* A row in each build; a test may put another one into one of them. */
struct builds {
	const struct driver *counting, *timed, *cheap;
};

static struct builds builds_of(const char *name)
{
	return (struct builds){ row(drivers_counting, name), row(drivers_timed, name),
				row(drivers_cheap, name) };
}

static struct evidence played_kinds(const char *list, struct builds builds)
{
	assert_int_equal(setenv("STAMPEDE_TRIALS", list, 1), 0);
	assert_true(trial_play(&trial, builds.counting, builds.timed, builds.cheap));
	assert_int_equal(unsetenv("STAMPEDE_TRIALS"), 0);
	return (struct evidence){ .trial = &trial };
}

/* All kinds but `without` (TRIAL_KINDS: all). */
static struct evidence played(enum trial_kind without, struct builds builds)
{
	char list[128] = "";
	unsigned int kind;

	for (kind = 0; kind < TRIAL_KINDS; kind++) {
		if (kind == without)
			continue;
		strcat(list, trial_kind_name((enum trial_kind)kind));
		strcat(list, " ");
	}
	return played_kinds(list, builds);
}

static enum verdict word(enum trial_kind without, struct builds builds)
{
	struct evidence evidence = played(without, builds);

	return verdict_of_row(&evidence, VERDICT_KEPT);
}

static enum verdict word_of(enum trial_kind without, const char *name)
{
	return word(without, builds_of(name));
}

/* The row `narrow` in the counting build, `name` in the others. */
static struct builds narrow_and(const char *name)
{
	struct builds builds = builds_of(name);

	builds.counting = &driver_counting_narrow;
	return builds;
}

/* ---- every row ---- */

static void every_promise_of_every_row_is_tried_and_kept(void **state)
{
	const struct driver *const *driver;
	const struct row_trial *its;
	unsigned int bit;

	for (driver = drivers_counting; *driver; driver++) {
		struct evidence evidence = { .trial = its = trial_of(*driver) };

		/* Once in a process, whatever was found. */
		assert_ptr_equal(trial_of(*driver), its);

		if ((*driver)->unsupported()) {
			assert_null(its);
			continue;
		}
		assert_non_null(its);
		if (its->why[0])
			fail_msg("%s: %s", (*driver)->row, its->why);
		assert_true(!traps_here() || its->events[TRIAL_TIMED]);
		assert_true(its->events[TRIAL_GAPS] && its->events[TRIAL_CHEAP]);
		/* The stamp alone says how far off it was rounded, and nothing of its age. */
		if (scheme_declares((*driver)->desc) && !(*driver)->desc->cut_bits)
			assert_true(its->timed.worst_error <= its->timed.rounds);
		for (bit = 1; bit & PROMISES; bit <<= 1) {
			enum verdict verdict =
				verdict_of_promise(&evidence, (enum scheme_promise)bit);

			if ((*driver)->desc->promises & bit && !(*driver)->desc->untimed)
				assert_true(verdict == VERDICT_KEPT || verdict == VERDICT_INEXACT);
			else if (!((*driver)->desc->promises & bit))
				assert_int_equal(verdict, VERDICT_NOT_PROMISED);
		}
	}
}

/* ---- each trial taken away ---- */

static void without_a_trial_its_promises_are_not_tried(void **state)
{
	static const struct {
		enum trial_kind without;
		const char *row;
		enum scheme_promise lost;
	} cases[] = {
		{ TRIAL_SLOW, "packed_word", PROMISE_BOUNDED },
		{ TRIAL_INTERRUPTS, "packed_word", PROMISE_WINDOW },
	};
	static struct scheme_desc only_order;
	static struct check check;
	struct evidence evidence;
	unsigned int i;

	assert_int_equal(word_of(TRIAL_KINDS, "packed_word"), VERDICT_KEPT);
	for (i = 0; i < COUNT(cases); i++) {
		evidence = played(cases[i].without, builds_of(cases[i].row));
		assert_int_equal(verdict_of_promise(&evidence, cases[i].lost), VERDICT_NOT_TRIED);
		assert_int_equal(verdict_tries(&evidence, cases[i].lost), 0);
		assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_NOT_TRIED);
	}
	/* What three kinds try is not tried without the three. */
	evidence = played_kinds("interrupts,slow", builds_of("packed_upper"));
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_WRAP_PROOF), VERDICT_NOT_TRIED);
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_STEP_PROOF), VERDICT_NOT_TRIED);
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_EXACT), VERDICT_KEPT);
	assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_NOT_TRIED);
	/* One that promises order alone, which takes interrupts to try. */
	only_order = *row(drivers_counting, "full_tsc")->desc;
	only_order.promises = PROMISE_MONOTONIC;
	check_init(&check, &only_order, 27);
	check.events = 1;
	assert_int_equal(verdict_of_row(&(struct evidence){ .check = &check }, VERDICT_KEPT),
			 VERDICT_NOT_TRIED);
	/* A row that says least: order, and an end; and inexact stamps, which are no breach. */
	assert_int_equal(word_of(TRIAL_KINDS, "zero_delta"), VERDICT_INEXACT);
	assert_int_equal(word_of(TRIAL_SLOW, "zero_delta"), VERDICT_NOT_TRIED);
}

/* Each objection of a trial counts alone, also where nothing else is known of the row. */
static void a_trial_alone_breaks_a_row(void **state)
{
	struct evidence evidence = { .trial = &trial };

	word_of(TRIAL_KINDS, "packed_word");
	trial.check.violations[ORACLE_LOSSES] = 1;
	assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_BROKEN);
	trial.check.violations[ORACLE_LOSSES] = 0;
	/* A row that cuts low bits does not promise EXACT, and owes all others. */
	word_of(TRIAL_KINDS, "layout_5_27_cut5_ext");
	trial.check.violations[ORACLE_EXACT] = 1;
	assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_BROKEN);
}

/* One size of gap less, and a gap of any length was not tried. */
static void each_size_of_gap_counts(void **state)
{
	struct evidence evidence;
	unsigned int bit;

	word_of(TRIAL_KINDS, "packed_word");
	evidence = (struct evidence){ .trial = &trial };
	for (bit = CHECK_FAR_BITS; bit < 63; bit++) {
		trial.check.tries.gap_sizes ^= UINT64_C(1) << bit;
		trial.timed.tries.gap_sizes ^= UINT64_C(1) << bit;
		assert_int_equal(verdict_of_promise(&evidence, PROMISE_WRAP_PROOF),
				 VERDICT_NOT_TRIED);
		trial.check.tries.gap_sizes ^= UINT64_C(1) << bit;
		assert_int_equal(verdict_of_promise(&evidence, PROMISE_WRAP_PROOF), VERDICT_KEPT);
		trial.timed.tries.gap_sizes ^= UINT64_C(1) << bit;
	}
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_WRAP_PROOF), VERDICT_KEPT);
}

/* ---- rows that break a promise ---- */

/* ThreadX: a saved time whose low bits are 0 passed for none, and the next event lost its wraps. */
static void a_zero_that_means_none_is_broken_at_every_width(void **state)
{
	static const unsigned int widths[] = { 16, 20, 24, 27, 32, 40, 48 };
	size_t i;

	for (i = 0; i < COUNT(widths); i++) {
		last_bits = 64;
		none_bits = widths[i];
		/* By the play of corners alone; of gaps that begin anywhere one meets a width
		 * of 16. */
		played_kinds("corners", narrow_and("packed_word"));
		if (!strstr(trial.why, "after a gap of 1342177"))
			fail_msg("%u bits: %s", widths[i], trial.why);
	}
	none_bits = 0;
	assert_int_equal(word(TRIAL_KINDS, narrow_and("packed_word")), VERDICT_KEPT);
	last_bits = 32;
}

static void a_narrow_last_is_broken_with_the_gap_that_breaks_it(void **state)
{
	assert_int_equal(word(TRIAL_KINDS, narrow_and("extended_header")), VERDICT_BROKEN);
	/* The first objection, though others come later. */
	assert_string_equal(trial.why, "gaps of all sizes: decoded is off by whole wraps after a "
				       "gap of 4294967296 ticks");
}

/* A row as if it promised what another does, in the builds of `kind`; its objection begins so. */
static void is_found_by(enum trial_kind kind, const char *name, struct scheme_desc desc,
			const char *why)
{
	struct builds its = builds_of(name), builds = builds_of("extended_header");
	struct driver liar = kind == TRIAL_TIMED ? *its.timed :
			     kind == TRIAL_CHEAP ? *its.cheap :
						   *its.counting;

	liar.desc = &desc;
	*(kind == TRIAL_TIMED ? &builds.timed :
	  kind == TRIAL_CHEAP ? &builds.cheap :
				&builds.counting) = &liar;
	assert_int_equal(word(TRIAL_KINDS, builds), VERDICT_BROKEN);
	assert_string_equal(trial.why, why);
	assert_int_not_equal(word(kind, builds), VERDICT_BROKEN);
}

static void each_kind_finds_what_it_alone_can(void **state)
{
	struct scheme_desc promising = *row(drivers_counting, "three_read")->desc;

	promising.promises |= PROMISE_BOUNDED;
	is_found_by(TRIAL_SLOW, "three_read", promising,
		    "a slow clock: gave up, and promises to finish");
	word_of(TRIAL_KINDS, "three_read");
	assert_in_range(trial.stuck, 1, 36);
	promising = *row(drivers_counting, "delta_sync_soft")->desc;
	promising.promises |= PROMISE_STEP_PROOF;
	is_found_by(
		TRIAL_STEPS, "delta_sync_soft", promising,
		"a clock that goes back: decoded is off by whole wraps after a step of -1 ticks");
	promising = *row(drivers_counting, "simple_remote")->desc;
	promising.needs = 0;
	is_found_by(TRIAL_INTERRUPTS, "simple_remote", promising,
		    "an interrupt of a nested writer: decoded is off by whole wraps");
	/* The floor loses wraps: a fault of one build alone. */
	promising = *row(drivers_counting, "extended_header")->desc;
	is_found_by(TRIAL_CHEAP, "floor", promising,
		    "code of the cheap clock, gaps of all sizes: decoded is off by whole wraps "
		    "after a gap of 134217728 ticks");
	if (traps_here())
		is_found_by(TRIAL_TIMED, "floor", promising,
			    "timed code, gaps of all sizes: decoded is off by whole wraps after a "
			    "gap of 134217728 ticks");
}

/* ---- the words ---- */

/* Events of a run beside the trial: 10, of which an interrupt recorded some. */
static struct check run_of(const char *name, uint64_t nested)
{
	const struct driver *driver = row(drivers_checked, name);
	struct check check;

	check_init(&check, driver->desc, driver->stamp_bits);
	check.events = 10;
	check.by_context[CONTEXT_LEVEL_1] = nested;
	check.by_context[CONTEXT_TASK] = 10 - nested;
	return check;
}

static void words_of_a_run(void **state)
{
	struct check check = run_of("packed_word", 0);
	struct evidence evidence = { .check = &check };

	/* Nothing interrupted it. */
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_EXACT), VERDICT_NOT_TRIED);
	check = run_of("packed_word", 4);
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_EXACT), VERDICT_KEPT);
	assert_int_equal(verdict_tries(&evidence, PROMISE_EXACT), 10);
	assert_int_equal(verdict_tries(&evidence, PROMISE_WINDOW), 6);
	check.windowless = true;
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_WINDOW), VERDICT_NOT_TRIED);
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_STEP_PROOF), VERDICT_NOT_PROMISED);
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_BOUNDED), VERDICT_NOT_TRIED);
	check.tries.slow = 1;
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_BOUNDED), VERDICT_KEPT);
	check.inexact = 1;
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_EXACT), VERDICT_INEXACT);
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_MONOTONIC), VERDICT_KEPT);
	check.violations[ORACLE_EXACT] = 1;
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_EXACT), VERDICT_BROKEN);
	assert_int_equal(verdict_of_row(&evidence, VERDICT_BROKEN), VERDICT_BROKEN);
	/* All that was recorded is void, and the trial does not stand in for it. */
	check = run_of("packed_word", 0);
	check.events = 0;
	evidence = (struct evidence){ .check = &check,
				      .unmet = NEED_BEAT,
				      .trial = trial_of(row(drivers_counting, "packed_word")) };
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_EXACT), VERDICT_NEED_NOT_MET);
	check = run_of("floor", 4);
	evidence = (struct evidence){ .check = &check };
	assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_NO_PROMISE);
	/* Without an interrupt a row that needs them masked is tried. */
	check = run_of("simple_remote", 0);
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_EXACT), VERDICT_KEPT);
}

/* Each writer's contexts count, and of each level's interrupts there need be only one. */
static void one_interrupt_of_any_writer_is_enough(void **state)
{
	unsigned int writer, level;
	struct check check;
	struct evidence evidence = { .check = &check };

	for (writer = 0; writer < CHECK_WRITERS_MAX; writer++)
		for (level = CONTEXT_LEVEL_1; level < CONTEXTS; level++) {
			check = run_of("packed_word", 0);
			check.by_context[CONTEXT_TASK] = 0;
			check.by_context[writer * CONTEXTS + CONTEXT_TASK] = 10;
			check.by_context[writer * CONTEXTS + level] = 3;
			/* A beat is no interrupt that finds a writer anywhere. */
			assert_int_equal(verdict_tries(&evidence, PROMISE_WINDOW),
					 level == CONTEXT_BEAT ? 0 : 10);
			assert_int_equal(verdict_of_promise(&evidence, PROMISE_EXACT),
					 level == CONTEXT_BEAT ? VERDICT_NOT_TRIED : VERDICT_KEPT);
		}
}

/* Sizes of gaps up to what the row says, and no further. */
static void sizes_end_where_the_row_says(void **state)
{
	struct check check = run_of("nested_stamps", 1); /* 27 bits, and 32 beyond */
	struct evidence evidence = { .check = &check };

	check.tries = (struct check_tries){ .gaps = 7, .gap_sizes = bits_mask(59) };
	assert_int_equal(verdict_tries(&evidence, PROMISE_WRAP_PROOF), 7);
	check.tries.gap_sizes = bits_mask(58);
	assert_int_equal(verdict_tries(&evidence, PROMISE_WRAP_PROOF), 0);
	check = run_of("packed_word", 1);
	check.tries = (struct check_tries){ .gaps = 7, .gap_sizes = bits_mask(63) };
	assert_int_equal(verdict_tries(&evidence, PROMISE_WRAP_PROOF), 7);
	check.tries.gap_sizes = bits_mask(62);
	assert_int_equal(verdict_tries(&evidence, PROMISE_WRAP_PROOF), 0);
	assert_int_equal(verdict_tries(&evidence, PROMISE_ALL), 0);
}

/* What the run did, and what its trial did, are added; either is enough to break a promise. */
static void a_run_and_its_trial_are_one_evidence(void **state)
{
	const struct driver *driver = row(drivers_counting, "packed_word");
	struct check check = run_of("packed_word", 4);
	struct evidence evidence = { .check = &check, .trial = &trial };
	uint64_t exact;

	word_of(TRIAL_KINDS, "packed_word");
	exact = verdict_tries(&(struct evidence){ .trial = &trial }, PROMISE_EXACT);
	assert_int_equal(verdict_tries(&evidence, PROMISE_EXACT), exact + 10);
	assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_KEPT);
	assert_int_equal(verdict_of_row(&evidence, VERDICT_NEED_NOT_MET), VERDICT_NEED_NOT_MET);
	/* It gave up in the run, or in the trial. */
	evidence.stuck = 1;
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_BOUNDED), VERDICT_BROKEN);
	evidence.stuck = 0;
	trial.stuck = 1;
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_BOUNDED), VERDICT_BROKEN);
	evidence.stuck = 1;
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_BOUNDED), VERDICT_BROKEN);
	evidence.stuck = trial.stuck = 0;
	/* Stamps of the trial alone were inexact. */
	trial.timed.inexact = 5;
	assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_INEXACT);
	assert_int_equal(verdict_of_row(&evidence, VERDICT_NEED_NOT_MET), VERDICT_NEED_NOT_MET);
	trial.timed.inexact = 0;
	/* A record that is lost in the trial breaks the row, whatever it promises of times. */
	trial.timed.violations[ORACLE_CONSERVATION] = 1;
	assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_BROKEN);
	trial.timed.violations[ORACLE_CONSERVATION] = 0;
	trial.check.violations[ORACLE_STRUCTURE] = 1;
	assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_BROKEN);
	/* What the run's own objections come to, its caller has said: some are excused. */
	trial.check.violations[ORACLE_STRUCTURE] = 0;
	check.violations[ORACLE_STRUCTURE] = 1;
	assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_KEPT);
	check.violations[ORACLE_STRUCTURE] = 0;
	/* A run that recorded nothing is not judged by its trial alone. */
	check.events = 0;
	assert_int_equal(verdict_of_row(&evidence, VERDICT_KEPT), VERDICT_NOT_STORMED);
	check.events = 10;
	/* With fewer promises than in its trial, those are not the run's to keep. */
	struct scheme_desc fewer = *driver->desc;

	fewer.promises = PROMISE_MONOTONIC | PROMISE_BOUNDED;
	check.desc = &fewer;
	trial.check.violations[ORACLE_EXACT] = 1;
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_EXACT), VERDICT_NOT_PROMISED);
	assert_int_equal(verdict_of_promise(&evidence, PROMISE_MONOTONIC), VERDICT_KEPT);
}

static void the_worse_word_wins(void **state)
{
	static const enum verdict rising[] = { VERDICT_KEPT, VERDICT_INEXACT, VERDICT_NOT_TRIED,
					       VERDICT_NEED_NOT_MET, VERDICT_BROKEN };
	unsigned int i, j;

	for (i = 0; i < 5; i++)
		for (j = 0; j < 5; j++)
			assert_int_equal(verdict_worse(rising[i], rising[j]),
					 rising[i > j ? i : j]);
}

TESTS(every_promise_of_every_row_is_tried_and_kept, without_a_trial_its_promises_are_not_tried,
      a_trial_alone_breaks_a_row, each_size_of_gap_counts,
      a_narrow_last_is_broken_with_the_gap_that_breaks_it,
      a_zero_that_means_none_is_broken_at_every_width, each_kind_finds_what_it_alone_can,
      words_of_a_run, one_interrupt_of_any_writer_is_enough, sizes_end_where_the_row_says,
      a_run_and_its_trial_are_one_evidence, the_worse_word_wins)
