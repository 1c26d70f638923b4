// SPDX-License-Identifier: MIT
/* One struct check that a test calls oracles of, and what they objected to. */
#pragma once

#include "tests/support/test.h"
#include "judge/check.h"

static const struct scheme_desc plain = {
	.promises = PROMISE_ALL,
	.extension = EXTEND_ON_GAP,
	.extra_per_nested = 2,
	.zeros_per_nested = 3,
	.alignment = 4,
};
static struct check check;
static struct check_totals totals;
static uint64_t number; /* of the sub-buffer, and the byte in it, that an objection has to name */
static uint32_t offset;

static int anew(void **state)
{
	check_init(&check, &plain, 8);
	totals = (struct check_totals){ .failed = 0 };
	number = 0;
	offset = 0;
	return 0;
}

/* How often the oracle objected, the last time for this reason if it was its first. */
static void assert_objects(enum oracle oracle, uint64_t count, const char *text)
{
	unsigned int i;

	for (i = 0; i < ORACLES; i++)
		if (check.violations[i] != (i == oracle ? count : 0))
			fail_msg("%s objected %d times", check_oracle_name((enum oracle)i),
				 (int)check.violations[i]);
	if (!count)
		return;
	assert_string_equal(check.first[oracle].text, text);
	assert_int_equal(check.first[oracle].number, number);
	assert_int_equal(check.first[oracle].offset, offset);
}

#define assert_fine() assert_objects(ORACLES, 0, NULL)
