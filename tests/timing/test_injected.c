// SPDX-License-Identifier: MIT
/* The injected build's plan of nested writers, where a beat comes in between. */
#include "tests/support/test.h"
#include "judge/buffer.h"
#include "schemes/core/inject.h"

static struct buffer buffer;

static void open_row(const char *row)
{
	const struct driver *driver = driver_find(drivers_injected, row);
	struct ring_config config;

	assert_non_null(driver);
	config = buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	assert_int_equal(buffer_open(&buffer, driver, &config), 0);
	injection = (struct injection){ .nest_depth = 2, .due = UINT64_MAX };
	/* From here on injection.nest is this row's. */
	driver->run(buffer.scheme, &buffer.writer, 1);
}

static uint64_t nested(void)
{
	return buffer.writer.entered[CONTEXT_LEVEL_1] + buffer.writer.entered[CONTEXT_LEVEL_1 + 1];
}

/* What is armed runs, one inside the other, once. */
static void armed_writers_run_once(void **state)
{
	open_row("layout_1_27_4_beat");
	injection.armed = 2;
	buffer.driver->run(buffer.scheme, &buffer.writer, 3);
	assert_int_equal(injection.armed, 0);
	assert_int_equal(buffer.writer.entered[CONTEXT_LEVEL_1], 1);
	assert_int_equal(buffer.writer.entered[CONTEXT_LEVEL_1 + 1], 1);
	buffer_close(&buffer);
}

/*
 * A beat between a clock read's question and its answer has run what was armed: nothing is left,
 * and nothing below nothing, which would nest until the stack is full.
 */
static void beat_may_take_them(void **state)
{
	open_row("layout_1_27_4_beat");
	injection.armed = 2;
	buffer.driver->beat(buffer.scheme, &buffer.writer);
	assert_int_equal(nested(), 2);
	assert_int_equal(injection.armed, 0);
	injection.nest();
	assert_int_equal(injection.armed, 0);
	assert_int_equal(nested(), 2);
	buffer.driver->run(buffer.scheme, &buffer.writer, 100);
	assert_int_equal(nested(), 2);
	buffer_close(&buffer);
}

TESTS(armed_writers_run_once, beat_may_take_them)
