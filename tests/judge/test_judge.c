// SPDX-License-Identifier: MIT
/* judge/judge: needs, excuses and totals, from descriptions and rings that are made by hand. */
#include "tests/support/test.h"
#include "judge/judge.h"

#define TIMES (1u << ORACLE_EXACT | 1u << ORACLE_WINDOW | 1u << ORACLE_MONOTONIC)
#define COUNTS (1u << ORACLE_COUNTS)

/* Of one 16 bits wide, each need by itself; a row that does not have it does not lack it. */
static void each_need_has_its_measure(void **state)
{
	static const struct {
		struct judge_given given;
		uint32_t unmet;
	} cases[] = {
		{ { .beat_worst_ticks = 65535 }, 0 },
		{ { .beat_worst_ticks = 65536 }, NEED_BEAT },
		{ { .nested = true }, NEED_MASKED_INTERRUPTS },
		{ { .equal_stamps = true }, NEED_STRICT_CLOCK },
		{ { .nested = true, .equal_stamps = true },
		  NEED_MASKED_INTERRUPTS | NEED_STRICT_CLOCK },
	};
	const struct scheme_desc needy = { .needs = NEED_BEAT | NEED_MASKED_INTERRUPTS |
						    NEED_STRICT_CLOCK },
				 modest = { .needs = 0 };
	unsigned int i;

	for (i = 0; i < COUNT(cases); i++) {
		assert_int_equal(judge_unmet(&needy, 16, &cases[i].given), cases[i].unmet);
		assert_int_equal(judge_unmet(&modest, 16, &cases[i].given), 0);
	}
	/* A step back is nobody's declared need, and everybody's. */
	assert_int_equal(judge_unmet(&modest, 16, &(struct judge_given){ .steps = 1 }),
			 NEED_FORWARD_CLOCK);
}

static void excuses_are_these_and_no_others(void **state)
{
	static const struct {
		struct scheme_desc desc;
		uint32_t unmet, excused;
	} cases[] = {
		{ { .promises = PROMISE_ALL }, NEED_MASKED_INTERRUPTS, (1u << ORACLES) - 1 },
		{ { .turns_away = true }, NEED_MASKED_INTERRUPTS, TIMES | COUNTS },
		{ { .promises = PROMISE_ALL }, 0, 0 },
		{ { .promises = PROMISE_ALL }, NEED_BEAT, TIMES },
		{ { .promises = PROMISE_ALL }, NEED_STRICT_CLOCK, TIMES },
		{ { .promises = PROMISE_ALL }, NEED_FORWARD_CLOCK, TIMES | COUNTS },
		/* Not of who is proof against it; another need excuses what it always does. */
		{ { .promises = PROMISES }, NEED_FORWARD_CLOCK, TIMES & ~(1u << ORACLE_EXACT) },
		{ { .promises = PROMISES }, NEED_FORWARD_CLOCK | NEED_BEAT, TIMES },
	};
	unsigned int i;

	for (i = 0; i < COUNT(cases); i++)
		assert_int_equal(judge_excused(&cases[i].desc, cases[i].unmet), cases[i].excused);
}

/* ---- totals ---- */

static const struct scheme_desc plain = { .promises = PROMISE_ALL };
static const struct driver timed = { .timed = true, .desc = &plain };
static struct ring ring;
static struct buffer buffer;
static struct check check;

/* A timed ring of a row without commit counters. */
static void start(void)
{
	ring = (struct ring){ .form = RING_TAIL_PUBLISHED };
	buffer = (struct buffer){ .driver = &timed, .scheme = &ring };
	check_init(&check, &plain, 16);
}

/* What the timed loop asked for and the ring did not lose was written. */
static void what_is_lost_was_not_written(void **state)
{
	struct check_totals totals;

	start();
	buffer.writer.entered[CONTEXT_TASK] = 100;
	buffer.writer.entered[CONTEXT_LEVEL_1] = 7;
	ring.lost = 20;
	ring.refused = 3;
	ring.stuck = 1;
	judge_totals(&buffer, &check, &(struct judge_given){ .nested = false }, &totals);
	assert_int_equal(totals.lost, 24);
	assert_int_equal(totals.refused, 3);
	assert_int_equal(totals.failed, 24);
	assert_int_equal(totals.written[CONTEXT_TASK], 76);
	assert_int_equal(totals.written[CONTEXT_LEVEL_1], 7);
	assert_int_equal(totals.nested, 7);
}

/* Overwritten sub-buffers were full, but for an event or two for each wrap, and for the first. */
static void overwritten_ones_were_as_full_but_for_wraps(void **state)
{
	static const struct {
		uint64_t most, wraps, least;
	} cases[] = { { 10, 0, 48 }, { 10, 3, 42 }, { 10, 23, 2 }, { 10, 24, 0 },
		      { 10, 25, 0 }, { 1, 1, 1 },   { 1, 2, 0 } };
	struct judge_given given = { .began = 7 * 65536 + 65535 };
	struct check_totals totals;
	unsigned int i;

	for (i = 0; i < COUNT(cases); i++) {
		start();
		check.fill.gone = 5;
		check.fill.most = cases[i].most;
		check.last_stamp = (7 + cases[i].wraps) << 16 | 1;
		judge_totals(&buffer, &check, &given, &totals);
		assert_int_equal(totals.overwritten[0], cases[i].least);
		assert_int_equal(totals.overwritten[1], 5 * cases[i].most);
	}
}

/* A caller with totals of its own need not ask the ring, nor say twice what the run gave. */
static void rings_and_runs_speak_for_themselves(void **state)
{
	struct check_totals totals = { .lost = 0 };
	struct judgement judgement;

	start();
	ring.lost = 2;
	judge_ring(&ring, &check, &totals, &(struct judge_given){ .nested = false }, &judgement);
	assert_int_equal(judgement.verdict, VERDICT_BROKEN);
	assert_string_equal(judgement.text, "lost events are not those refused");
	/* A step back explains one extended record, and not two. */
	start();
	totals.written[CONTEXT_TASK] = totals.overwritten[1] = check.events = 5;
	check.extended = 1;
	judge_ring(&ring, &check, &totals, &(struct judge_given){ .steps = 1 }, &judgement);
	assert_int_equal(check.violations[ORACLE_COUNTS], 0);
	check.extended = 2;
	judge_ring(&ring, &check, &totals, &(struct judge_given){ .steps = 1 }, &judgement);
	assert_int_equal(check.violations[ORACLE_COUNTS], 1);
	assert_int_equal(judgement.excused, COUNTS);
	assert_null(judgement.text);
}

/* A loss is objected to at no place of the ring: it was nowhere. */
static void a_loss_with_room_has_no_place(void **state)
{
	static struct subbuf slots[4];

	start();
	ring = (struct ring){ .form = RING_TAIL_OFFSET,
			      .mode = RING_DISCARD,
			      .subbufs = slots,
			      .header_bytes = 24,
			      .subbuf_shift = 9,
			      .count_shift = 2,
			      .tail = 600,
			      .lost = 1 };
	judge_full(&ring, 1, &check);
	assert_int_equal(check.violations[ORACLE_LOSSES], 0);
	judge_full(&ring, 0, &check);
	assert_int_equal(check.violations[ORACLE_LOSSES], 1);
	assert_int_equal(check.first[ORACLE_LOSSES].number, 0);
	assert_int_equal(check.first[ORACLE_LOSSES].offset, 0);
	assert_int_equal(check.first[ORACLE_LOSSES].time, 0);
	ring.mode = RING_OVERWRITE;
	judge_full(&ring, 0, &check);
	assert_int_equal(check.violations[ORACLE_LOSSES], 1);
}

TESTS(each_need_has_its_measure, excuses_are_these_and_no_others, what_is_lost_was_not_written,
      overwritten_ones_were_as_full_but_for_wraps, rings_and_runs_speak_for_themselves,
      a_loss_with_room_has_no_place)
