// SPDX-License-Identifier: MIT
/* Signals that stand for interrupts: a storm that has to pause does, at every depth. */
#include "tests/support/test.h"
#include "workloads/engine/interrupts.h"

static struct interrupts interrupts;
static unsigned int enough_at; /* level whose handler has enough; 0: none */
static unsigned int raise_in[INTERRUPT_SOURCES]; /* level that each handler sends */
static unsigned int raise_then[INTERRUPT_SOURCES]; /* and then */

static uint64_t delivered(unsigned int level)
{
	return interrupts.delivered[level];
}

static void send(unsigned int level)
{
	if (level)
		assert_int_equal(interrupts_send(interrupts.tid, level), 0);
}

static void handle(void *arg, unsigned int source)
{
	send(raise_in[source]);
	send(raise_then[source]);
	if (source == enough_at)
		interrupts.enough = true;
}

static int begin(void **state)
{
	interrupts = (struct interrupts){ .handle = handle };
	enough_at = raise_in[1] = raise_in[2] = raise_in[3] = 0;
	raise_then[1] = raise_then[2] = raise_then[3] = 0;
	if (interrupts_install())
		return -1;
	interrupts_attach(&interrupts);
	interrupts_unblock_storm();
	return 0;
}

static int end(void **state)
{
	interrupts_detach(&interrupts);
	return 0;
}

static void a_storm_goes_on(void **state)
{
	unsigned int level;

	for (level = 1; level <= INTERRUPT_LEVELS; level++) {
		send(level);
		send(level);
		assert_int_equal(delivered(level), 2);
	}
	assert_int_equal(interrupts.pauses, 0);
}

static void enough_is_until_the_next_round(void **state)
{
	enough_at = 2;
	send(2);
	assert_int_equal(delivered(2), 1);
	assert_int_equal(interrupts.pauses, 1);
	send(1);
	send(2);
	send(3);
	assert_int_equal(delivered(1), 0);
	assert_int_equal(delivered(2), 1);
	assert_int_equal(delivered(3), 0);
	enough_at = 0;
	interrupts_unblock_storm();
	assert_int_equal(delivered(1), 1);
	assert_int_equal(delivered(2), 2);
	assert_int_equal(delivered(3), 1);
	send(1);
	assert_int_equal(delivered(1), 2);
	assert_int_equal(interrupts.pauses, 1);
}

/* Level 2 comes inside level 1: both return to a mask of their own. */
static void enough_inside_another_handler(void **state)
{
	raise_in[1] = 2;
	raise_then[1] = 3;
	enough_at = 2;
	send(1);
	assert_int_equal(delivered(3), 0);
	assert_int_equal(delivered(1), 1);
	assert_int_equal(delivered(2), 1);
	assert_int_equal(interrupts.at_depth[2], 1);
	assert_int_equal(interrupts.pauses, 1);
	send(3);
	send(1);
	assert_int_equal(delivered(3), 0);
	assert_int_equal(delivered(1), 1);
}

static void beats_do_not_pause(void **state)
{
	enough_at = 1;
	send(1);
	interrupts_unblock_beat();
	send(INTERRUPT_BEAT);
	assert_int_equal(delivered(INTERRUPT_BEAT), 1);
}

TESTS_OF(NULL, NULL, begin, end, a_storm_goes_on, enough_is_until_the_next_round,
	 enough_inside_another_handler, beats_do_not_pause)
