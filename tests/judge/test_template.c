// SPDX-License-Identifier: MIT
/*
 * schemes/TEMPLATE.h is a row: it keeps what it promises, and each promise is tried. The same with
 * a `last` of 32 bits (narrow_last.h, which the build makes of it) is found to be broken in
 * test_trial.c.
 */
#include "judge/driver.c"
#include "judge/reader.c"

#include "tests/support/test.h"
#include "judge/verdict.h"

static struct row_trial trial;

/* In the counting build; the timed and the cheap one are those of the row that it was made from. */
static enum verdict word(const struct driver *driver)
{
	struct evidence evidence = { .trial = &trial };

	assert_true(trial_play(&trial, driver, driver_find(drivers_timed, "extended_header"),
			       driver_find(drivers_cheap, "extended_header")));
	return verdict_of_row(&evidence, VERDICT_KEPT);
}

static void the_template_keeps_its_word(void **state)
{
	struct evidence evidence = { .trial = &trial };
	unsigned int bit;

	assert_int_equal(word(&DRIVER_NAME), VERDICT_KEPT);
	for (bit = 1; bit & PROMISE_ALL; bit <<= 1)
		assert_true(verdict_tries(&evidence, (enum scheme_promise)bit) > 0);
}

TESTS(the_template_keeps_its_word)
