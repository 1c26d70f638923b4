// SPDX-License-Identifier: MIT
/* What a beat costs: told from batches of both kinds, and paid in the end by a thread with many
 * beats. */
#include "tests/support/test.h"

#include <math.h>
#include <time.h>

#include "tests/support/placed.h"
#include "tests/support/quoted.h"
#include "base/time.h"
#include "runner/place/ticks.h"
#include "runner/timing/beat_cost.h"

/* 500 ticks more at 2 GHz are 250 ns; what disturbs one batch in ten of either kind is not in it.
 */
static void it_is_the_difference(void **state)
{
	double with[40], without[120];
	struct stats_interval ns;
	unsigned int i;

	for (i = 0; i < 120; i++)
		without[i] = 10000 + i % 7 + (i % 10 ? 0 : 90000);
	for (i = 0; i < 40; i++)
		with[i] = 10500 + i % 7 + (i % 10 ? 0 : 90000);
	ns = beat_cost_of(with, 40, without, 120, 2e9);
	assert_true(fabs(ns.middle - 250) < 2);
	assert_true(ns.low > 240 && ns.low <= ns.middle && ns.high >= ns.middle && ns.high < 260);
}

/* A row whose beats and runs are counted, and of which this test knows how long they take. */
static const struct driver *real;
static uint64_t beats, runs, first_events;

static void counted_beat(void *scheme, struct writer *writer)
{
	beats++;
	real->beat(scheme, writer);
}

static void counted_run(void *scheme, struct writer *writer, uint64_t events)
{
	if (!runs++)
		first_events = events;
	real->run(scheme, writer, events);
}

static void a_real_beat_has_a_price(void **state)
{
	struct driver driver;
	struct beat_cost cost;
	struct timespec while_nobody_beats = { .tv_nsec = 20000000 };
	uint64_t counted, begin = time_ns();

	SKIP_EMULATED();
	real = driver_find(drivers_timed, "heartbeat_compact");
	driver = *real;
	driver.beat = counted_beat;
	driver.run = counted_run;
	assert_int_equal(beat_cost_measure(&driver, &place, plan.pu[0], 0.2, &cost), 0);
	assert_true(time_ns() - begin >= 200000000);
	assert_true(cost.with >= 20 && cost.without > cost.with);
	/* A signal and its return are no less than this, anywhere. */
	assert_true(cost.ns.middle > 200 && cost.ns.middle < 1e6);
	assert_true(cost.ns.low <= cost.ns.middle && cost.ns.high >= cost.ns.middle);
	assert_true(cost.ns.low > -1e6 && cost.ns.high < 1e6);
	/* Each batch is one run; before them the whole ring was written once. */
	assert_true(runs - 1 >= cost.with + cost.without && beats >= cost.with);
	assert_int_equal(first_events,
			 (UINT64_C(1) << (RING_TIMED_SUBBUF_SHIFT + RING_TIMED_COUNT_SHIFT)) / 12);
	/* The period of its source, whatever the clock. */
	assert_float_equal(driver_beat_ns(driver_find(drivers_timed, "cached_clock"), 64, 3e9),
			   500e3, 1e-3);
	assert_float_equal(cost.beats_per_second *
				   driver_beat_ns(real, real->stamp_bits, ticks_hz()),
			   1e9, 1e3);
	counted = beats;
	nanosleep(&while_nobody_beats, NULL);
	assert_int_equal(beats, counted);
}

static void it_is_told_in_these_keys(void **state)
{
	const struct beat_cost cost = { { 250, 240, NAN }, 40, 30, 120 };
	const struct driver driver = { .row = "x" };

	assert_json(beat_cost_json(&driver, &cost),
		    "{'row': 'x', 'beat_ns': 250.0, 'beat_ns_95_low': 240.0,"
		    " 'beat_ns_95_high': null, 'beats_per_second': 40.0,"
		    " 'ns_per_second': 10000.0}");
}

TESTS_OF(placed_set_up, placed_tear_down, NULL, NULL, it_is_the_difference, a_real_beat_has_a_price,
	 it_is_told_in_these_keys)
