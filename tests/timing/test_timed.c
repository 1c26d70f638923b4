// SPDX-License-Identifier: MIT
/* The storm on the timed build: every row keeps what it promises there, and what is lost is found.
 */
#include "tests/support/test.h"
#include "tests/support/placed.h"
#include "workloads/engine/engine.h"

static struct engine_config config;
static struct engine_result result; /* large */

static void storm(const struct driver *driver, const struct workload *workload, double seconds)
{
	config = (struct engine_config){
		.driver = driver,
		.workload = workload,
		.seconds = seconds,
		.levels = 3,
		.threads = 1,
		.seed = 1,
		.place = &place,
		.pu = plan.pu,
		.has_sender = plan.count > 1 && engine_has_storm(workload),
	};

	assert_int_equal(engine_run(&config, &result), 0);
}

static void every_row_is_kept(void **state)
{
	const struct driver *const *driver;
	enum verdict verdict;
	unsigned int rows = 0, tries;
	uint64_t seen;

	for (driver = drivers_timed; *driver; driver++) {
		if ((*driver)->unsupported())
			continue;
		/* On a busy machine a thread may get nothing of its time. */
		for (tries = 0, seen = 0; tries < 20 && seen < 1000; tries++) {
			storm(*driver, &workload_storm, 0.03 + 0.05 * tries);
			seen = result.check.events + result.voided.events + result.lost;
		}
		assert_true(seen >= 1000);
		verdict = engine_verdict(&config, &result);
		if (verdict != VERDICT_KEPT && verdict != VERDICT_INEXACT &&
		    verdict != VERDICT_NO_PROMISE &&
		    !(verdict == VERDICT_NEED_NOT_MET && (*driver)->desc->needs))
			fail_msg("%s: %s%s\n%s", (*driver)->row, check_verdict_name(verdict),
				 verdict == VERDICT_NOT_EXPLORED ?
					 " (make run-stress searches it)" :
					 "",
				 result.shown);
		rows++;
	}
	assert_true(rows > 0);
}

static const struct driver *sound;

/* What was asked for and is not done: one event in so many, of the loop and of interrupts. */
static void losing_run(void *scheme, struct writer *writer, uint64_t events)
{
	sound->run(scheme, writer, events - (events > 100));
}

static void losing_interrupt(void *scheme, struct writer *writer, unsigned int context)
{
	static unsigned int turn;

	if (++turn % 16)
		sound->interrupt(scheme, writer, context);
}

static void doubling_interrupt(void *scheme, struct writer *writer, unsigned int context)
{
	sound->interrupt(scheme, writer, context);
	sound->interrupt(scheme, writer, context);
}

static void must_object(const struct driver *driver, const struct workload *workload)
{
	unsigned int tries;

	/* Lost or made up has to be found in whatever little is recorded; but not in nothing. */
	for (tries = 1; tries < 20; tries++) {
		storm(driver, workload, 0.1 * tries);
		if (result.check.events > 100000)
			break;
	}
	assert_int_equal(engine_verdict(&config, &result), VERDICT_BROKEN);
	assert_true(result.check.violations[ORACLE_CONSERVATION] > 0);
}

static void what_is_lost_or_made_up_is_found(void **state)
{
	struct driver faulty;

	sound = driver_find(drivers_timed, "packed_word");
	faulty = *sound;
	faulty.run = losing_run;
	must_object(&faulty, &workload_steady);
	must_object(&faulty, &workload_storm);
	faulty.run = sound->run;
	faulty.interrupt = losing_interrupt;
	must_object(&faulty, &workload_storm);
	faulty.interrupt = doubling_interrupt;
	must_object(&faulty, &workload_storm);
}

/* Counts like a sound one, and the ring goes on behind what is not there any more. */
static void flooding_run(void *scheme, struct writer *writer, uint64_t events)
{
	uint64_t entered = writer->entered[CONTEXT_TASK];

	sound->run(scheme, writer, events + 60000);
	writer->entered[CONTEXT_TASK] = entered + events;
}

static void what_is_overwritten_is_found(void **state)
{
	struct driver faulty;

	sound = driver_find(drivers_timed, "full_tsc");
	faulty = *sound;
	faulty.run = flooding_run;
	must_object(&faulty, &workload_steady);
}

TESTS_OF(placed_set_up, placed_tear_down, NULL, NULL, every_row_is_kept,
	 what_is_lost_or_made_up_is_found, what_is_overwritten_is_found)
