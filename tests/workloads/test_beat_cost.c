// SPDX-License-Identifier: MIT
/* What a beat costs: told from batches of both kinds, and paid in the end by a thread with many
 * beats. */
#include <math.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/placed.h"
#include "runner/timing/beat_cost.h"
#include "workloads/engine/interrupts.h"

/* 500 ticks more at 2 GHz are 250 ns; what disturbs one batch in ten of either kind is not in it.
 */
static void it_is_the_difference(void **state)
{
	double with[40], without[120];
	struct stats_interval ns;
	unsigned int i;

	(void)state;
	for (i = 0; i < 120; i++)
		without[i] = 10000 + i % 7 + (i % 10 ? 0 : 90000);
	for (i = 0; i < 40; i++)
		with[i] = 10500 + i % 7 + (i % 10 ? 0 : 90000);
	ns = beat_cost_of(with, 40, without, 120, 2e9);
	assert_true(fabs(ns.middle - 250) < 2);
	assert_true(ns.low > 240 && ns.low <= ns.middle && ns.high >= ns.middle && ns.high < 260);
}

static void a_real_beat_has_a_price(void **state)
{
	const struct driver *driver = driver_find(drivers_timed, "heartbeat_compact");
	struct beat_cost cost;
	json_t *line;

	(void)state;
	if (getenv("STAMPEDE_EMULATED")) {
		print_message("skipped: times of an emulated machine mean nothing\n");
		skip();
	}
	assert_int_equal(beat_cost_measure(driver, &place, plan.pu[0], 0.2, &cost), 0);
	assert_true(cost.with >= 20 && cost.without > cost.with);
	/* A signal and its return are no less than this, anywhere. */
	assert_true(cost.ns.middle > 200);
	line = beat_cost_json(driver, &cost);
	assert_true(fabs(json_number_value(json_object_get(line, "ns_per_second")) /
				 (cost.ns.middle * cost.beats_per_second) -
			 1) < 1e-9);
	json_decref(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_difference),
		cmocka_unit_test(a_real_beat_has_a_price),
	};

	return cmocka_run_group_tests(tests, placed_set_up, placed_tear_down);
}
