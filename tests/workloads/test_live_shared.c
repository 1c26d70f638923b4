// SPDX-License-Identifier: MIT
/* A reader beside writers of two CPUs in one ring: what it takes, and what is missed if it errs. */
#include "tests/support/test.h"
#include "tests/support/live_run.h"

#define LARGE_BYTES 4000 /* of payload, so that a ring is lapped while the reader copies */

#define THREADS 2

static void use(const char *row)
{
	sound = driver_find(drivers_checked, row);
	assert_non_null(sound);
	driver = *sound;
}

static int set_up(void **state)
{
	if (!live_start(&workload_live_shared, "full_tsc_locked_fenced")) {
		print_message("skipped: writers of two CPUs in a ring take those, and x86-64\n");
		return 1;
	}
	return 0;
}

/* Of both writers, in epochs in which it polls and sleeps, and each loss with its reason. */
static void its_reader_says_what_it_did(void **state)
{
	use("packed_word_locked_fenced");
	count_for(&driver);
	live_run(THREADS, 0.65, 0);
	assert_kept();
	assert_true(result.epochs >= 2);
	assert_true(result.desc.promises == sound->desc->shared_promises);
	assert_true(result.check.by_context[CONTEXT_TASK] > 0);
	assert_true(result.check.by_context[CONTEXTS + CONTEXT_TASK] > 0);
	assert_true(decoded > 0);
	assert_int_equal(reader()->events, decoded);
	assert_int_equal(reader()->subbufs, taken);
	/* One more behind each epoch, by its drain. */
	assert_int_equal(reader()->flushes + result.epochs, flushed);
	assert_true(reader()->flushes > 0);
	assert_true(reader()->looks > 0);
	assert_true(reader()->sleeps > 0);
	assert_int_equal(loss_total(&result.losses), result.lost + result.refused + result.stuck);
	assert_int_equal(result.losses.of[LOSS_UNEXPLAINED], 0);
}

/* Both writers are quicker than a copy, and go on where a stopped reader was in the middle of one.
 */
static void torn_copies_count_as_nothing(void **state)
{
	uint64_t torn = 0, subbufs = 0;

	engine.overwrites = true;
	use("extended_header_locked_fenced");
	/* In a large ring beside others at work there may be none. */
	for (seed = 1; seed <= 40 && !(torn && subbufs); seed++) {
		live_run(THREADS, 0.2, LARGE_BYTES);
		assert_kept();
		torn += reader()->torn;
		subbufs += reader()->subbufs;
	}
	/* Other work that takes the writers' CPUs leaves the reader all the time that it wants. */
	SKIP_IF(subbufs && !torn, "the machine was busy: no writer overtook the reader");
	assert_true(subbufs > 0);
}

static void flushing_interrupt(void *scheme, struct writer *writer, unsigned int context)
{
	sound->interrupt(scheme, writer, context);
	sound->flush(scheme);
}

/* One CPU closes what the other one writes into, some ten thousand times a second. */
static void a_flush_tears_no_claim(void **state)
{
	static const char *const rows[] = { "full_tsc_locked_fenced", "packed_word_locked_fenced" };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		use(rows[i]);
		driver.interrupt = flushing_interrupt;
		live_run(THREADS, 0.25, 0);
		/* Only the engine's own flushes are known to the oracle of sizes. */
		assert_int_equal(result.check.violations[ORACLE_CONSERVATION], 0);
		assert_int_equal(result.check.violations[ORACLE_STRUCTURE], 0);
		assert_int_equal(result.check.violations[ORACLE_MONOTONIC], 0);
	}
}

static void refused_run(void *scheme, struct writer *writer, uint64_t events)
{
	struct ring *ring = scheme;

	sound->run(scheme, writer, events);
	if (!now_and_then())
		return;
	__atomic_add_fetch(&ring->lost, 1, __ATOMIC_RELAXED);
	writer->failed[CONTEXT_TASK]++;
	writer->losses.of[LOSS_UNEXPLAINED]++;
}

/* Takes what is not complete yet, too: as if commits said nothing. */
static void hasty_take(void *scheme, struct check *check)
{
	sound->drain(scheme, check, true);
}

static void what_goes_wrong_is_seen(void **state)
{
	static const struct live_fault all[] = {
		{ .run = losing_run, .oracle = ORACLE_CONSERVATION },
		{ .run = refused_run, .oracle = ORACLE_LOSSES },
		{ .take = hasty_take, .oracle = ORACLE_STRUCTURE },
	};
	unsigned int i;

	for (i = 0; i < COUNT(all); i++) {
		seed = 4; /* a first ring that discards, in which the reader takes in place */
		assert_seen(&all[i], THREADS);
	}
}

TESTS_OF(placed_set_up, placed_tear_down, set_up, NULL, its_reader_says_what_it_did,
	 torn_copies_count_as_nothing, a_flush_tears_no_claim, what_goes_wrong_is_seen)
