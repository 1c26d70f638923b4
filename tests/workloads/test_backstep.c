// SPDX-License-Identifier: MIT
/*
 * A clock that goes back: the measure of what is then read wrong, against events by hand, and the
 * rows under each way in which a clock can misbehave.
 */
#include "tests/support/test.h"
#include "judge/driver.h"
#include "judge/judge.h"
#include "tests/support/play.h"
#include "workloads/misclock.h"

#define PLAYS 12
#define SEED 7
#define HZ 2e9

/* ---- the measure ---- */

/*
 * What is read, one letter each: r right, w wrong by 5, W by 1000, i wrong and declared inexact, R
 * right and whole, s a stamp, b a sub-buffer.
 */
static struct check_damage damage_of(const char *script)
{
	static const struct scheme_desc desc = { .promises = PROMISE_ALL };
	struct check_payload payload = { .stamp = 0 };
	struct event event = { .payload = (const uint8_t *)&payload,
			       .payload_bytes = sizeof(payload),
			       .id = EVENT_FIXED };
	uint64_t sequence = 0;
	struct check check;

	check_init(&check, &desc, 27);
	for (; *script; script++) {
		payload.stamp += 100;
		payload.entry = payload.exit = payload.stamp;
		event.time = payload.stamp + (*script == 'w' ? 5 :
					      *script == 'W' ? 1000 :
					      *script == 'i' ? 7 :
							       0);
		event.flags = *script == 'R' ? EVENT_EXTENDED :
			      *script == 's' ? EVENT_STAMP_ONLY :
					       0;
		if (*script == 'b') {
			check_subbuf_begin(&check, 1, payload.stamp);
			continue;
		}
		if (*script != 's')
			payload.tag =
				check_tag(CONTEXT_TASK, *script == 'i', 0, EVENT_FIXED, sequence++);
		check_event(&check, 0, 0, &event);
	}
	return check.damage;
}

static void damage_is_measured(void **state)
{
	static const struct {
		const char *script;
		uint64_t wrong, worst, spells, longest;
		enum damage_end until;
	} cases[] = {
		{ "rrrRrsrbr", 0, 0, 0, 0, DAMAGE_NONE },
		{ "rrwr", 1, 5, 1, 1, DAMAGE_EVENT },
		{ "rwwwr", 3, 5, 1, 3, DAMAGE_EVENT },
		{ "ririr", 0, 0, 0, 0, DAMAGE_NONE },
		{ "rwwWwRr", 4, 1000, 1, 4, DAMAGE_STAMP },
		{ "rwwsr", 2, 5, 1, 2, DAMAGE_STAMP },
		{ "rwbr", 1, 5, 1, 1, DAMAGE_SUBBUF },
		{ "rwbRr", 1, 5, 1, 1, DAMAGE_SUBBUF },
		{ "rwbwr", 2, 5, 1, 2, DAMAGE_EVENT },
		{ "wrwwbrwRww", 6, 5, 4, 2, DAMAGE_NEVER },
	};
	struct check_damage damage, sum;

	for (unsigned int i = 0; i < COUNT(cases); i++) {
		damage = damage_of(cases[i].script);
		if (damage.wrong != cases[i].wrong || damage.worst != cases[i].worst ||
		    damage.spells != cases[i].spells || damage.longest != cases[i].longest ||
		    check_damage_until(&damage) != cases[i].until)
			fail_msg("%s: %d wrong, worst %d, %d spells, longest %d, until %d",
				 cases[i].script, (int)damage.wrong, (int)damage.worst,
				 (int)damage.spells, (int)damage.longest,
				 check_damage_until(&damage));
	}
	/* The last of them, by its ends. */
	assert_int_equal(damage.ended[DAMAGE_EVENT], 1);
	assert_int_equal(damage.ended[DAMAGE_SUBBUF], 1);
	assert_int_equal(damage.ended[DAMAGE_STAMP], 1);
	/* Of two runs: what never ended in one did not. */
	damage = damage_of("rww");
	sum = damage_of("rwr");
	check_damage_add(&sum, &damage);
	assert_int_equal(sum.wrong, 3);
	assert_int_equal(sum.longest, 2);
	assert_int_equal(check_damage_until(&sum), DAMAGE_NEVER);
	assert_int_equal(sum.length, 0);
}

/* ---- rows ---- */

static const uint64_t steps[] = { 1,
				  100,
				  UINT64_C(1) << 26,
				  (UINT64_C(1) << 27) + 1,
				  (UINT64_C(1) << 31) - 1,
				  (UINT64_C(1) << 32) + 1,
				  2000000000 };
#define STEPS (COUNT(steps))

static struct misclock_result play(const struct driver *driver, enum misclock kind, uint64_t ticks)
{
	struct misclock_result result;

	assert_int_equal(misclock_play(driver, kind, ticks, HZ, PLAYS, SEED, &result), 0);
	/* A floor may lose all to a nested writer: it promises nothing. */
	if (driver->desc->promises & ~(uint32_t)PROMISE_BOUNDED)
		assert_true(result.events > PLAYS * 100);
	return result;
}

/* Over all steps. */
static struct misclock_result worst(const char *row, enum misclock kind)
{
	struct misclock_result sum = { .events = 0 }, one;
	unsigned int i;

	for (i = 0; i < STEPS; i++) {
		one = play(driver_find(drivers_counting, row), kind, steps[i]);
		assert_true(one.steps >= PLAYS);
		check_damage_add(&sum.damage, &one.damage);
	}
	return sum;
}

/* Nobody loses, tears or invents an event; who promises to be proof is. */
static void no_row_breaks_a_promise(void **state)
{
	const struct driver *const *row;
	struct misclock_result result;
	enum misclock kind;
	unsigned int i;

	for (row = play_rows(); *row; row++)
		for (kind = 0; kind < MISCLOCKS; kind++)
			for (i = 0;
			     i < (kind < MISCLOCK_STOPPED || kind == MISCLOCK_AHEAD ? STEPS : 1);
			     i++) {
				result = play(*row, kind, steps[i]);
				if (result.verdict == VERDICT_BROKEN)
					fail_msg("%s, %s by %lu: %s", (*row)->row,
						 misclock_words[kind].name, (unsigned long)steps[i],
						 result.objection);
				if ((*row)->desc->promises & PROMISE_STEP_PROOF)
					assert_int_equal(result.damage.wrong, 0);
			}
}

/* But for the reads of the events that came into others. */
static bool near(uint64_t ticks, uint64_t other)
{
	return ticks - other + 1000 < 2000;
}

/* Each kind does what it is called, and as often. */
static void each_clock_does_what_it_says(void **state)
{
	const struct driver *row = driver_find(drivers_counting, "full_tsc");
	uint64_t steady = play(row, MISCLOCK_AHEAD, 0).ticks, far = UINT64_C(1) << 31;
	enum misclock kind;

	for (kind = MISCLOCK_BETWEEN; kind < MISCLOCK_OFTEN; kind++) {
		assert_int_equal(play(row, kind, 100).steps, PLAYS);
		assert_int_equal(play(row, kind, 100).interrupts,
				 kind == MISCLOCK_NESTED ? PLAYS : 0);
		assert_true(near(play(row, kind, far).ticks + PLAYS * far, steady));
	}
	assert_int_equal(play(row, MISCLOCK_OFTEN, 100).steps, 6 * PLAYS);
	assert_int_equal(play(row, MISCLOCK_OLDER, far).interrupts, PLAYS);
	assert_true(near(play(row, MISCLOCK_OLDER, far).ticks, steady));
	assert_true(play(row, MISCLOCK_STOPPED, 0).ticks < steady - PLAYS * MISCLOCK_STILL * 50);
	assert_true(play(row, MISCLOCK_RATE, 0).ticks > 50 * steady);
	assert_true(play(row, MISCLOCK_AHEAD, far).ticks - steady == PLAYS * far);
	/* Interrupts that a row holds off come behind the event. */
	row = driver_find(drivers_counting, "delta_sync_hard");
	assert_int_equal(play(row, MISCLOCK_NESTED, 100).steps, PLAYS);
	assert_int_equal(play(row, MISCLOCK_OLDER, 100).interrupts, PLAYS);
}

static void what_each_kind_of_row_makes_of_it(void **state)
{
	/* Upper bits that are compared do not tell a step back; a whole distance does. */
	assert_true(worst("packed_word", MISCLOCK_BETWEEN).damage.wrong);
	assert_int_equal(worst("packed_word", MISCLOCK_BETWEEN).damage.worst, 1 << 27);
	assert_int_equal(worst("extended_header", MISCLOCK_BETWEEN).damage.wrong, 0);
	/* But not if it is the distance to the event before the last. */
	assert_true(worst("extended_header", MISCLOCK_OLDER).damage.wrong +
		    worst("extended_header", MISCLOCK_NESTED).damage.wrong);
	assert_int_equal(worst("packed_last", MISCLOCK_OLDER).damage.wrong, 0);
	assert_int_equal(worst("packed_upper", MISCLOCK_NESTED).damage.wrong, 0);
	/* A delta below 0, in 59 bits. */
	assert_true(worst("nested_stamps", MISCLOCK_BETWEEN).damage.worst > UINT64_C(1) << 58);
}

static void who_reads_again_never_ends_with_a_traced_clock(void **state)
{
	const struct driver *driver = driver_find(drivers_counting, "packed_word");

	assert_true(play(driver, MISCLOCK_TRACED, 0).reads_most >= MISCLOCK_READS_MOST);
	assert_int_equal(play(driver, MISCLOCK_TRACED, 0).verdict, VERDICT_NEED_NOT_MET);
	driver = driver_find(drivers_counting, "nested_stamps");
	assert_true(play(driver, MISCLOCK_TRACED, 0).reads_most < 10);
	driver = driver_find(drivers_counting, "floor");
	assert_int_equal(play(driver, MISCLOCK_TRACED, 0).reads_most, 2);
}

static void a_jump_is_excused_where_a_row_cannot_tell_it(void **state)
{
	const struct driver *driver = driver_find(drivers_counting, "nested_stamps");
	struct misclock_result result = play(driver, MISCLOCK_AHEAD, UINT64_C(1) << 40);

	assert_int_equal(result.verdict, VERDICT_KEPT);
	assert_int_equal(result.damage.wrong, 0);
	result = play(driver, MISCLOCK_AHEAD, (UINT64_C(1) << 59) + 1);
	assert_int_equal(result.verdict, VERDICT_NEED_NOT_MET);
	assert_true(result.damage.wrong);
}

static void a_false_promise_is_broken(void **state)
{
	struct driver liar = *driver_find(drivers_counting, "packed_word");
	struct scheme_desc desc = *liar.desc;
	struct misclock_result result;

	assert_int_equal(play(&liar, MISCLOCK_BETWEEN, 100).verdict, VERDICT_NEED_NOT_MET);
	desc.promises = PROMISES;
	liar.desc = &desc;
	result = play(&liar, MISCLOCK_BETWEEN, 100);
	assert_int_equal(result.verdict, VERDICT_BROKEN);
	assert_non_null(strstr(result.objection, "whole wraps"));
}

static void a_forward_clock_does_no_damage(void **state)
{
	const struct driver *const *row;

	for (row = play_rows(); *row; row++) {
		struct misclock_result result = play(*row, MISCLOCK_RATE, 0);

		assert_int_equal(result.steps, 0);
		if ((*row)->desc->promises & PROMISE_EXACT && !((*row)->desc->needs & NEED_BEAT))
			assert_int_equal(result.damage.wrong, 0);
	}
}

TESTS(damage_is_measured, no_row_breaks_a_promise, each_clock_does_what_it_says,
      what_each_kind_of_row_makes_of_it, who_reads_again_never_ends_with_a_traced_clock,
      a_jump_is_excused_where_a_row_cannot_tell_it, a_false_promise_is_broken,
      a_forward_clock_does_no_damage)
