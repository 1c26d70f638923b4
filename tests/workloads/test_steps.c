// SPDX-License-Identifier: MIT
/*
 * Instructions by single-step: the same every time, and of plain events whatever stepping takes.
 */
#include "tests/support/test.h"

#include <math.h>
#include <signal.h>

#include "judge/buffer.h"
#include "schemes/core/clock.h"
#include "schemes/format/format_ctf.h"
#include "workloads/counts.h"
#include "runner/timing/steps.h"
#include "results/samples.h"

static double counted(const char *row)
{
	const struct driver *driver = driver_find(drivers_timed, row);
	double steps;

	assert_non_null(driver);
	steps = steps_per_event(driver);
#ifndef __x86_64__
	SKIP_IF(steps < 0, "nothing can be single-stepped on this machine");
#endif
	if (steps <= 0)
		fail_msg("%s: no instructions counted", row);
	return steps;
}

static void the_same_each_time(void **state)
{
	static const char *const rows[] = { "floor", "nested_stamps", "packed_word",
					    "joint_delta" };
	double first, second;
	unsigned int i;

	for (i = 0; i < COUNT(rows); i++) {
		first = counted(rows[i]);
		second = counted(rows[i]);
		if (first - second > 0.02 || second - first > 0.02)
			fail_msg("%s: %.3f instructions, then %.3f", rows[i], first, second);
	}
}

#ifdef __x86_64__
/*
 * A row made of the floor's own loop and of instructions whose number is known: so many beside each
 * event, more where a sub-buffer begins, and one read of the clock.
 */
static const struct driver *real;
static uint64_t per_event, per_switch;
static uint64_t last_read, read_before;

/* 2 instructions a round. */
static inline void spend(uint64_t rounds)
{
	if (rounds)
		__asm__ volatile("1: dec %0; jnz 1b" : "+r"(rounds) : : "cc");
}

static void run_made(void *scheme, struct writer *writer, uint64_t events)
{
	const struct ring *ring = scheme;
	uint64_t low, high, before;
	bool open;

	for (; events; events--) {
		before = ring_end(ring, &open);
		real->run(scheme, writer, 1);
		spend(per_event);
		if (ring_end(ring, &open) != before)
			spend(per_switch);
		__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
		read_before = last_read;
		last_read = high << 32 | low;
	}
}

static double made(uint64_t rounds, uint64_t at_switch)
{
	struct driver driver = *real;

	per_event = rounds;
	per_switch = at_switch;
	driver.run = run_made;
	return steps_per_event(&driver);
}

/* A record of the lowest floor has 12 bytes, a sub-buffer 4096 with its header. */
static void each_instruction_counts(void **state)
{
	double none, ten, seldom, per_subbuf;

	real = driver_find(drivers_timed, SAMPLES_FLOOR);
	none = made(1, 1);
	ten = made(11, 1);
	seldom = made(1, 1001);
	assert_true(fabs(ten - none - 20) < 1e-4);
	/* 2000 more in each sub-buffer, whose events take all of it. */
	per_subbuf = 2000 / (seldom - none);
	/* cmocka takes infinity for near to everything. */
	assert_true(fabs(per_subbuf - (4096 - CTF_PACKET_HEADER_BYTES) / 12.) < 0.5);
	/* The row reads the clock once an event, and this file does: 30 ticks go by for each. */
	assert_int_equal(last_read - read_before, 60);
	assert_true(clock_real() - last_read < UINT64_C(1) << 40);
}

/* What is left behind: a signal's action, and nothing on the heap (the sanitizers' word). */
static void the_action_is_put_back(void **state)
{
	struct sigaction before = { .sa_handler = SIG_IGN }, after;

	assert_int_equal(sigaction(SIGTRAP, &before, NULL), 0);
	assert_true(counted("floor") > 0);
	assert_int_equal(sigaction(SIGTRAP, NULL, &after), 0);
	assert_true(after.sa_handler == SIG_IGN);
	before.sa_handler = SIG_DFL;
	assert_int_equal(sigaction(SIGTRAP, &before, NULL), 0);
}
#define X86_TESTS each_instruction_counts, the_action_is_put_back,
#else
#define X86_TESTS
#endif

/*
 * An event that is stepped takes longer than 2^20 ticks: with the real clock all of joint_delta's
 * would have a sync record, and cost twice as much as delta_sync's plain ones.
 */
static void short_fields_stay_short(void **state)
{
	double joint = counted("joint_delta"), plain = counted("delta_sync_soft");

	if (joint > 1.2 * plain)
		fail_msg("joint_delta %.2f instructions, delta_sync_soft %.2f", joint, plain);
}

/* The CPU's word for "no more than": what stepping itself is off by, as above. */
#define EXACT 0.05

/* Nothing has less to do than the floor of its form, and no floor less than the lowest. */
static void no_row_is_below_its_floor(void **state)
{
	double lowest = counted(SAMPLES_FLOOR), steps, under;
	const struct driver *const *row;
	unsigned int checked = 0;

	SKIP_IF(getenv("SANITIZE"), "a sanitizer's instructions count, too, some for each access");
	for (row = drivers_timed; *row; row++) {
		const char *floor = driver_floor(*row);

		if (!floor) {
			assert_true((*row)->desc->untimed);
			continue;
		}
		if ((*row)->unsupported())
			continue;
		steps = counted((*row)->row);
		under = counted(floor);
		if (steps < under - EXACT)
			fail_msg("%s: %.2f instructions, and its floor %s has %.2f", (*row)->row,
				 steps, floor, under);
		if (steps < lowest - EXACT)
			fail_msg("%s: %.2f instructions, and the lowest floor %.2f", (*row)->row,
				 steps, lowest);
		checked++;
	}
	assert_true(checked > 20);
}

static double atomics(const char *row)
{
	struct counts counts;

	assert_int_equal(
		counts_steady(driver_find(drivers_counting, row), 20000, 35, false, &counts), 0);
	return counts.atomics;
}

static void no_row_has_fewer_atomics_than_its_floor(void **state)
{
	const struct driver *const *row;

	for (row = drivers_counting; *row; row++) {
		const char *floor = driver_floor(*row);
		/* Where a sub-buffer ends depends on the bytes: an atomic for its opening. */
		double slack = 0.02;

		if (floor && !(*row)->unsupported() &&
		    atomics((*row)->row) < atomics(floor) - slack)
			fail_msg("%s: %.3f atomics, and its floor %s has %.3f", (*row)->row,
				 atomics((*row)->row), floor, atomics(floor));
	}
	assert_true(atomics("floor") > 1 && atomics("floor_published") < 0.005);
}

TESTS(X86_TESTS the_same_each_time, short_fields_stay_short, no_row_is_below_its_floor,
      no_row_has_fewer_atomics_than_its_floor)
