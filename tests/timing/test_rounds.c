// SPDX-License-Identifier: MIT
/* How long a bench may wait: its budget, and no longer than leaves the planned rounds their time.
 */
#include "tests/support/test.h"
#include "base/time.h"
#include "runner/timing/rounds.h"

#define NEAR 0.2 /* seconds that this machine may have lost in between */

/* Two cells of 10 rounds, 3 s each, of which one is done, and more. */
static struct rounds planned(double budget, double until)
{
	struct rounds rounds = {
		.cell = { { .told = { .rounds = 10 } }, { .told = { .rounds = 10 }, .done = 12 } },
		.cells = 2,
		.cell_ns = 1e8,
		.budget_seconds = budget,
		.until_ns = time_ns() + (uint64_t)(until * 1e9),
	};

	return rounds;
}

static void assert_left(const struct rounds *rounds, double seconds)
{
	double left = rounds_budget_left(rounds);

	assert_true(left <= seconds + 1e-9 && left >= seconds - NEAR);
}

static void a_budget_is_spent(void **state)
{
	struct rounds rounds = planned(12, 1e6);

	assert_left(&rounds, 12);
	rounds.spent_seconds = 11;
	assert_left(&rounds, 1);
	rounds.spent_seconds = 13;
	assert_left(&rounds, 0);
	rounds.until_ns = UINT64_MAX; /* the user's own */
	rounds.spent_seconds = 2;
	assert_left(&rounds, 10);
}

static void planned_rounds_come_first(void **state)
{
	struct rounds rounds = planned(12, 8);

	assert_left(&rounds, 5);
	rounds.cell[0].done = 5;
	assert_left(&rounds, 6.5);
	rounds.cell[1].done = 0;
	assert_left(&rounds, 3.5);
	rounds.cell[1].told.cheap = true;
	assert_left(&rounds, 5.5);
	rounds.cell[1].told.cheap = false;
	rounds.cell[1].told.injected.on = true;
	assert_left(&rounds, 5.5);
}

static void nothing_is_left_too_late(void **state)
{
	struct rounds rounds = planned(12, 2);

	assert_left(&rounds, 0);
	rounds.until_ns = time_ns() - 1;
	rounds.cell[0].done = 10;
	assert_left(&rounds, 0);
}

TESTS(a_budget_is_spent, planned_rounds_come_first, nothing_is_left_too_late)
