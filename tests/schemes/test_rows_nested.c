// SPDX-License-Identifier: MIT
/*
 * Every row of the counting build under nested writers: at each labelled point in turn, at each
 * pair of points, several at one point, with the clock jumping around them, and with as many bytes
 * left in the sub-buffer as there can be. What a row promises holds; what it does not, breaks.
 */
#include "tests/support/test.h"

#include <inttypes.h>

#include "tests/support/play.h"
#include "tests/support/clean.h"

#define ROOMS 160
#define JUMPS 6

/* What a first event has to carry so that `room` bytes are left behind it. */
struct room {
	uint32_t room;
	uint32_t extra;
};

/* A short run: a first event, then three that are interrupted. */
struct scene {
	struct stage stage;
	const struct room *room;
	bool gap; /* 2^T ticks pass before the second of the three */
};

/* What the runs of a row came to. */
struct tally {
	uint64_t runs;
	uint64_t met; /* runs that met all needs */
	uint64_t wrong; /* runs with a decoded time that is not the stamp, declared or not */
	uint64_t outside; /* runs with a decoded time outside its window */
	uint64_t unkept; /* runs in which some oracle of time objected */
	uint64_t torn; /* runs in which records were lost or torn */
	uint64_t lost; /* events that found no room in the ring */
	uint64_t lapped; /* runs in which events were overwritten */
	uint64_t put_off; /* nested writers that a mask put off */
};

static struct play play;
static struct room rooms[ROOMS];
static unsigned int rooms_count;
static struct tally tally;

static struct stage small_stage(uint32_t bits)
{
	return (struct stage){
		.bits = bits,
		.subbuf_shift = 9,
		.count_shift = 1,
		.now = 100,
		.step = 1,
		.beats_per_wrap = 2,
	};
}

/* Every room from none to that of three records, as far as the row's sizes reach. */
static void find_rooms(void)
{
	struct stage stage = small_stage(27);
	uint32_t extra, room, last = UINT32_MAX;
	uint32_t unit = play.driver->desc->alignment ? play.driver->desc->alignment : 4;

	rooms_count = 0;
	stage.now = 0;
	for (extra = 460; extra > 260 && rooms_count < ROOMS; extra--) {
		play_start(&play, &stage);
		play_event_of(&play, extra);
		room = play_room(&play);
		if (buffer_ring(&play.buffer)->refused || room == last)
			continue;
		rooms[rooms_count++] = (struct room){ room, extra };
		last = room;
	}
	assert_true(rooms_count > 120 / unit && rooms[0].room < unit && last > 120);
}

static void count_run(void)
{
	const uint64_t *violations = play.check.violations;

	tally.runs++;
	tally.met += !play.unmet;
	tally.wrong += play.check.worst_error > play.check.rounds;
	tally.outside += violations[ORACLE_WINDOW] > 0;
	tally.unkept += violations[ORACLE_WINDOW] || violations[ORACLE_MONOTONIC] ||
			violations[ORACLE_EXACT];
	tally.torn += violations[ORACLE_STRUCTURE] || violations[ORACLE_CONSERVATION];
	tally.lost += buffer_ring(&play.buffer)->lost;
	tally.lapped += play.check.skipped > 0;
	tally.put_off += play.masks || play.buffer.writer.deferred;
}

/* Plays the scene under the plan; false if it has fewer points than the plan names. */
static bool play_scene(const struct scene *scene, const struct plan *plan)
{
	unsigned int last = plan->at[1] ? plan->at[1] : plan->at[0], calls;

	play_start(&play, &scene->stage);
	play_event_of(&play, scene->room->extra);
	play_plan(&play, plan);
	play_event(&play);
	play_pass(&play, scene->gap ? UINT64_C(1) << play.check.stamp_bits % 64 : 0);
	play_event(&play);
	play_event(&play);
	calls = play.calls;
	play_end(&play);
	if (calls < last)
		return false;
	count_run();
	return true;
}

/* Nobody's run was put off for ever: as many ran as came. */
static bool all_ran(void)
{
	const uint64_t *entered = play.buffer.writer.entered;

	return play.plan.nested != NESTED_EVENT ||
	       entered[CONTEXT_LEVEL_1] + entered[CONTEXT_LEVEL_2] + entered[CONTEXT_LEVEL_3] ==
		       play.interrupts;
}

static void keep(const struct scene *scene)
{
	const struct scheme_desc *desc = play.driver->desc;
	/* Who takes its stamp once more may find another wrap gone, with nobody to blame. */
	uint32_t excused = play.plan.nested == NESTED_TIME && desc->more_clock_reads > 1 ?
				   1u << ORACLE_COUNTS :
				   0;

	if (play_kept(&play, excused) && all_ran())
		return;
	snprintf(play.what, sizeof(play.what),
		 "an event of %u extra, %u bytes left, three events%s", scene->room->extra,
		 scene->room->room, scene->gap ? ", the second 2^T later" : "");
	play_assert_kept(&play, excused);
	fail_msg("%s, %s, at calls %u (%s) and %u (%s): a nested writer never ran",
		 play.driver->row, play.what, play.plan.at[0], play.labels[0], play.plan.at[1],
		 play.labels[1]);
}

/* Interrupts at each point; with `pairs`, also at each later point of the same run. */
static void interrupt_everywhere(const struct scene *scene, struct plan plan, bool pairs)
{
	for (plan.at[0] = 1; plan.at[1] = 0, play_scene(scene, &plan); plan.at[0]++) {
		keep(scene);
		for (plan.at[1] = plan.at[0] + 1; pairs && play_scene(scene, &plan); plan.at[1]++)
			keep(scene);
	}
	/* Three events have three points each at least. */
	assert_true(plan.at[0] > 9);
}

/* Ticks that pass before and after the nested writer. */
static void jump(struct plan *plan, unsigned int which, uint32_t bits)
{
	uint64_t wrap = UINT64_C(1) << (bits < 58 ? bits : 40);
	const uint64_t jumps[JUMPS][2] = {
		{ 1, 0 },	 { wrap - 1, 0 }, { wrap, 0 },
		{ wrap + 1, 0 }, { 0, wrap - 1 }, { wrap / 2, wrap / 2 }
	};
	/* Half of these leave the beat in time. */
	const uint64_t beats[JUMPS][2] = { { 1, 0 },	    { wrap / 8, 0 }, { 0, wrap / 8 },
					   { wrap - 1, 0 }, { wrap + 1, 0 }, { 0, wrap } };
	const uint64_t *ticks = needs(play.driver, NEED_BEAT) ? beats[which] : jumps[which];

	plan->jump_before = ticks[0];
	plan->jump_after = ticks[1];
}

/* False: nobody may nest in this row's writers. */
static bool open_row(const struct driver *driver)
{
	if (needs(driver, NEED_MASKED_INTERRUPTS))
		return false;
	play_open(&play, driver, 10);
	find_rooms();
	tally = (struct tally){ .runs = 0 };
	return true;
}

static struct scene scene_of(uint32_t bits, uint64_t step, unsigned int room, bool gap)
{
	struct scene scene = { .stage = small_stage(bits), .room = &rooms[room], .gap = gap };

	scene.stage.step = step;
	scene.stage.mode = room & 1 ? RING_DISCARD : RING_OVERWRITE;
	scene.stage.high_every = room & 2 ? 2 : 0;
	/* Some runs cross 2^64. */
	if (room & 4)
		scene.stage.now = -(UINT64_C(1) << bits % 64 / 2) - 4;
	return scene;
}

/* Which runs a test wants of each row. */
struct choice {
	uint64_t step;
	unsigned int stride; /* one room in so many */
	unsigned int burst;
	bool pairs;
	bool time; /* interrupts that only take time, and record nothing */
};

static void play_choice(uint32_t bits, const struct choice *choice)
{
	struct plan plan = { .burst = choice->burst };
	bool beats = needs(play.driver, NEED_BEAT);
	/* A signal costs as much as a hundred calls. */
	unsigned int room, which, stride = choice->stride * (play.masks ? 4 : 1);
	struct scene scene;

	for (room = 0; room < rooms_count; room += stride) {
		for (which = 0; which < JUMPS; which++) {
			jump(&plan, which, bits);
			scene = scene_of(bits, choice->step, room, (room / stride + which) & 1);
			plan.nested = choice->time	   ? NESTED_TIME :
				      beats && (which & 1) ? NESTED_BEAT :
							     NESTED_EVENT;
			interrupt_everywhere(&scene, plan, choice->pairs);
		}
	}
}

/* The choice in all rows and widths: one stride for T = 3, and a longer one for wider fields. */
static void all_rows(const struct choice *choice, unsigned int wide_stride)
{
	struct choice wide = *choice;
	const uint32_t *bits;

	wide.stride = wide_stride;
	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if ((!choice->step && needs(driver, NEED_STRICT_CLOCK)) || !open_row(driver))
			continue;
		for (bits = play_bits(driver); *bits; bits++)
			play_choice(*bits, *bits == 3 ? choice : &wide);
		/* Needs are met often enough to say something. */
		assert_true(tally.met > tally.runs / 8);
		play_close(&play);
	}
}

static void one_nested_writer_at_every_point(void **state)
{
	all_rows(&(struct choice){ .step = 1, .stride = 1, .burst = 1 }, 3);
}

static void two_in_a_row_at_every_point(void **state)
{
	all_rows(&(struct choice){ .step = 1, .stride = 3, .burst = 2 }, 9);
}

static void two_nested_writers_at_every_pair_of_points(void **state)
{
	all_rows(&(struct choice){ .step = 1, .stride = 40, .burst = 1, .pairs = true }, 130);
}

/* Time passes in a writer, and nobody records: an interrupt that is not traced, or a hypervisor. */
static void time_passes_at_every_point(void **state)
{
	all_rows(&(struct choice){ .step = 1, .stride = 3, .time = true }, 9);
}

/* On a clock that gives the same value until an interrupt takes its time. */
static void equal_stamps_at_every_point(void **state)
{
	all_rows(&(struct choice){ .step = 0, .stride = 7, .burst = 1 }, 20);
	all_rows(&(struct choice){ .step = 0, .stride = 40, .burst = 1, .pairs = true }, 130);
}

/*
 * So many that they come round to the slot that the interrupted writer holds: the ring loses
 * events, and counts them.
 */
static void nested_writers_that_lap_the_ring(void **state)
{
	struct choice choice = { .step = 1, .stride = 20, .burst = 40 };

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if (!open_row(driver))
			continue;
		play_choice(driver->stamp_bits < 64 ? 8 : driver->stamp_bits, &choice);
		assert_true(tally.lapped);
		/* Behind a mask nobody comes while a slot is held; who publishes holds none. */
		assert_int_equal(!tally.lost,
				 tally.put_off || !ring_has_commits(buffer_ring(&play.buffer)));
		play_close(&play);
	}
}

/*
 * A row may declare stamps inexact where writers meet. But a single nested one, which takes less
 * than a wrap, need not cost an exact stamp at every point, or giving up at once would pass.
 */
static void one_nested_writer_need_not_cost_exactness(void **state)
{
	struct plan plan = { .jump_before = 1 };
	unsigned int room, inexact, rows = 0;
	struct scene scene;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if (!promises(driver, PROMISE_EXACT) || !driver->desc->zeros_per_nested ||
		    !open_row(driver))
			continue;
		for (room = inexact = 0; room < rooms_count; room++) {
			scene = scene_of(27, 1, room, room & 1);
			for (plan.at[0] = 1; play_scene(&scene, &plan); plan.at[0]++)
				inexact += play.check.inexact > 0;
		}
		/* 36 to 38 of 100 as the rows stand, 47 where the slow path always gives up. */
		if (inexact * UINT64_C(100) > tally.runs * 42)
			fail_msg("%s: %u of %" PRIu64 " runs are inexact", driver->row, inexact,
				 tally.runs);
		play_close(&play);
		rows++;
	}
	assert_true(rows);
}

/* ---- flushing ---- */

/* Flushes at `now`, interrupted at call `at`; false if there are fewer points. */
static bool play_flush(uint32_t bits, uint64_t now, unsigned int at)
{
	bool beats = needs(play.driver, NEED_BEAT);
	struct stage stage = small_stage(bits);
	struct plan plan = {
		.at = { at },
		.nested = beats ? NESTED_BEAT : NESTED_EVENT,
		.burst = 2,
		.jump_before = UINT64_C(1) << (bits < 58 ? bits - 3 : 30),
	};
	uint64_t before, flushed;

	stage.now = now;
	play_start(&play, &stage);
	play_event(&play);
	play_plan(&play, &plan);
	before = play.driver->desc->ages ? play.buffer.writer.beaten : virtual_clock.now;
	play.check.closed_by_flush++;
	play.driver->flush(play.buffer.scheme);
	points.hook = NULL;
	flushed = buffer_ring(&play.buffer)->flush_stamp;
	/* Who cuts low bits knows the time no better. */
	before = bits_clear(before, scheme_cut_bits(play.driver->desc, bits)) - play.check.rounds;
	if (flushed - before > virtual_clock.now - before)
		fail_msg("%s, T = %u, from %" PRIu64 ", at call %u (%s): flushed at %" PRIu64
			 ", not in [%" PRIu64 ", %" PRIu64 "]",
			 play.driver->row, bits, now, at, play.labels[0], flushed, before,
			 virtual_clock.now);
	at = play.calls >= at;
	play_end(&play);
	play_assert_kept(&play, 0);
	assert_int_equal(play.unmet, 0);
	return at;
}

/* The end stamp of the newest sub-buffer: taken during the flush, even if beats come meanwhile. */
static void a_flush_has_the_right_stamp(void **state)
{
	unsigned int at, phase, points_met = 0;
	const uint32_t *bits;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if (driver->desc->untimed || !open_row(driver))
			continue;
		for (bits = play_bits(driver); *bits; bits++) {
			for (phase = 0; *bits > 3 && phase < 80; phase++)
				for (at = 1; play_flush(*bits,
							UINT64_C(1000) + phase * 4 -
								(UINT64_C(7) << *bits % 64),
							at);
				     at++)
					points_met++;
		}
		play_close(&play);
	}
	assert_true(points_met);
}

/* ---- where rows fall short, by their own word ---- */

/* A row that promises less breaks just that, and not only in theory. */
static void what_is_not_promised_breaks(void **state)
{
	struct choice choice = { .step = 1, .stride = 5, .burst = 1 };
	unsigned int rows = 0;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if (needs(driver, NEED_BEAT) || !open_row(driver))
			continue;
		play_choice(driver->stamp_bits < 64 ? 8 : driver->stamp_bits, &choice);
		/* Who cuts low bits is exact in the others, and owes it. */
		if (!promises(driver, PROMISE_EXACT) && !scheme_declares(driver->desc)) {
			assert_true(tally.wrong);
			rows++;
		} else if (!driver->desc->zeros_per_nested && tally.wrong) {
			fail_msg("%s: exact by its word, with wrong times", driver->row);
		}
		if (!promises(driver, PROMISE_WINDOW))
			assert_true(tally.outside);
		play_close(&play);
	}
	assert_true(rows);
}

/*
 * The nested event of a row that is not exact: it comes 1000 ticks into an interrupted writer that
 * holds its stamp already, and is decoded as if at the interrupted writer's time, or before.
 */
static void a_nested_event_repeats_a_time(void **state)
{
	struct stage stage = small_stage(27);
	struct plan plan = { .jump_before = 1000 };

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if (promises(driver, PROMISE_EXACT) || scheme_declares(driver->desc) ||
		    !open_row(driver))
			continue;
		play_start(&play, &stage);
		play_event(&play);
		play_event(&play);
		/* The last point of a writer is its commit, or comes behind it. */
		for (plan.at[0] = 0; strcmp(play.labels[0], "commit"); plan.at[0]++) {
			play_start(&play, &stage);
			play_event(&play);
			play_plan(&play, &plan);
			play_event(&play);
			play_end(&play);
		}
		assert_int_equal(play.check.events, 3);
		assert_int_equal(play.check.violations[ORACLE_WINDOW], 1);
		assert_int_equal(check_tag_context(play.check.first[ORACLE_WINDOW].payload.tag),
				 CONTEXT_LEVEL_1);
		assert_true(play.check.worst_error >= 1000);
		assert_int_equal(play.check.violations[ORACLE_MONOTONIC], 0);
		play_close(&play);
	}
}

/* A row that needs masked interrupts loses or tears records without, and is excused for it. */
static void rows_that_need_masks_break_without(void **state)
{
	unsigned int at, rows = 0;
	bool broke;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if (!needs(driver, NEED_MASKED_INTERRUPTS))
			continue;
		play_open(&play, driver, 10);
		find_rooms();
		broke = false;
		for (at = 1; at < 12; at++) {
			struct scene scene = scene_of(27, 1, rooms_count - 1, false);
			struct plan plan = { .at = { at } };

			if (!play_scene(&scene, &plan))
				break;
			assert_int_equal(play.unmet, NEED_MASKED_INTERRUPTS);
			broke |= !check_clean(&play.check);
			assert_int_not_equal(check_verdict(&play.check, 0, play.unmet),
					     VERDICT_BROKEN);
			keep(&scene);
		}
		if (!broke)
			fail_msg("%s needs no mask", driver->row);
		play_close(&play);
		rows++;
	}
	assert_true(rows);
}

/* A row that needs a strict clock breaks on one that stands still: or it needs none. */
static void rows_that_need_a_strict_clock_break_without(void **state)
{
	struct plan plan = { .jump_after = 1 };
	unsigned int room, rows = 0;
	struct scene scene;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		/* It takes a second interrupt and a tick between: test_explore has that. */
		if (!needs(driver, NEED_STRICT_CLOCK) || !strcmp(driver->row, "nested_retry") ||
		    !open_row(driver))
			continue;
		for (room = 0; room < rooms_count; room += 8) {
			scene = scene_of(8, 0, room, false);
			interrupt_everywhere(&scene, plan, true);
		}
		if (!tally.unkept)
			fail_msg("%s needs no strict clock", driver->row);
		assert_int_equal(tally.torn, 0);
		play_close(&play);
		rows++;
	}
	assert_true(rows);
}

/* How far a clock steps, of stamps of 8 bits: a wrap, and what varint_low's words tell apart. */
static const uint64_t steps[] = { 1u << 8, 1u << 30, 1u << 31, 1u << 31 | 1u << 30 };

static void step_within(unsigned int at, uint64_t step, uint64_t gap, bool back)
{
	struct stage stage = small_stage(8);
	struct plan plan = { .at = { at }, .jump_before = -step, .jump_after = back ? step : 0 };

	stage.now = UINT64_C(1) << 40 | 5;
	play_start(&play, &stage);
	if (gap) {
		play_event(&play);
		play_pass(&play, gap);
	}
	play_plan(&play, &plan);
	play_event(&play);
	virtual_clock.now += back ? 0 : step;
	play_event(&play);
	play_event(&play);
	play_end(&play);
	if (play.check.violations[ORACLE_EXACT] || play.check.violations[ORACLE_STRUCTURE])
		fail_msg("%s: wrong after a step of %" PRIu64 " at point %u, '%s', gap %" PRIu64,
			 play.driver->row, step, at, play.labels[0], gap);
}

/* The clock goes back while an event is being recorded, and comes forward again. */
static void a_step_within_an_event(void **state)
{
	unsigned int i, rows = 0;

	for (const struct driver *driver, *const *row = play_rows(); (driver = *row); row++) {
		if (!promises(driver, PROMISE_STEP_PROOF))
			continue;
		play_open(&play, driver, 10);
		for (i = 0; i < 4 * 3 * 2 * 12; i++)
			step_within(i / 24 + 1, steps[i % 4], i / 4 % 3 * 150, i / 12 % 2);
		play_close(&play);
		rows++;
	}
	assert_true(rows);
}

TESTS(one_nested_writer_at_every_point, two_in_a_row_at_every_point,
      two_nested_writers_at_every_pair_of_points, time_passes_at_every_point,
      equal_stamps_at_every_point, nested_writers_that_lap_the_ring,
      one_nested_writer_need_not_cost_exactness, a_flush_has_the_right_stamp,
      what_is_not_promised_breaks, a_nested_event_repeats_a_time,
      rows_that_need_masks_break_without, rows_that_need_a_strict_clock_break_without,
      a_step_within_an_event)
