/* SPDX-License-Identifier: MIT */
/* Runs of a workload whose readers take what is written meanwhile, and faults that they must see.
 */
#pragma once

#include "tests/support/counted.h"
#include "tests/support/placed.h"
#include "workloads/live_storm.h"

static struct workload workload;
static struct workload_engine engine; /* of it, to be changed */
static struct engine_config config;
static struct engine_result result; /* large */
static struct driver driver; /* `sound`, or what is made of it */
static uint64_t seed;
static unsigned int turn;

/* Rows of `of` from now on; false: they are not for this machine. */
static bool live_start(const struct workload *of, const char *row)
{
	seed = 1;
	workload = *of;
	engine = *of->engine;
	workload.engine = &engine;
	sound = driver_find(drivers_checked, row);
	assert_non_null(sound);
	driver = *sound;
	return plan.count > 1 && engine.takes(sound) && !sound->unsupported();
}

static void live_run(unsigned int threads, double seconds, uint32_t extra_bytes)
{
	unsigned int tries = 0;
	double load = 0;
	int status;

	config = (struct engine_config){
		.workload = &workload,
		.driver = &driver,
		.seconds = seconds,
		.levels = 3,
		.threads = threads,
		.bits = 16,
		.extra_bytes = extra_bytes,
		.cpus = plan.count,
		.seed = seed,
		.place = &place,
		.pu = plan.pu,
	};
	/* On a busy machine the reader may not run at all while it is written. */
	do
		status = engine_run(&config, &result);
	while (status == EXIT_RESOURCE && ++tries < 10);
	SKIP_IF(status == EXIT_RESOURCE && getloadavg(&load, 1) == 1 && load > plan.count,
		"the machine was busy: the reader never ran meanwhile");
	assert_int_equal(status, 0);
}

static void assert_kept(void)
{
	if (engine_verdict(&config, &result) != VERDICT_KEPT)
		fail_msg("%s: %s", driver.row, result.shown);
}

static const struct live_result *reader(void)
{
	return (const void *)result.own;
}

static bool now_and_then(void)
{
	return __atomic_add_fetch(&turn, 1, __ATOMIC_RELAXED) % 64 == 0;
}

/* As if one event in so many had found no room, and nobody had counted it. */
static void losing_run(void *scheme, struct writer *writer, uint64_t events)
{
	sound->run(scheme, writer, events);
	if (now_and_then())
		writer->written[CONTEXT_TASK]++;
}

struct live_fault {
	void (*run)(void *scheme, struct writer *writer, uint64_t events);
	void (*take)(void *scheme, struct check *check);
	enum oracle oracle; /* that objects */
};

/* Not in every geometry, nor beside others at work: in one of some runs. */
static void assert_seen(const struct live_fault *fault, unsigned int threads)
{
	unsigned int tries;

	driver = *sound;
	if (fault->run)
		driver.run = fault->run;
	if (fault->take)
		driver.take = fault->take;
	turn = 0;
	for (tries = 0; tries < 32; tries++, seed++) {
		live_run(threads, 0.2, 0);
		if (result.check.violations[fault->oracle])
			break;
	}
	if (!result.check.violations[fault->oracle])
		fail_msg("%s: a fault for oracle %d was not seen in %u turns", driver.row,
			 (int)fault->oracle, turn);
	assert_int_equal(engine_verdict(&config, &result), VERDICT_BROKEN);
}
