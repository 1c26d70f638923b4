// SPDX-License-Identifier: MIT
/*
 * Instructions by single-step: the same every time, and of plain events whatever stepping takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../runner/buffer.h"
#include "../runner/steps.h"

static double counted(const char *row)
{
	const struct driver *driver = driver_find(drivers_timed, row);
	double steps;

	assert_non_null(driver);
	steps = steps_per_event(driver);
#ifndef __x86_64__
	if (steps < 0)
		skip();
#endif
	if (steps <= 0)
		fail_msg("%s: no instructions counted", row);
	return steps;
}

static void the_same_each_time(void **state)
{
	static const char *const rows[] = { "floor", "nested_stamps", "packed_word", "joint_delta" };
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_each_time),
		cmocka_unit_test(short_fields_stay_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
