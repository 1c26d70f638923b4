// SPDX-License-Identifier: MIT
/* Readers beside threads that move from ring to ring: what they take, and what is missed. */
#include "tests/support/test.h"

#include <time.h>

#include "runner/place/place.h"
#include "tests/support/live_run.h"

static int set_up(void **state)
{
	if (!live_start(&workload_live_migrate, "restartable")) {
		print_message("skipped: threads move between two CPUs by rseq\n");
		return 1;
	}
	return 0;
}

/* Of both rings, in epochs in which they poll and sleep, and each loss with its reason. */
static void its_readers_say_what_they_did(void **state)
{
	unsigned int i;

	count_for(&driver);
	live_run(CHECK_WRITERS_MAX, 0.65, 0);
	assert_kept();
	assert_true(result.epochs >= 2);
	for (i = 0; i < config.threads; i++)
		assert_true(result.check.by_context[i * CONTEXTS + CONTEXT_TASK] > 0);
	assert_true(result.moves > 0);
	assert_true(decoded > 0);
	assert_int_equal(reader()->events, decoded);
	assert_int_equal(reader()->subbufs, taken);
	/* One more of each ring behind each epoch. */
	assert_int_equal(reader()->flushes + result.epochs * plan.count, flushed);
	assert_true(reader()->flushes > 0);
	assert_true(reader()->sleeps > 0);
	assert_int_equal(loss_total(&result.losses), result.lost + result.refused + result.stuck);
}

/* As if an event had been refused, which mostly finds room. */
static void refused_run(void *scheme, struct writer *writer, uint64_t events)
{
	struct ring *ring = scheme;
	struct loss_look before;

	sound->run(scheme, writer, events);
	if (ring->mode != RING_DISCARD || !now_and_then())
		return;
	before = loss_look(ring);
	__atomic_add_fetch(&ring->lost, 1, __ATOMIC_RELAXED);
	writer->failed[CONTEXT_TASK]++;
	writer->losses.of[loss_reason(ring, before, 0, LOSS_CONCURRENT, 0)]++;
}

/* A ring that is hardly written says now and then that it was full. */
static void excused_run(void *scheme, struct writer *writer, uint64_t events)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	struct ring *ring = scheme;

	sound->run(scheme, writer, 2);
	nanosleep(&pause, NULL);
	if (ring->mode != RING_DISCARD || !now_and_then())
		return;
	__atomic_add_fetch(&ring->lost, 1, __ATOMIC_RELAXED);
	writer->failed[CONTEXT_TASK]++;
	writer->losses.of[LOSS_FULL]++;
}

/* It judges what it takes twice. */
static void double_take(void *scheme, struct check *check)
{
	if (((struct ring *)scheme)->mode == RING_DISCARD && now_and_then())
		sound->drain(scheme, check, false);
	sound->take(scheme, check);
}

static void what_goes_wrong_is_seen(void **state)
{
	static const struct live_fault all[] = {
		{ .run = losing_run, .oracle = ORACLE_CONSERVATION },
		{ .run = refused_run, .oracle = ORACLE_LOSSES },
		{ .run = excused_run, .oracle = ORACLE_LOSSES },
		{ .take = double_take, .oracle = ORACLE_CONSERVATION },
	};
	unsigned int i;

	for (i = 0; i < COUNT(all); i++)
		assert_seen(&all[i], CHECK_WRITERS_MAX);
}

/* A handler that closes what is half full may find its thread on another CPU: it must come back. */
static void another_cpus_ring_stays_open(void **state)
{
	struct ring_config geometry = buffer_config(sound, 12, 2);
	struct buffer buffers[2];
	void *by_cpu[CPU_NUMBER_MAX + 1] = { NULL };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		geometry.cpu = plan.pu[i];
		assert_int_equal(buffer_open(&buffers[i], sound, &geometry), 0);
		by_cpu[plan.pu[i]] = buffers[i].scheme;
	}
	for (i = 0; i < 2; i++)
		sound->join(buffers[i].scheme, by_cpu);
	assert_int_equal(place_bind_self(&place, plan.pu[0]), 0);
	sound->run(buffers[0].scheme, &buffers[0].writer, 3);
	assert_int_equal(place_bind_self(&place, plan.pu[1]), 0);
	sound->flush(buffers[0].scheme);
	assert_int_equal(buffer_ring(&buffers[0])->flush_stamp, 0);
	assert_true(sound->moves(buffers[0].scheme) > 0);
	assert_int_equal(place_bind_self(&place, plan.pu[0]), 0);
	sound->flush(buffers[0].scheme);
	assert_true(buffer_ring(&buffers[0])->flush_stamp > 0);
	for (i = 0; i < 2; i++)
		buffer_close(&buffers[i]);
}

TESTS_OF(placed_set_up, placed_tear_down, set_up, NULL, another_cpus_ring_stays_open,
	 its_readers_say_what_they_did, what_goes_wrong_is_seen)
