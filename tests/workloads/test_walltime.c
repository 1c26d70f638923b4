// SPDX-License-Identifier: MIT
/*
 * Ticks as time that people read: conversions against integers of 128 bits and long double, what
 * they refuse, pairs of readings of this machine, the file of a date. test_dates.sh has the
 * exports.
 */
#include <setjmp.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/exit.h"
#include "base/rng.h"
#include "base/wall.h"
#include "place/clock_pair.h"
#include "place/ticks.h"
#include "schemes/core/clock.h"
#include "tests/support/scratch.h"
#include "traces/ctf_metadata.h"
#include "traces/ctf_trace.h"
#include "traces/ftrace_clock.h"

static const uint64_t rates[] = {
	1,	    3,		32768,	    19200000,	24000000,
	62500000,   999999999,	1000000000, 1000000007, 1999999999,
	2000000000, 2445406321, 2899999999, 4294967296, 9999999967,
};

#define RATES (sizeof(rates) / sizeof(rates[0]))

static long double apart(uint64_t one, long double other)
{
	long double difference = (long double)one - other;

	return difference < 0 ? -difference : difference;
}

#ifdef __SIZEOF_INT128__
static void a_rate_is_applied_to_the_ns(void **state)
{
	struct clock_pair pair = { .ns = { UINT64_C(1) << 62, UINT64_C(1) << 61 }, .error_ns = 7 };
	uint64_t random = rng_seed(1, 0), distance, expected;
	unsigned __int128 product;
	struct wall_time time;
	unsigned int i, clock, before;

	(void)state;
	for (i = 0; i < 20000; i++) {
		uint64_t hz = rates[i % RATES];

		/* Of all lengths; within the 2^61 ns that lie before the pair. */
		distance = rng_next(&random) >> (rng_next(&random) % 64);
		product = (unsigned __int128)distance * 1000000000u / hz;
		if (product >> 61)
			continue;
		expected = (uint64_t)product;
		pair.ticks = UINT64_C(1) << 63;
		for (clock = 0; clock < WALL_CLOCKS; clock++)
			for (before = 0; before < 2; before++) {
				if (distance > UINT64_C(1) << 62)
					continue;
				assert_true(wall_by_rate(&pair, clock, hz,
							 before ? pair.ticks - distance :
								  pair.ticks + distance,
							 &time));
				assert_true(time.ns == (before ? pair.ns[clock] - expected :
								 pair.ns[clock] + expected));
				assert_int_equal(time.error_ns, 8);
			}
	}
}

static void a_line_goes_through_both_pairs(void **state)
{
	uint64_t random = rng_seed(2, 0), span, ns, distance;
	struct clock_pair a, b;
	struct wall_time time;
	unsigned int i;

	(void)state;
	for (i = 0; i < 20000; i++) {
		a = (struct clock_pair){ .ticks = rng_next(&random) >> 12,
					 .ns = { rng_next(&random) >> 3, 0 },
					 .error_ns = rng_next(&random) % 100 };
		span = 1 + (rng_next(&random) >> (20 + rng_next(&random) % 44));
		ns = rng_next(&random) >> (24 + rng_next(&random) % 40);
		b = (struct clock_pair){ .ticks = a.ticks + span,
					 .ns = { a.ns[0] + ns, 0 },
					 .error_ns = rng_next(&random) % 100 };
		assert_true(wall_by_line(&a, &b, WALL_MONOTONIC, a.ticks, &time));
		assert_true(time.ns == a.ns[0]);
		assert_true(wall_by_line(&a, &b, WALL_MONOTONIC, b.ticks, &time));
		assert_true(time.ns == b.ns[0]);
		distance = span + rng_next(&random) % (span + 1);
		assert_true(wall_by_line(&a, &b, WALL_MONOTONIC, a.ticks + distance, &time));
		assert_true(time.ns ==
			    a.ns[0] + (uint64_t)((unsigned __int128)distance * ns / span));
	}
}

/* If each pair is off by as much as it says, and in the worst ways, a line is off by no more. */
static void a_line_knows_its_error(void **state)
{
	const uint64_t hz = 2445406321, at[] = { 0, 1, 2, 3, 5, 9, 10, 11, 20, 100, 1000 };
	struct clock_pair a = { .ticks = UINT64_C(1) << 50, .ns = { 1u << 30, 0 } }, b = a;
	uint64_t tight = 0, ticks;
	struct wall_time time;
	long double truth;
	unsigned int way, i;
	int before;

	(void)state;
	b.ticks += 10 * hz;
	a.error_ns = 40;
	b.error_ns = 25;
	for (way = 0; way < 4; way++)
		for (i = 0; i < sizeof(at) / sizeof(at[0]); i++)
			for (before = 0; before < 2 && at[i] <= 1000; before++) {
				struct clock_pair one = a, two = b;

				one.ns[0] = (UINT64_C(1) << 60) + (way & 1 ? 40 : 0) -
					    (way & 1 ? 0 : 40);
				two.ns[0] = (UINT64_C(1) << 60) + UINT64_C(10000000000) +
					    (way & 2 ? 25 : 0) - (way & 2 ? 0 : 25);
				ticks = before ? a.ticks - at[i] * hz : a.ticks + at[i] * hz;
				truth = (long double)(UINT64_C(1) << 60) +
					(before ? -1 : 1) * 1e9L * (long double)at[i];
				assert_true(wall_by_line(&one, &two, WALL_MONOTONIC, ticks, &time));
				assert_true(apart(time.ns, truth) <= (long double)time.error_ns);
				/* And of some it is nearly all that is declared. */
				tight += apart(time.ns, truth) + 3 >= (long double)time.error_ns;
			}
	assert_true(tight > 20);
}

/* The true worst error over the range, at its end and near it, where the last ns is rounded off. */
static void a_shift_is_off_by_what_it_says(void **state)
{
	static const uint64_t seconds[] = { 1, 60, 600, 86400 };
	struct clock_pair pair = { .ticks = 0, .ns = { 0, 0 }, .error_ns = 0 };
	struct wall_time time, far;
	struct wall_rate rate;
	unsigned int i, j, k, tight = 0, all = 0;
	long double worst, off;

	(void)state;
	for (i = 0; i < RATES; i++)
		for (j = 0; j < sizeof(seconds) / sizeof(seconds[0]); j++) {
			uint64_t range = rates[i] * seconds[j], random = rng_seed(i, j);

			assert_true(wall_rate_for(rates[i], range, &rate));
			assert_true(rate.shift <= 32 && rate.range_ticks == range);
			assert_true((unsigned __int128)range * rate.mult >> 64 == 0);
			/* To the nearest. */
			assert_true(apart((uint64_t)rate.mult * rates[i],
					  1e9L * (long double)(UINT64_C(1) << rate.shift)) *
					    2 <=
				    (long double)rates[i]);
			/* One more bit would not do. */
			assert_true(rate.shift == 32 || rate.mult >= 1u << 31 ||
				    (unsigned __int128)range * (2 * (uint64_t)rate.mult - 1) >> 64);
			worst = 0;
			for (k = 0; k < 3000; k++) {
				uint64_t ticks = k < 1500 ? range - (k < range ? k : range) :
							    rng_next(&random) % (range + 1);

				assert_true(
					wall_by_shift(&pair, WALL_REALTIME, &rate, ticks, &time));
				off = apart(time.ns,
					    (long double)ticks * 1e9L / (long double)rates[i]);
				assert_true(off <= (long double)time.error_ns + 1e-3L);
				assert_true(time.error_ns <= rate.error_ns + 2);
				worst = off > worst ? off : worst;
			}
			assert_true(worst <= (long double)rate.error_ns + 1e-3L);
			all++;
			tight += worst + 2.5L >= (long double)rate.error_ns;
			/* By the rate itself, and beyond its range. */
			assert_true(wall_by_rate(&pair, WALL_REALTIME, rates[i], range, &far));
			assert_false(wall_by_shift(&pair, WALL_REALTIME, &rate, range + 1, &time));
		}
	assert_int_equal(tight, all);
}
/* What is written of a clock, read by our parser of metadata. */
static void reread(const struct ctf_description *description, struct ctf_trace *trace)
{
	struct trace_fault fault = { .set = false };
	size_t size = 0;
	char *text = NULL;
	FILE *into = open_memstream(&text, &size);

	assert_non_null(into);
	assert_int_equal(ctf_metadata_write(into, description), 0);
	assert_int_equal(fclose(into), 0);
	*trace = (struct ctf_trace){ .dir = NULL };
	if (!tsdl_parse((const uint8_t *)text, size, &trace->metadata, &fault))
		fail_msg("offset %" PRIu64 ": %s", fault.offset, fault.text);
	free(text);
}

/* At the pair, before it and behind it, within the roundings of a rate, a cycle and a ns. */
static void metadata_has_the_date(void **state)
{
	struct ctf_description d = { .format = { .kind = FORMAT_CTF_LARGE, .stamp_bytes = 4 },
				     .stamp_bits = 32 };
	uint64_t random = rng_seed(4, 0), ns, carried = 0;
	struct ctf_trace trace;
	__int128 truth, away;
	unsigned int i, j;

	(void)state;
	for (i = 0; i < 2000; i++) {
		d.cut_bits = i % 3 ? 0 : 1 + i % 9;
		d.hz = rates[3 + rng_next(&random) % (RATES - 3)];
		d.pair = (struct clock_pair){ .ticks = (rng_next(&random) >> 10) +
						       (UINT64_C(1) << 42),
					      .error_ns = rng_next(&random) % 1000 };
		d.pair.ns[WALL_REALTIME] = UINT64_C(1700000000000000000) + (rng_next(&random) >> 5);
		reread(&d, &trace);
		assert_true(ctf_trace_dated(&trace));
		assert_true((uint64_t)trace.metadata.clock.offset < trace.metadata.clock.hz);
		carried += d.pair.ns[WALL_REALTIME] % WALL_NS_PER_SECOND <
			   ctf_trace_ns(&trace, d.pair.ticks >> d.cut_bits) % WALL_NS_PER_SECOND;
		for (j = 0; j < 3; j++) {
			uint64_t ticks = d.pair.ticks + (j - UINT64_C(1)) * 10 * d.hz;
			/* 10 s away: what half a cycle per second is off by, of the rate. */
			uint64_t limit =
				3 + 3 * ((WALL_NS_PER_SECOND << d.cut_bits) / d.hz + 1) +
				(j == 1 ? 0 : 5 * (WALL_NS_PER_SECOND << d.cut_bits) / d.hz);

			assert_true(ctf_trace_realtime(&trace, ticks >> d.cut_bits, &ns));
			truth = (__int128)d.pair.ns[WALL_REALTIME] +
				((__int128)j - 1) * 10 * WALL_NS_PER_SECOND;
			away = truth - ns;
			if (away > (__int128)limit || away < -(__int128)limit)
				fail_msg("%" PRIu64 " Hz, %u bits cut, %u: off by %lld ns", d.hz,
					 d.cut_bits, j, (long long)away);
		}
		tsdl_free(&trace.metadata);
	}
	/* Both of the ways in which fractions of a second lie occurred. */
	assert_true(carried > 200 && carried < 1800);
}

/* Of no real clock: a tick is a ns, and no date is made of it. */
static void a_virtual_clock_has_no_date(void **state)
{
	const struct ctf_description d = { .format = { .kind = FORMAT_CTF_LARGE, .stamp_bytes = 4 },
					   .stamp_bits = 32,
					   .pair = { .ticks = 5, .ns = { 6, 7 } } };
	struct ctf_trace trace;

	(void)state;
	reread(&d, &trace);
	assert_false(ctf_trace_dated(&trace));
	assert_int_equal(trace.metadata.clock.hz, 1000000000);
	assert_int_equal(ctf_trace_ns(&trace, 12345), 12345);
	tsdl_free(&trace.metadata);
}
#endif

static void what_does_not_fit_is_refused(void **state)
{
	const struct clock_pair pair = { .ticks = 1000, .ns = { 500, UINT64_MAX - 10 } };
	struct clock_pair later = { .ticks = 2000, .ns = { 1500, UINT64_MAX } };
	struct wall_time time = { .ns = 42, .error_ns = 43 };
	struct wall_rate rate = { .mult = 44 };

	(void)state;
	assert_false(wall_by_rate(&pair, WALL_MONOTONIC, 0, 1000, &time));
	assert_false(wall_by_rate(&pair, WALL_MONOTONIC, 1, UINT64_MAX, &time));
	/* Before the clock's 0, and over its end. */
	assert_false(wall_by_rate(&pair, WALL_MONOTONIC, 1000000000, 499, &time));
	assert_true(wall_by_rate(&pair, WALL_MONOTONIC, 1000000000, 500, &time));
	assert_int_equal(time.ns, 0);
	assert_true(wall_by_rate(&pair, WALL_REALTIME, 1000000000, 1010, &time));
	assert_true(time.ns == UINT64_MAX);
	time = (struct wall_time){ .ns = 42, .error_ns = 43 };
	assert_false(wall_by_rate(&pair, WALL_REALTIME, 1000000000, 1011, &time));
	/* Pairs whose ticks are equal or go back, or whose time does. */
	assert_false(wall_by_line(&pair, &pair, WALL_MONOTONIC, 1000, &time));
	assert_false(wall_by_line(&later, &pair, WALL_MONOTONIC, 1500, &time));
	assert_int_equal(wall_hz(&pair, &pair), 0);
	assert_int_equal(wall_hz(&later, &pair), 0);
	later.ns[WALL_MONOTONIC] = 499;
	assert_false(wall_by_line(&pair, &later, WALL_MONOTONIC, 1500, &time));
	assert_int_equal(wall_hz(&pair, &later), 0);
	later.ns[WALL_MONOTONIC] = 500; /* it stood */
	assert_int_equal(wall_hz(&pair, &later), 0);
	assert_false(wall_by_line(&pair, &later, WALL_REALTIME, 4000, &time));
	/* Rates that leave no mult. */
	assert_false(wall_rate_for(0, 1000, &rate));
	assert_false(wall_rate_for(UINT64_MAX, 1000, &rate));
	assert_false(wall_rate_for(1, UINT64_MAX, &rate));
	/* Nothing was touched. */
	assert_true(time.ns == 42 && time.error_ns == 43 && rate.mult == 44);
	later.ns[WALL_MONOTONIC] = 1500;
	assert_true(wall_hz(&pair, &later) == 1000000000);
}

static void a_rate_is_rounded_to_the_nearest(void **state)
{
	struct clock_pair a = { .ticks = 5, .ns = { 7, 0 } }, b = a;
	uint64_t random = rng_seed(3, 0), ns, ticks, hz;
	unsigned int i;

	(void)state;
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

	(void)state;
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
	struct clock_pair pair, next;
	struct wall_time time;
	unsigned int i, clock;

	(void)state;
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
		/*
		 * Two that follow each other agree, but for what they and the rate are off by. Not
		 * where a whole emulator comes between two readings.
		 */
		if (getenv("STAMPEDE_EMULATED"))
			continue;
		assert_true(clock_pair_take(&next));
		assert_true(wall_by_rate(&pair, WALL_MONOTONIC, (uint64_t)ticks_hz(), next.ticks,
					 &time));
		assert_true(apart(time.ns, (long double)next.ns[WALL_MONOTONIC]) <=
			    (long double)(time.error_ns + next.error_ns + 1) +
				    1e-3L * (long double)(next.ns[0] - pair.ns[0]));
	}
}

static void a_clock_that_is_set_is_seen(void **state)
{
	struct clock_pair a = { .ns = { 1000, 50000 }, .error_ns = 30 };
	struct clock_pair b = { .ns = { 3000, 52000 }, .error_ns = 20 };

	(void)state;
	assert_int_equal(clock_pair_set(&a, &b), 0);
	b.ns[WALL_REALTIME] += 100;
	assert_int_equal(clock_pair_set(&a, &b), 0);
	b.ns[WALL_REALTIME] += 1;
	assert_int_equal(clock_pair_set(&a, &b), 101);
	b.ns[WALL_REALTIME] -= 40101;
	assert_int_equal(clock_pair_set(&a, &b), -40000);
}

static void a_file_beside_sub_buffers_has_the_date(void **state)
{
	static const char *const bad[] = {
		"",
		"hz 5\n",
		"nonsense\n",
		"hz 0\nticks 1\nmonotonic_ns 2\nrealtime_ns 3\nerror_ns 4\n",
		"hz 9\nticks -1\nmonotonic_ns 2\nrealtime_ns 3\nerror_ns 4\n",
		"hz 9\nticks 1\nmonotonic_ns 2\nrealtime_ns 3\nerror_ns 4\nhz 9\n",
		"hz 9\nticks 1\nmonotonic_ns 2\nrealtime_ns 3\nerror_ns 4 5\n",
	};
	const struct clock_pair pair = { .ticks = UINT64_MAX, .ns = { 12, 34 }, .error_ns = 56 };
	struct ftrace_clock clock;
	char dir[PATH_MAX];
	unsigned int i;
	int fd;

	(void)state;
	scratch_make(dir);
	assert_int_equal(ftrace_clock_read(dir, &clock), 0);
	assert_int_equal(clock.hz, 0);
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(ftrace_clock_write(fd, &pair, 78), 0);
	assert_int_equal(ftrace_clock_read(dir, &clock), 0);
	assert_int_equal(clock.hz, 78);
	assert_memory_equal(&clock.pair, &pair, sizeof(pair));
	/* It is not written over. */
	assert_int_equal(ftrace_clock_write(fd, &pair, 78), -EEXIST);
	close(fd);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		scratch_put(dir, "clock", bad[i], strlen(bad[i]));
		scratch_capture_begin();
		assert_int_equal(ftrace_clock_read(dir, &clock), EXIT_USAGE);
		scratch_capture_end();
		assert_non_null(strstr(scratch_stderr, "clock: not hz"));
		assert_int_equal(clock.hz, 0);
	}
	scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __SIZEOF_INT128__
		cmocka_unit_test(a_rate_is_applied_to_the_ns),
		cmocka_unit_test(a_line_goes_through_both_pairs),
		cmocka_unit_test(a_line_knows_its_error),
		cmocka_unit_test(a_shift_is_off_by_what_it_says),
		cmocka_unit_test(metadata_has_the_date),
		cmocka_unit_test(a_virtual_clock_has_no_date),
#endif
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(a_rate_is_rounded_to_the_nearest),
		cmocka_unit_test(dates_are_written),
		cmocka_unit_test(a_pair_is_of_now),
		cmocka_unit_test(a_clock_that_is_set_is_seen),
		cmocka_unit_test(a_file_beside_sub_buffers_has_the_date),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
