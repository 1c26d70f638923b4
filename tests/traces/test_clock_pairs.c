// SPDX-License-Identifier: MIT
/* Dates between pairs of readings: of a counter whose rate changes, and of files that are none. */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/exit.h"
#include "tests/support/scratch.h"
#include "traces/clock_pairs.h"

#define BOOT_NS UINT64_C(1790000000000000000) /* realtime less monotonic */
#define STEPS 9

static char dir[PATH_MAX];

static int make(void **state)
{
	(void)state;
	scratch_make(dir);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	scratch_remove(dir);
	return 0;
}

/* A counter whose tick takes 1, 2, 3, ... ns, changing every 1000 ticks: when it says `ticks`. */
static uint64_t true_ns(uint64_t ticks)
{
	uint64_t ns = 5000, rate = 1;

	for (; ticks >= 1000; ticks -= 1000)
		ns += 1000 * rate++;
	return ns + ticks * rate;
}

/* A pair at each change of its rate. */
static void take_pairs(struct clock_pairs *pairs)
{
	struct clock_pair pair = { .error_ns = 7 };
	uint64_t i;

	*pairs = (struct clock_pairs){ .count = 0 };
	for (i = 0; i < STEPS; i++) {
		pair.ticks = i * 1000;
		pair.ns[WALL_MONOTONIC] = true_ns(pair.ticks);
		pair.ns[WALL_REALTIME] = BOOT_NS + pair.ns[WALL_MONOTONIC];
		assert_true(clock_pairs_add(pairs, &pair));
	}
	assert_int_equal(pairs->count, STEPS);
}

static void dates_follow_the_rate(void **state)
{
	struct clock_pairs pairs;
	struct wall_time time;
	uint64_t ticks;

	(void)state;
	take_pairs(&pairs);
	for (ticks = 0; ticks < STEPS * 1000 - 1000; ticks++) {
		assert_true(clock_pairs_realtime(&pairs, ticks, &time));
		assert_int_equal(time.ns, BOOT_NS + true_ns(ticks));
		assert_true(time.error_ns >= 7 && time.error_ns <= 16);
	}
	/* Behind the last one the line goes on, and is the less sure the further it does. */
	assert_true(clock_pairs_realtime(&pairs, 8500, &time));
	assert_int_equal(time.ns, BOOT_NS + true_ns(8000) + 500 * 8);
	assert_true(time.error_ns > 16);
	/* A date that 64 bits do not hold is none. */
	pairs.pair[STEPS - 2].ns[WALL_REALTIME] = UINT64_MAX - 999;
	assert_true(clock_pairs_realtime(&pairs, 7100, &time));
	assert_int_equal(time.ns, UINT64_MAX - 199);
	assert_false(clock_pairs_realtime(&pairs, 7200, &time));
	pairs.count = 1;
	assert_false(clock_pairs_realtime(&pairs, 0, &time));
	clock_pairs_free(&pairs);
}

/* CLOCK_REALTIME is set: times before are by the clock as it was. */
static void a_clock_that_is_set(void **state)
{
	struct clock_pairs pairs;
	struct wall_time time;
	size_t i;

	(void)state;
	take_pairs(&pairs);
	for (i = 4; i < STEPS; i++)
		pairs.pair[i].ns[WALL_REALTIME] -= 1000000;
	assert_true(clock_pairs_realtime(&pairs, 3999, &time));
	assert_int_equal(time.ns, BOOT_NS + true_ns(3999));
	assert_true(clock_pairs_realtime(&pairs, 4000, &time));
	assert_int_equal(time.ns, BOOT_NS + true_ns(4000) - 1000000);
	clock_pairs_free(&pairs);
}

static void pairs_that_go_back_are_not_kept(void **state)
{
	struct clock_pairs pairs;
	struct clock_pair pair;

	(void)state;
	take_pairs(&pairs);
	pair = pairs.pair[STEPS - 1];
	assert_true(clock_pairs_add(&pairs, &pair));
	pair.ticks++;
	assert_true(clock_pairs_add(&pairs, &pair));
	pair.ns[WALL_MONOTONIC]++;
	pair.ticks -= 2;
	assert_true(clock_pairs_add(&pairs, &pair));
	assert_int_equal(pairs.count, STEPS);
	pair.ticks += 2;
	assert_true(clock_pairs_add(&pairs, &pair));
	assert_int_equal(pairs.count, STEPS + 1);
	clock_pairs_free(&pairs);
}

static void what_is_written_is_read(void **state)
{
	struct clock_pairs pairs, read;
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	size_t i;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(clock_pairs_read(dir, &read), 0);
	assert_int_equal(read.count, 0);
	take_pairs(&pairs);
	assert_int_equal(clock_pairs_write(fd, &pairs, 3), 0);
	assert_int_equal(clock_pairs_write(fd, &pairs, 3), -EEXIST);
	assert_int_equal(clock_pairs_write(-1, &pairs, 3), -EBADF);
	assert_int_equal(clock_pairs_read(dir, &read), 0);
	assert_int_equal(read.count, STEPS);
	for (i = 0; i < STEPS; i++) {
		assert_int_equal(read.pair[i].ticks, pairs.pair[i].ticks / 8);
		assert_memory_equal(read.pair[i].ns, pairs.pair[i].ns, sizeof(pairs.pair[i].ns));
		assert_int_equal(read.pair[i].error_ns, 7);
	}
	clock_pairs_free(&read);
	clock_pairs_free(&pairs);
	close(fd);
}

/* In coarser ticks two of them are one: the later one is left out, or nobody could read the file.
 */
static void pairs_within_a_granule(void **state)
{
	struct clock_pair near[] = { { .ticks = 1000, .ns = { 5000, 9000 }, .error_ns = 1 },
				     { .ticks = 1020, .ns = { 7000, 11000 }, .error_ns = 1 },
				     { .ticks = 2000, .ns = { 8000, 12000 }, .error_ns = 1 } };
	struct clock_pairs pairs = { .pair = near, .count = 3 }, read;
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(clock_pairs_write(fd, &pairs, 9), 0);
	assert_int_equal(clock_pairs_read(dir, &read), 0);
	assert_int_equal(read.count, 2);
	assert_int_equal(read.pair[1].ns[WALL_REALTIME], 12000);
	clock_pairs_free(&read);
	close(fd);
}

#define HEADER "ticks,monotonic_ns,realtime_ns,error_ns\n"

static void files_that_are_none(void **state)
{
	static const struct {
		const char *text, *said;
	} files[] = {
		{ "", "line 1: not ticks,monotonic_ns" },
		{ "ticks\n1,2,3,4\n", "line 1: not ticks,monotonic_ns" },
		{ HEADER "1,2,3\n", "line 2: not four whole numbers" },
		{ HEADER "1,2,3,4,5\n", "line 2: not four whole numbers" },
		{ HEADER "1,2,3,4", "line 2: not four whole numbers" },
		{ HEADER "1,2,-3,4\n", "line 2: not four whole numbers" },
		{ HEADER "1,2,3,99999999999999999999\n", "line 2: not four whole numbers" },
		{ HEADER "1,2,3,4\n1,3,3,4\n", "line 3: not behind the pair" },
		{ HEADER "1,2,3,4\n2,2,3,4\n", "line 3: not behind the pair" },
	};
	struct clock_pairs pairs;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		scratch_put(dir, ".clock_pairs.csv", files[i].text, strlen(files[i].text));
		assert_fails(clock_pairs_read(dir, &pairs), EXIT_USAGE, files[i].said);
		assert_int_equal(pairs.count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates_follow_the_rate),
		cmocka_unit_test(a_clock_that_is_set),
		cmocka_unit_test(pairs_that_go_back_are_not_kept),
		cmocka_unit_test_setup_teardown(what_is_written_is_read, make, clean),
		cmocka_unit_test_setup_teardown(pairs_within_a_granule, make, clean),
		cmocka_unit_test_setup_teardown(files_that_are_none, make, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
