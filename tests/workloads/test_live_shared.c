// SPDX-License-Identifier: MIT
/* A reader beside writers of two CPUs in one ring: what it takes, and what is missed if it errs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/counted.h"
#include "tests/support/placed.h"
#include "workloads/engine_live.h"

#define LARGE_BYTES 4000 /* of payload, so that a ring is lapped while the reader copies */

static struct workload workload;
static struct workload_engine engine;
static struct engine_config config;
static struct engine_result result; /* large */
static struct driver driver;
static uint64_t seed;

static void use(const char *row)
{
	sound = driver_find(drivers_checked, row);
	assert_non_null(sound);
	driver = *sound;
}

static void run(double seconds, uint32_t extra_bytes)
{
	config = (struct engine_config){
		.workload = &workload,
		.driver = &driver,
		.seconds = seconds,
		.levels = 3,
		.threads = 2,
		.bits = 16,
		.extra_bytes = extra_bytes,
		.cpus = plan.count,
		.seed = seed,
		.place = &place,
		.pu = plan.pu,
	};
	assert_int_equal(engine_run(&config, &result), 0);
}

static void assert_kept(void)
{
	if (engine_verdict(&config, &result) != VERDICT_KEPT)
		fail_msg("%s: %s", driver.row, result.shown);
}

static int set_up(void **state)
{
	(void)state;
	seed = 1;
	workload = workload_live_shared;
	engine = *workload_live_shared.engine;
	workload.engine = &engine;
	use("full_tsc_locked_fenced");
	if (plan.count < 2 || !engine.takes(&driver)) {
		print_message("skipped: writers of two CPUs in a ring take those, and x86-64\n");
		return 1;
	}
	return 0;
}

static const struct live_result *reader(void)
{
	return (const void *)result.own;
}

/* Of both writers, in epochs in which it polls and sleeps, and each loss with its reason. */
static void its_reader_says_what_it_did(void **state)
{
	(void)state;
	use("packed_word_locked_fenced");
	count_for(&driver);
	run(0.65, 0);
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

	(void)state;
	engine.overwrites = true;
	use("extended_header_locked_fenced");
	/* In a large ring beside others at work there may be none. */
	for (seed = 1; seed <= 6 && !(torn && subbufs); seed++) {
		run(0.2, LARGE_BYTES);
		assert_kept();
		torn += reader()->torn;
		subbufs += reader()->subbufs;
	}
	assert_true(torn > 0);
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

	(void)state;
	for (i = 0; i < 2; i++) {
		use(rows[i]);
		driver.interrupt = flushing_interrupt;
		run(0.25, 0);
		/* Only the engine's own flushes are known to the oracle of sizes. */
		assert_int_equal(result.check.violations[ORACLE_CONSERVATION], 0);
		assert_int_equal(result.check.violations[ORACLE_STRUCTURE], 0);
		assert_int_equal(result.check.violations[ORACLE_MONOTONIC], 0);
	}
}

static unsigned int turn;

/* As if one event in so many had found no room, and nobody had counted it. */
static void losing_run(void *scheme, struct writer *writer, uint64_t events)
{
	sound->run(scheme, writer, events);
	if (__atomic_add_fetch(&turn, 1, __ATOMIC_RELAXED) % 64 == 0)
		writer->written[CONTEXT_TASK]++;
}

static void refused_run(void *scheme, struct writer *writer, uint64_t events)
{
	struct ring *ring = scheme;

	sound->run(scheme, writer, events);
	if (__atomic_add_fetch(&turn, 1, __ATOMIC_RELAXED) % 64)
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
	static const struct {
		void (*run)(void *scheme, struct writer *writer, uint64_t events);
		void (*take)(void *scheme, struct check *check);
		enum oracle oracle;
	} all[] = {
		{ .run = losing_run, .oracle = ORACLE_CONSERVATION },
		{ .run = refused_run, .oracle = ORACLE_LOSSES },
		{ .take = hasty_take, .oracle = ORACLE_STRUCTURE },
	};
	unsigned int i, tries;

	(void)state;
	seed = 4; /* a first ring that discards, in which the reader takes in place */
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		use("full_tsc_locked_fenced");
		if (all[i].run)
			driver.run = all[i].run;
		if (all[i].take)
			driver.take = all[i].take;
		turn = 0;
		/* Beside others at work a run may be too short for it. */
		for (tries = 0; tries < 8; tries++) {
			run(0.2, 0);
			if (engine_verdict(&config, &result) == VERDICT_BROKEN)
				break;
		}
		assert_int_equal(engine_verdict(&config, &result), VERDICT_BROKEN);
		assert_true(result.check.violations[all[i].oracle] > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(its_reader_says_what_it_did, set_up),
		cmocka_unit_test_setup(torn_copies_count_as_nothing, set_up),
		cmocka_unit_test_setup(a_flush_tears_no_claim, set_up),
		cmocka_unit_test_setup(what_goes_wrong_is_seen, set_up),
	};

	return cmocka_run_group_tests(tests, placed_set_up, placed_tear_down);
}
