// SPDX-License-Identifier: MIT
/* Layouts that are none, and the inputs that layout --measure finds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "layout/ambiguous.h"
#include "layout/layout_math.h"
#include "layout/layout_measure.h"
#include "place/ticks.h"

static void near(double value, double expected, double part)
{
	if (fabs(value - expected) > fabs(expected) * part)
		fail_msg("%.10g is not %.10g", value, expected);
}

/* ---- bad input ---- */

static void faulty_layouts_are_named(void **state)
{
	struct layout layout = layouts[1];

	(void)state;
	assert_null(layout_fault(&layout));
	layout.id_bits = 6;
	assert_non_null(strstr(layout_fault(&layout), "do not add up"));
	layout.id_bits = 32;
	layout.time_bits = 0;
	assert_non_null(strstr(layout_fault(&layout), "no bit of time"));
	layout.id_bits = 0;
	layout.time_bits = 32;
	assert_non_null(strstr(layout_fault(&layout), "no bit of id"));
	layout = layouts[1];
	layout.cut_bits = 38;
	assert_non_null(strstr(layout_fault(&layout), "more bits than a stamp"));
	layout.header_bits = 33;
	assert_non_null(strstr(layout_fault(&layout), "32, 64 or 96"));
}

/* ---- clocks that differ ---- */

static void worked_example_of_ambiguous_events(void **state)
{
	struct gaps gaps = {
		.buckets = 1, .lo_ns = { 512 }, .hi_ns = { 1023 }, .until = { 7 }, .count = 7
	};

	(void)state;
	near(ambiguous_share(&gaps, 64), 128 * log(2) / 512, 1e-9);
	near(ambiguous_share(&gaps, 0) + 1, 1, 1e-12);
	/* No gap is longer than the window. */
	near(ambiguous_share(&gaps, 512), 1, 1e-12);
	/* Events at once, half of all, take no time that a window could begin in. */
	gaps = (struct gaps){ .buckets = 2,
			      .lo_ns = { 0, 512 },
			      .hi_ns = { 0, 1023 },
			      .until = { 7, 14 },
			      .count = 14 };
	near(ambiguous_share(&gaps, 64), 128 * log(2) / 512, 1e-9);
}

/* Of `events` of one CPU, how many have one of another no further than `bound` away, in a play. */
static double played_share(const struct gaps *gaps, double bound, unsigned int events)
{
	uint64_t states[2] = { rng_seed(1, 0), rng_seed(1, 1) };
	double at[2] = { 0, 0 }, before = -1e18;
	unsigned int i, close = 0;

	/* Far from where both began at once. */
	for (i = 0; i < 1000; i++)
		at[1] += gaps_sample_ns(gaps, &states[1]);
	while (at[0] < at[1])
		at[0] += gaps_sample_ns(gaps, &states[0]);
	for (i = 0; i < events; i++) {
		at[0] += gaps_sample_ns(gaps, &states[0]);
		while (at[1] <= at[0]) {
			before = at[1];
			at[1] += gaps_sample_ns(gaps, &states[1]);
		}
		close += at[0] - before < bound || at[1] - at[0] < bound;
	}
	return (double)close / events;
}

static void ambiguous_events_are_as_played(void **state)
{
	/* Three buckets, one of them with few and long gaps. */
	struct gaps gaps = { .buckets = 3,
			     .lo_ns = { 64, 512, 8192 },
			     .hi_ns = { 127, 1023, 16383 },
			     .until = { 500, 900, 1000 },
			     .count = 1000 };
	static const double bounds[] = { 10, 50, 200, 1000, 5000 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		near(ambiguous_share(&gaps, bounds[i]), played_share(&gaps, bounds[i], 400000),
		     0.03);
}

/* ---- measuring ---- */

static void measured_inputs_fit_together(void **state)
{
	struct layout_measured measured;

	(void)state;
	assert_int_equal(layout_measure(&measured), 0);
	near(measured.clock_hz, ticks_hz(), 1e-9);
	/* A clock may be too slow to tell two events in a row apart, as many of arm64 are. */
	assert_true(measured.spacing_median_ticks > 0 || measured.clock_hz < 1e9);
	assert_true(measured.spacing_least_ticks <= measured.spacing_median_ticks);
	assert_true(measured.probe_median_ticks <= measured.probe_p999_ticks);
	assert_true(measured.probe_longest_ticks <= measured.probe_worst_ticks);
	if (!measured.two_cpus) {
		print_message("skipped: one CPU, nobody to hand over to\n");
		skip();
	}
	assert_true(measured.cpu[0] != measured.cpu[1]);
	assert_true(measured.round_trips > 0);
	/* Nor there and back. */
	assert_true(measured.round_trip_least_ticks > 0 || measured.clock_hz < 1e9);
	assert_true(measured.round_trip_least_ticks <= measured.round_trip_median_ticks);
	/* All trips together bound it at least as well as the shortest does. */
	assert_true(measured.offset_high_ticks - measured.offset_low_ticks <=
		    (int64_t)measured.round_trip_least_ticks);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(faulty_layouts_are_named),
		cmocka_unit_test(worked_example_of_ambiguous_events),
		cmocka_unit_test(ambiguous_events_are_as_played),
		cmocka_unit_test(measured_inputs_fit_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
