// SPDX-License-Identifier: MIT
/* The tails and the shared ring, run for real and briefly: that figures are what they say. */
#include "tests/support/test.h"
#include "base/json.h"
#include "tests/support/placed.h"
#include "workloads/engine/interrupts.h"
#include "workloads/engine/engine.h"
#include "workloads/tails.h"
#include "runner/place/ticks.h"

#define BLOCKS 40

static struct tails_result *run(const char *row, enum tails_regime regime, uint64_t blocks,
				double seconds)
{
	struct tails_result *result = malloc(sizeof(*result));
	struct tails_config config = {
		.driver = driver_find(drivers_timed, row),
		.regime = regime,
		.samples = blocks * FENCED_BLOCK,
		.seconds = seconds,
		.place = &place,
		.pu = plan.pu,
		.has_sender = plan.count > 1,
	};

	assert_non_null(result);
	assert_non_null(config.driver);
	assert_int_equal(tails_run(&config, result), 0);
	assert_string_equal(result->violation, "");
	assert_int_equal((result->clear.count + result->hit.count) % FENCED_BLOCK, 0);
	return result;
}

static void calm_has_no_hits(void **state)
{
	struct tails_result *result = run("extended_header", TAILS_CALM, BLOCKS, 10);

	assert_int_equal(result->clear.count, BLOCKS * FENCED_BLOCK);
	assert_int_equal(result->hit.count, 0);
	assert_int_equal(result->delivered, 0);
	free(result);
}

/* A record costs more than nothing, and two system calls more than a record. */
static void figures_are_in_order(void **state)
{
	struct tails_result *plain, *masked;
	uint64_t fence;

	SKIP_EMULATED();
	plain = run("full_tsc", TAILS_CALM, BLOCKS, 10);
	masked = run("delta_sync_hard", TAILS_CALM, BLOCKS, 10);
	fence = histogram_percentile(&plain->fence, 0.5);
	assert_true(fence > 0);
	assert_true(histogram_percentile(&plain->clear, 0.5) > fence);
	assert_true(histogram_percentile(&masked->clear, 0.5) >
		    2 * histogram_percentile(&plain->clear, 0.5));
	free(plain);
	free(masked);
}

static void storm_hits_are_apart(void **state)
{
	static const char *const rows[] = { "nested_stamps", "delta_sync_hard", "zero_delta" };
	struct tails_result *result;
	unsigned int i;

	SKIP_EMULATED();
	for (i = 0; i < 3; i++) {
		result = run(rows[i], TAILS_STORM, 100000, 0.3);
		assert_true(result->delivered > 100);
		assert_true(result->hit.count > 10);
		assert_true(result->hit.count <= result->delivered);
		/* A handler that records takes longer than a record. */
		assert_true(histogram_percentile(&result->hit, 0.5) >
			    4 * histogram_percentile(&result->clear, 0.5));
		free(result);
	}
}

/* A floor under a storm loses records; that is its need not met, and no violation. */
static void floor_needs_calm(void **state)
{
	struct tails_result *result = run("floor", TAILS_STORM, 100000, 0.2);

	assert_int_equal(result->unmet, NEED_MASKED_INTERRUPTS);
	free(result);
}

/* Each sample waits for its gap, and the wait is no part of the sample. */
static void replay_waits_for_its_gaps(void **state)
{
	static const struct gaps gaps = {
		.name = "some_busy", .buckets = 1, .lo_ns = { 16384 }, .until = { 1 }, .count = 1
	};
	struct tails_result *result = malloc(sizeof(*result));
	struct tails_config config = {
		.driver = driver_find(drivers_timed, "heartbeat_compact"),
		.regime = TAILS_REPLAY,
		.samples = 4 * FENCED_BLOCK,
		.seconds = 10,
		.place = &place,
		.pu = plan.pu,
		.gaps = &gaps,
		.seed = 1,
	};
	json_t *json;

	assert_non_null(result);
	assert_int_equal(tails_run(&config, result), 0);
	assert_string_equal(result->violation, "");
	assert_int_equal(result->clear.count + result->hit.count, 4 * FENCED_BLOCK);
	/* The mean is 16384 / ln 2; a stolen CPU only makes it longer. */
	assert_true(result->seconds > 4 * FENCED_BLOCK * 22e-6);
	assert_true(histogram_percentile(&result->clear, 0.5) < 16e-6 * ticks_hz());
	json = tails_json(&config, result);
	assert_string_equal(json_text(json, "regime"), "replay");
	assert_string_equal(json_text(json, "gaps"), "some_busy");
	json_decref(json);
	free(result);
}

static void json_says_the_same(void **state)
{
	static const struct {
		const char *key;
		double part;
	} shares[] = { { "p50", 0.5 }, { "p99", 0.99 }, { "p999", 0.999 }, { "p9999", 0.9999 } };
	struct tails_result *result = run("floor", TAILS_CALM, BLOCKS, 10);
	struct tails_config config = { .driver = driver_find(drivers_timed, "floor") };
	json_t *json = tails_json(&config, result);

	assert_int_equal(json_integer_value(json_object_get(json, "samples")),
			 BLOCKS * FENCED_BLOCK);
	assert_int_equal(json_integer_value(json_object_get(json, "max")), result->clear.max);
	assert_true(json_is_null(json_object_get(json, "hit_p50")));
	json_decref(json);
	for (uint64_t i = 1; i <= 1000000; i++) /* 1 of n values is n or more */
		histogram_add(&result->clear, 1000000 / i);
	json = tails_json(&config, result);
	for (unsigned int i = 0; i < COUNT(shares); i++)
		assert_int_equal(json_integer_value(json_object_get(json, shares[i].key)),
				 histogram_percentile(&result->clear, shares[i].part));
	json_decref(json);
	/* No figures where an oracle objected. */
	strcpy(result->violation, "time goes back");
	json = tails_json(&config, result);
	assert_true(json_is_null(json_object_get(json, "p50")));
	assert_string_equal(json_text(json, "violation"), "time goes back");
	json_decref(json);
	free(result);
}

static struct engine_config shared;

static struct engine_result *run_shared(const struct driver *driver,
					const struct workload *workload, uint32_t bits)
{
	struct engine_result *result = malloc(sizeof(*result));

	shared = (struct engine_config){
		.driver = driver,
		.workload = workload,
		.seconds = 0.25,
		.levels = 3,
		.threads = 2,
		.bits = bits,
		.seed = 1,
		.shared = true,
		.random_extra = true,
		.extra_bytes = 40,
		.place = &place,
		.pu = plan.pu,
	};

	assert_non_null(result);
	assert_int_equal(engine_run(&shared, result), 0);
	return result;
}

/* On a busy machine one of the two may have had no CPU. */
static bool both_recorded(const struct engine_result *result)
{
	return result->check.by_context[CONTEXT_TASK] > 1000 &&
	       result->check.by_context[CONTEXTS + CONTEXT_TASK] > 1000;
}

/* What they promise with several writers; conservation, structure and counts by the verdict. */
static void writers_share_a_ring(void **state)
{
	struct engine_result *result = NULL;
	unsigned int i, rows = 0, tries;
	enum verdict verdict;

	SKIP_IF(plan.count < 2, "two writers need two CPUs");
	for (i = 0; drivers_checked[i]; i++) {
		if (!drivers_checked[i]->desc->shared_promises)
			continue;
		rows++;
		tries = 0;
		do {
			free(result);
			result = run_shared(drivers_checked[i],
					    i % 2 ? &workload_storm : &workload_threads,
					    i % 2 ? 0 : 16);
		} while (!both_recorded(result) && ++tries < 8);
		assert_true(both_recorded(result));
		verdict = engine_verdict(&shared, result);
		if (verdict != VERDICT_KEPT && verdict != VERDICT_INEXACT &&
		    verdict != VERDICT_NO_PROMISE)
			fail_msg("%s: %s", drivers_checked[i]->row, result->shown);
		assert_int_equal(result->check.by_context[2 * CONTEXTS + CONTEXT_TASK], 0);
	}
	free(result);
#ifdef __x86_64__
	assert_true(rows >= 6);
#endif
}

/* Without LOCK two CPUs break any row: a run that sees nothing has not shared the ring. */
static void unlocked_rows_break(void **state)
{
	const struct driver *unlocked = driver_find(drivers_checked, "full_tsc");
	struct engine_result *result = NULL;
	unsigned int tries = 0;

	SKIP_IF(plan.count < 2, "two writers need two CPUs");
#ifndef __x86_64__
	print_message("skipped: atomics of this machine are of all CPUs\n");
	skip();
#endif
	assert_int_equal(unlocked->desc->shared_promises, 0);
	do { /* on a busy machine they may take turns */
		free(result);
		result = run_shared(unlocked, &workload_threads, 0);
	} while (engine_verdict(&shared, result) != VERDICT_BROKEN && ++tries < 20);
	assert_int_equal(engine_verdict(&shared, result), VERDICT_BROKEN);
	assert_true(result->check.violations[ORACLE_CONSERVATION] > 0);
	free(result);
}

TESTS_OF(placed_set_up, placed_tear_down, NULL, NULL, calm_has_no_hits, figures_are_in_order,
	 storm_hits_are_apart, floor_needs_calm, json_says_the_same, replay_waits_for_its_gaps,
	 writers_share_a_ring, unlocked_rows_break)
