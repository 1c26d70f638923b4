// SPDX-License-Identifier: MIT
/* Readings of this machine's clocks, rates and dates. test_dates.sh has the exports. */
#include "tests/support/test.h"

#include <time.h>

#include "base/rng.h"
#include "base/wall.h"
#include "runner/place/clock_pair.h"
#include "schemes/core/clock.h"

static long double apart(uint64_t one, long double other)
{
	long double difference = (long double)one - other;

	return difference < 0 ? -difference : difference;
}

static void pairs_without_a_rate(void **state)
{
	const struct clock_pair pair = { .ticks = 1000, .ns = { 500, 0 } };
	struct clock_pair later = { .ticks = 2000, .ns = { 1500, 0 } };

	assert_int_equal(wall_hz(&pair, &pair), 0);
	assert_int_equal(wall_hz(&later, &pair), 0);
	later.ns[WALL_MONOTONIC] = 499;
	assert_int_equal(wall_hz(&pair, &later), 0);
	later.ns[WALL_MONOTONIC] = 500; /* it stood */
	assert_int_equal(wall_hz(&pair, &later), 0);
	later.ns[WALL_MONOTONIC] = 1500;
	assert_true(wall_hz(&pair, &later) == 1000000000);
}

static void a_rate_is_rounded_to_the_nearest(void **state)
{
	struct clock_pair a = { .ticks = 5, .ns = { 7, 0 } }, b = a;
	uint64_t random = rng_seed(3, 0), ns, ticks, hz;
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		ns = 1 + (rng_next(&random) >> 20);
		ticks = 1 + (rng_next(&random) >> 20);
		b.ticks = a.ticks + ticks;
		b.ns[WALL_MONOTONIC] = a.ns[WALL_MONOTONIC] + ns;
		hz = wall_hz(&a, &b);
		if (hz)
			assert_true(apart(hz, (long double)ticks * 1e9L / (long double)ns) <=
				    0.5001L);
	}
}

static void dates_are_written(void **state)
{
	char text[WALL_DATE_BYTES];

	assert_string_equal(wall_date(0, text), "1970-01-01T00:00:00.000000000Z");
	assert_string_equal(wall_date(UINT64_C(951782400000000001), text),
			    "2000-02-29T00:00:00.000000001Z");
	assert_string_equal(wall_date(UINT64_C(1767323045123456789), text),
			    "2026-01-02T03:04:05.123456789Z");
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	assert_int_equal(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Readings of the same clocks around a pair hold it between them. */
static void a_pair_is_of_now(void **state)
{
	const clockid_t clocks[WALL_CLOCKS] = { CLOCK_MONOTONIC, CLOCK_REALTIME };
	uint64_t before[WALL_CLOCKS], ticks;
	struct clock_pair pair;
	unsigned int i, clock;

	for (i = 0; i < 1000; i++) {
		ticks = clock_real_fenced();
		for (clock = 0; clock < WALL_CLOCKS; clock++)
			before[clock] = now_ns(clocks[clock]);
		assert_true(clock_pair_take(&pair));
		for (clock = 0; clock < WALL_CLOCKS; clock++) {
			assert_true(before[clock] <= pair.ns[clock] + pair.error_ns);
			assert_true(pair.ns[clock] <= now_ns(clocks[clock]) + pair.error_ns);
		}
		assert_true(ticks < pair.ticks && pair.ticks < clock_real_fenced());
		assert_true(pair.error_ns > 0);
	}
}

static void a_clock_that_is_set_is_seen(void **state)
{
	struct clock_pair a = { .ns = { 1000, 50000 }, .error_ns = 30 };
	struct clock_pair b = { .ns = { 3000, 52000 }, .error_ns = 20 };

	assert_int_equal(clock_pair_set(&a, &b), 0);
	b.ns[WALL_REALTIME] += 100;
	assert_int_equal(clock_pair_set(&a, &b), 0);
	b.ns[WALL_REALTIME] += 1;
	assert_int_equal(clock_pair_set(&a, &b), 101);
	b.ns[WALL_REALTIME] -= 40101;
	assert_int_equal(clock_pair_set(&a, &b), -40000);
}

TESTS(pairs_without_a_rate, a_rate_is_rounded_to_the_nearest, dates_are_written, a_pair_is_of_now,
      a_clock_that_is_set_is_seen)
