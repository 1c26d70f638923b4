// SPDX-License-Identifier: MIT
/* The table of workloads, the contract that each keeps, and a run of one by the engine. */
#include "tests/support/test.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/counted.h"
#include "tests/support/placed.h"
#include "base/rng.h"
#include "base/time.h"
#include "schemes/core/clock.h"
#include "tests/support/scratch.h"
#include "workloads/engine/engine.h"
#include "workloads/workload.h"

/* Vigna's splitmix64 from 1234567, and Marsaglia's xorshift64 (13, 7, 17) from 1. */
static void random_numbers_are_the_published_ones(void **state)
{
	uint64_t split = 1234567, shift = 1, stream, other;

	assert_true(rng_split(&split) == UINT64_C(6457827717110365317));
	assert_true(rng_split(&split) == UINT64_C(3203168211198807973));
	assert_true(rng_split(&split) == UINT64_C(9817491932198370423));
	assert_true(rng_next(&shift) == UINT64_C(1082269761));
	assert_true(rng_next(&shift) == UINT64_C(1152992998833853505));
	/* No seed gives the state that xorshift never leaves. */
	assert_true(rng_seed(UINT64_MAX, 0) != 0);
	stream = rng_seed(1, 0);
	other = rng_seed(1, 1);
	assert_true(rng_next(&stream) != rng_next(&other));
}

static void every_workload_keeps_the_contract(void **state)
{
	const struct workload *workload;
	char path[64];
	unsigned int i, j;

	for (i = 0; workloads[i]; i++) {
		workload = workloads[i];
		assert_int_equal(workload_index(workload), i);
		for (j = 0; j < i; j++)
			assert_string_not_equal(workload->name, workloads[j]->name);
		assert_true(workload->engine || workload_benched(workload));
		/* Who asks run-stress for it is told where it is. */
		assert_true(!workload->text || workload->engine || workload->instead);
		assert_true(!workload->forms->section || workload->engine);
		assert_true(!workload->in_table || workload->cells);
		if (workload->plot) {
			snprintf(path, sizeof(path), "plots/%s.gp", workload->plot);
			if (access(path, R_OK))
				fail_msg("%s: no %s", workload->name, path);
		}
		if (!workload->engine)
			continue;
		assert_true(workload->engine->run || workload->engine->record);
		assert_true(!workload->engine->takes == !workload->engine->left_out);
	}
}

static unsigned int chosen_of(const char *list, enum workload_size size, bool *chosen)
{
	unsigned int i, count = 0;

	assert_true(workload_choose(list, size, chosen));
	for (i = 0; workloads[i]; i++)
		count += chosen[i];
	return count;
}

static void lists_choose_workloads(void **state)
{
	bool chosen[WORKLOADS_MAX];
	unsigned int quick, standard, full;

	quick = chosen_of(NULL, SIZE_QUICK, chosen);
	assert_true(chosen[workload_index(&workload_steady)]);
	assert_false(chosen[workload_index(&workload_tails)]);
	assert_false(chosen[workload_index(&workload_bursts)]);
	standard = chosen_of(" ,", SIZE_STANDARD, chosen);
	assert_true(chosen[workload_index(&workload_tails)]);
	assert_true(chosen[workload_index(&workload_replay)]);
	full = chosen_of("", SIZE_FULL, chosen);
	assert_true(chosen[workload_index(&workload_live)]);
	assert_false(chosen[workload_index(&workload_migrate)]);
	assert_true(quick < standard && standard < full);
	/* Those named and no other, and what the user does not name. */
	assert_int_equal(chosen_of("bursts", SIZE_QUICK, chosen), 1);
	assert_true(chosen[workload_index(&workload_bursts)]);
	assert_int_equal(chosen_of("stall, migrate", SIZE_STANDARD, chosen), 3);
	assert_true(chosen[workload_index(&workload_migrate)]);
	assert_true(chosen[workload_index(&workload_tails)]);
}

/* ---- the engine ---- */

static uint32_t bits; /* of the short field in run(); 0: as usual */
static double seconds = 0.3;
static struct engine_config config;
static struct engine_result result; /* large */

static void run(const struct workload *workload, const struct driver *driver, unsigned int threads)
{
	config = (struct engine_config){
		.workload = workload,
		.driver = driver,
		.seconds = seconds,
		.levels = 3,
		.threads = threads,
		.bits = bits,
		.cpus = plan.count,
		.seed = 1,
		.place = &place,
		.pu = plan.pu,
		.has_sender = threads == 1 && plan.count > 1 && engine_has_storm(workload),
	};
	assert_int_equal(engine_run(&config, &result), 0);
}

/* 64 events and a millisecond: whole bursts but for the last one of a round. */
static void bursts_come_in_bursts(void **state)
{
	json_t *json;
	json_int_t waits;
	unsigned int tries = 0;

	do { /* few, if the writer gets no CPU */
		run(&workload_bursts, driver_find(drivers_checked, "full_tsc"), 1);
		assert_int_equal(engine_verdict(&config, &result), VERDICT_KEPT);
		json = engine_json(&config, &result);
		waits = json_integer_value(json_object_get(json, "waits"));
		json_decref(json);
		assert_true((double)waits <= 10 + 1000 * result.seconds);
	} while (waits < 10 && ++tries < 8);
	assert_true(waits >= 10);
	assert_true(result.check.events + result.check.skipped + result.lost <=
		    64 * (uint64_t)waits);
	assert_true(result.check.events + result.check.skipped + result.lost >
		    32 * (uint64_t)waits);
}

static unsigned int turn;

/*
 * One event in so many is not recorded, though the writer says so. Of every second run, for on a
 * slow machine few come: five before the first that is judged, by which an engine finds its pace.
 */
static void losing_run(void *scheme, struct writer *writer, uint64_t events)
{
	sound->run(scheme, writer, events);
	if (++turn % 2 == 0)
		writer->written[CONTEXT_TASK]++;
}

/* Whoever was put off comes again at once. */
static void insistent_interrupt(void *scheme, struct writer *writer, unsigned int context)
{
	uint64_t deferred = writer->deferred;

	sound->interrupt(scheme, writer, context);
	if (writer->deferred != deferred)
		interrupts_send((pid_t)syscall(SYS_gettid), 1);
}

/* A storm of such interrupts pauses, and the row keeps what it promises. */
static void run_hunted(const char *row,
		       void (*by)(void *scheme, struct writer *writer, unsigned int context))
{
	struct driver hunted;

	sound = driver_find(drivers_checked, row);
	hunted = *sound;
	hunted.interrupt = by;
	alarm(60);
	run(&workload_storm, &hunted, 1);
	alarm(0);
	assert_int_equal(engine_verdict(&config, &result), VERDICT_KEPT);
	assert_true(result.pauses > 0);
}

/* Interrupts that come faster than a masked writer makes good: its round ends all the same. */
static void a_storm_that_is_too_much_pauses(void **state)
{
	run_hunted("varint_delta", insistent_interrupt);
	assert_true(result.deferred > 0);
	assert_true(result.check.events > result.pauses);
}

/* Takes longer than the next one takes to come. */
static void slow_interrupt(void *scheme, struct writer *writer, unsigned int context)
{
	uint64_t end = time_ns() + 200000;

	while (time_ns() < end)
		;
	sound->interrupt(scheme, writer, context);
}

/* A writer that gets nothing beside the storm, but for what it records after its time. */
static void a_writer_that_starves_ends(void **state)
{
	run_hunted("full_tsc", slow_interrupt);
	assert_true(result.seconds < config.seconds + 20);
}

/* Whatever the spread, what is not in the rings is missed. */
static void what_is_not_there_is_missed(void **state)
{
	static const struct workload *const all[] = { &workload_steady, &workload_storm,
						      &workload_bursts, &workload_stall,
						      &workload_live };
	struct driver faulty;
	unsigned int i;

	sound = driver_find(drivers_checked, "extended_header");
	faulty = *sound;
	faulty.run = losing_run;
	for (i = 0; i < COUNT(all); i++) {
		if (all[i]->engine->two_cpus && plan.count < 2)
			continue;
		turn = 0;
		run(all[i], &faulty, 1);
		if (engine_verdict(&config, &result) != VERDICT_BROKEN)
			fail_msg("%s: %u runs, a lost event was not missed", all[i]->name, turn);
		assert_true(result.check.violations[ORACLE_CONSERVATION] > 0);
	}
}

/* The same where writers move between rings, and all of them together have to hold it. */
static void what_no_ring_holds_is_missed(void **state)
{
	struct driver faulty;

	sound = driver_find(drivers_checked, "restartable");
	SKIP_IF(sound->unsupported(), "%s", sound->unsupported());
	run(&workload_migrate, sound, 3);
	assert_int_equal(engine_verdict(&config, &result), VERDICT_KEPT);
	assert_true(result.epochs > 0);
	faulty = *sound;
	faulty.run = losing_run;
	run(&workload_migrate, &faulty, 3);
	assert_int_equal(engine_verdict(&config, &result), VERDICT_BROKEN);
	assert_true(result.check.violations[ORACLE_CONSERVATION] > 0);
}

/* As if the thread had lost its CPU for more than a wrap, before anything was recorded. */
static void late_init(void *scheme, const struct ring_config *ring, uint8_t *base,
		      struct subbuf *subbufs, struct writer *writer)
{
	uint64_t begin = clock_real();

	sound->init(scheme, ring, base, subbufs, writer);
	while (clock_real() - begin < UINT64_C(3) << (bits - 1))
		;
}

/* The time without a beat begins with the ring, and explains what it loses. */
static void a_late_first_event_is_explained(void **state)
{
	static const struct {
		const struct workload *workload;
		uint32_t bits;
	} all[] = { { &workload_late_beat, 20 }, { &workload_steady, 27 } };
	struct driver late;
	unsigned int i;

	sound = driver_find(drivers_checked, "heartbeat_compact");
	late = *sound;
	late.init = late_init;
	for (i = 0; i < COUNT(all); i++) {
		bits = all[i].bits;
		run(all[i].workload, &late, 1);
		if (engine_verdict(&config, &result) != VERDICT_NEED_NOT_MET)
			fail_msg("%s: %s", all[i].workload->name, result.shown);
		assert_int_equal(result.unmet, NEED_BEAT);
		assert_int_equal(result.void_epochs, result.epochs);
	}
	bits = 0;
}

static uint64_t of_reader(const json_t *json, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(json_object_get(json, "live"), key));
}

/* What the reader beside a writer says is of all epochs, whether it polls or sleeps there. */
static void a_reader_says_what_it_did(void **state)
{
	struct engine_result nothing = { .epochs = 2, .void_epochs = 1 };
	struct driver counted;
	json_t *json;

	assert_non_null(workload_live.engine->in_vain(&config, &nothing));
	nothing.void_epochs = 2;
	assert_null(workload_live.engine->in_vain(&config, &nothing));
	SKIP_IF(plan.count < 2, "live takes two CPUs");
	sound = driver_find(drivers_checked, "full_tsc");
	counted = *sound;
	count_for(&counted);
	seconds = 1;
	run(&workload_live, &counted, 1);
	seconds = 0.3;
	assert_int_equal(engine_verdict(&config, &result), VERDICT_KEPT);
	assert_true(result.epochs >= 2);
	json = json_object();
	workload_live.engine->json(json, &config, &result);
	assert_int_equal(of_reader(json, "events"), decoded);
	assert_int_equal(of_reader(json, "subbufs"), taken);
	/* Two more behind each epoch, its own drain and the judge's; else one in two milliseconds.
	 */
	assert_int_equal(of_reader(json, "flushes") + 2 * result.epochs, flushed);
	assert_true(of_reader(json, "flushes") > 0);
	assert_true((double)of_reader(json, "flushes") <= result.seconds * 500);
	assert_true(result.check.closed_by_flush >= of_reader(json, "flushes"));
	assert_true(result.check.closed_by_flush <= flushed);
	assert_true(of_reader(json, "looks") > 0);
	assert_true(of_reader(json, "sleeps") > 0);
	assert_true(of_reader(json, "wakes") > 0);
	json_decref(json);
}

TESTS_OF(placed_set_up, placed_tear_down, NULL, NULL, random_numbers_are_the_published_ones,
	 every_workload_keeps_the_contract, lists_choose_workloads, bursts_come_in_bursts,
	 a_storm_that_is_too_much_pauses, a_writer_that_starves_ends, what_is_not_there_is_missed,
	 what_no_ring_holds_is_missed, a_late_first_event_is_explained, a_reader_says_what_it_did)
