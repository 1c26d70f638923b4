// SPDX-License-Identifier: MIT
/* Bytes of a replay, which are the same on every machine: headers, alignment and beats. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workloads/counts.h"

#define HZ 2e9
#define EVENTS 5000

/* Each gap is about a microsecond: no field of 27 bits wraps, and a beat is rare. */
static const struct gaps busy = { .name = "busy",
				  .buckets = 1,
				  .lo_ns = { 512 },
				  .hi_ns = { 1023 },
				  .until = { 1 },
				  .count = 1 };

static double replayed(const char *row, const char *key)
{
	enum verdict verdict = VERDICT_BROKEN;
	json_t *line =
		counts_replay(driver_find(drivers_counting, row), &busy, EVENTS, HZ, 1, &verdict);
	double value;

	assert_non_null(line);
	assert_int_equal(verdict, VERDICT_KEPT);
	value = json_number_value(json_object_get(line, key));
	json_decref(line);
	return value;
}

/* 8 bytes of payload behind headers of 4, 8 and 12, naturally aligned or not. */
static void alignment_counts(void **state)
{
	(void)state;
	assert_float_equal(replayed("extended_header", "bytes"), 12, 0.01);
	assert_float_equal(replayed("extended_header_aligned", "bytes"), 16, 0.01);
	assert_float_equal(replayed("nested_stamps", "bytes"), 12, 0.01);
	assert_float_equal(replayed("nested_stamps_aligned", "bytes"), 16, 0.01);
	assert_float_equal(replayed("full_tsc", "bytes"), 20, 0.01);
	assert_float_equal(replayed("full_tsc_aligned", "bytes"), 24, 0.01);
	assert_float_equal(replayed("full_tsc_aligned", "header_bytes"), 12, 0.01);
	assert_float_equal(replayed("heartbeat", "bytes"), 16, 0.02);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alignment_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
