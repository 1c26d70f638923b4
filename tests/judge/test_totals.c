// SPDX-License-Identifier: MIT
/*
 * The oracles that judge a whole ring's totals, called with numbers made by hand: each at what is
 * explained, and one beyond.
 */
#include "tests/support/oracle.h"

static void finish(void)
{
	memset(check.violations, 0, sizeof(check.violations));
	check_finish(&check, &totals);
}

#define assert_finish_fine() (finish(), assert_fine())
#define assert_finish(oracle, text) (finish(), assert_objects(oracle, 1, text))

static void conservation_with_sequences(void **state)
{
	totals.sequenced = totals.counted = true;
	totals.written[CONTEXT_TASK] = check.next_sequence[CONTEXT_TASK] = 10;
	totals.written[CONTEXT_BEAT] = check.next_sequence[CONTEXT_BEAT] = 4;
	totals.committed = 14;
	totals.written[CONTEXTS] = 3; /* of a writer that this ring has not */
	check.events = 14;
	assert_finish_fine();
	totals.committed = 13;
	assert_finish(ORACLE_CONSERVATION, "committed records are not those written");
	totals.counted = false;
	assert_finish_fine();
	totals.lost = 1;
	assert_finish(ORACLE_CONSERVATION, "lost events are not those refused");
	totals.lost = 0;
	check.events = 13; /* one more is decoded elsewhere, or none is told */
	assert_finish(ORACLE_CONSERVATION, "written is not decoded + overwritten");
	check.skipped = 1;
	assert_finish_fine();
	check.scattered = true;
	check.events = 99;
	assert_finish_fine();
}

static void the_newest_events(void **state)
{
	totals.sequenced = true;
	totals.written[CONTEXT_TASK] = 1;
	assert_finish(ORACLE_CONSERVATION, "newest events missing");
	assert_true(!check.first[ORACLE_CONSERVATION].time &&
		    !check.first[ORACLE_CONSERVATION].payload.stamp);
	anew(NULL);
	totals.sequenced = true;
	totals.written[CONTEXT_BEAT] = 4;
	check.next_sequence[CONTEXT_BEAT] = check.events = 3;
	check.resync[CONTEXT_BEAT] = true;
	assert_finish_fine();
	assert_int_equal(check.skipped, 1);
	check.skipped = 0;
	check.resync[CONTEXT_BEAT] = false;
	assert_finish(ORACLE_CONSERVATION, "newest events missing");
}

static void conservation_of_timed_writers(void **state)
{
	static const struct {
		uint64_t events, objections;
	} cases[] = { { 101, 2 }, { 98, 1 }, { 97, 0 }, { 95, 0 }, { 94, 1 } };
	unsigned int i;

	totals.written[CONTEXT_TASK] = 100;
	totals.overwritten[0] = 3;
	totals.overwritten[1] = 5;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check.events = cases[i].events;
		finish();
		assert_int_equal(check.violations[ORACLE_CONSERVATION], cases[i].objections);
	}
	totals.counted = true; /* the commit counters say it, not these */
	totals.committed = 100;
	assert_finish_fine();
	totals.sequenced = false;
	check.events = 100;
	check.by_context[CONTEXT_BEAT] = 1;
	assert_finish(ORACLE_STRUCTURE, "more events of an id than were recorded");
	check.by_context[CONTEXT_BEAT] = 0;
	check.by_context[CONTEXT_LEVEL_1] = 1;
	finish();
	assert_int_equal(check.violations[ORACLE_STRUCTURE], 1);
	totals.written[CONTEXT_LEVEL_1] = 1;
	totals.committed = 101;
	assert_finish_fine();
	/* The task's id is that of all others. */
	check.by_context[CONTEXT_TASK] = check.by_context[CONTEXTS] = 1000;
	assert_finish_fine();
}

/* Each of them at what is explained, and one beyond. */
static void counts(void **state)
{
	static const struct {
		const char *text;
		size_t member;
		uint64_t most;
	} cases[] = {
		/* 7 needed, 2 for each of 5 nested writers, and 1 + 5 for the clock's step */
		{ "more extended records than anything explains", offsetof(struct check, extended),
		  7 + 10 + 6 },
		{ "more inexact stamps than nested writers", offsetof(struct check, inexact), 15 },
		{ "sub-buffer closed while the next record had room",
		  offsetof(struct check, closed_wasting), 2 },
		{ "sub-buffer closed while the next record had room",
		  offsetof(struct check, closed_early), 2 + 16 },
		{ "more padding in records than alignment calls for",
		  offsetof(struct check, alignment_bytes), 8 * (100 + 11) },
	};
	struct scheme_desc always = plain;
	unsigned int i;

	always.extension = EXTEND_ALWAYS;
	totals.nested = 5;
	totals.steps = 1;
	totals.written[CONTEXT_TASK] = totals.overwritten[1] = 100;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t *member = (uint64_t *)(void *)((char *)&check + cases[i].member);

		anew(NULL);
		totals = (struct check_totals){ .nested = 5, .steps = 1 };
		totals.written[CONTEXT_TASK] = totals.overwritten[1] = 100;
		check.events = 100;
		check.stamp_events = 11;
		check.needed = 7;
		check.closed_by_flush = 2;
		*member = cases[i].most;
		assert_finish_fine();
		++*member;
		assert_finish(ORACLE_COUNTS, cases[i].text);
		if (i == 0) {
			check.desc = &always;
			check.extended = 100 + 16;
			assert_finish_fine();
			check.extended++;
			assert_finish(ORACLE_COUNTS, cases[i].text);
		}
	}
}

static void losses(void **state)
{
	struct scheme_desc away = plain;

	totals.failed = totals.lost = 6;
	totals.losses.of[LOSS_FULL] = 3;
	totals.losses.of[LOSS_LARGE] = 2;
	totals.losses.of[LOSS_LARGEST] = 1;
	totals.refused = 2;
	totals.reasons = totals.sequenced = true;
	assert_finish_fine();
	totals.refused = 3;
	assert_finish_fine();
	totals.refused = 4;
	assert_finish(ORACLE_LOSSES, "events counted as too large are not those that were");
	totals.refused = 1;
	assert_finish(ORACLE_LOSSES, "events counted as too large are not those that were");
	totals.refused = 2;
	totals.losses.of[LOSS_FULL] = 2;
	assert_finish(ORACLE_LOSSES, "lost events are not those that have a reason");
	totals.losses.of[LOSS_UNEXPLAINED] = 1;
	assert_finish(ORACLE_LOSSES, "event lost without a reason that the ring shows");
	totals = (struct check_totals){ .failed = 3, .lost = 3, .ample = true, .reasons = true };
	totals.losses.of[LOSS_BUSY] = 3;
	assert_finish_fine();
	totals.losses.of[LOSS_BUSY] = 2;
	assert_finish(ORACLE_LOSSES, "event lost though nothing filled the ring");
	/* Of timed writers: as many as were nested, of a row that turns those away. */
	totals.reasons = false;
	totals.failed = totals.lost = 1;
	assert_finish(ORACLE_LOSSES, "event lost though nothing filled the ring");
	totals.failed = totals.lost = totals.nested = 3;
	assert_finish(ORACLE_LOSSES, "event lost though nothing filled the ring");
	away.turns_away = true;
	check.desc = &away;
	assert_finish_fine();
	totals.nested = 2;
	assert_finish(ORACLE_LOSSES, "event lost though nothing filled the ring");
}

TESTS_OF(NULL, NULL, anew, NULL, conservation_with_sequences, the_newest_events,
	 conservation_of_timed_writers, counts, losses)
