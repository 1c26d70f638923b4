// SPDX-License-Identifier: MIT
/*
 * Instructions by single-step: the same every time, and of plain events whatever stepping takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/buffer.h"
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
	if (steps < 0) {
		print_message("skipped: nothing can be single-stepped on this machine\n");
		skip();
	}
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

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		first = counted(rows[i]);
		second = counted(rows[i]);
		if (first - second > 0.02 || second - first > 0.02)
			fail_msg("%s: %.3f instructions, then %.3f", rows[i], first, second);
	}
}

/*
 * An event that is stepped takes longer than 2^20 ticks: with the real clock all of joint_delta's
 * would have a sync record, and cost twice as much as delta_sync's plain ones.
 */
static void short_fields_stay_short(void **state)
{
	double joint = counted("joint_delta"), plain = counted("delta_sync_soft");

	(void)state;
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

	(void)state;
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

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_each_time),
		cmocka_unit_test(short_fields_stay_short),
		cmocka_unit_test(no_row_is_below_its_floor),
		cmocka_unit_test(no_row_has_fewer_atomics_than_its_floor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
