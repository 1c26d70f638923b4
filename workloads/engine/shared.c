// SPDX-License-Identifier: MIT
/*
 * Several writers in a ring. All record at once; then all stand at a barrier with their signals
 * blocked, while the first of them drains and judges the rings. Each writer has CONTEXTS contexts
 * of its own in the payloads, so that sequences are checked for each of them.
 *
 * Either all are pinned and write into one ring, which LOCKed rows allow; then the first of them
 * may have a reader beside all (live.h), whose check it is from an epoch's begin to its end.
 * Or they move between CPUs and write into the ring of the CPU that they are on, which restartable
 * sections allow. Then a thread's events lie in several rings, so sequences only have to go up in
 * each; in discard mode, in which nothing is overwritten, all rings together must have held each of
 * them once. Each ring may have a reader, and the thread of its number looks after that one.
 */
#include <string.h>

#include "workloads/engine/live.h"

#define EPOCH_ROUNDS 8

static bool owns(const struct engine_thread *thread, unsigned int ring)
{
	(void)ring;
	return !thread->index;
}

static int drain_nothing(struct engine_thread *thread)
{
	(void)thread;
	return 0;
}

/* All rings of the group empty, of one geometry, and all writers at their start. */
static int rings_begin(struct engine_thread *first)
{
	const struct engine_config *config = first->config;
	struct engine_group *group = first->group;
	struct ring_config geometry = engine_geometry(config, first->pu, &first->random);
	unsigned int i;
	int error = 0;

	for (i = 0; i < group->ring_count && !error; i++) {
		struct engine_ring *ring = &group->rings[i];

		geometry.cpu = config->pu[i];
		error = engine_ring_reset(first, ring, &geometry);
		ring->check.payload_most = config->driver->payload_bytes + config->extra_bytes;
		ring->check.contexts = group->count * CONTEXTS;
	}
	for (i = 0; i < group->count; i++) {
		struct writer *writer = group->threads[i].writer;

		*writer = (struct writer){ .first_context = i * CONTEXTS, .concurrent = true };
		engine_choices(config, &first->random, writer);
	}
	return error;
}

/* Writers whose clocks differ find that the clock goes back, as often as they take turns. */
static struct judge_given given_to(const struct engine_thread *thread)
{
	return (struct judge_given){
		.nested = true,
		.steps = thread->config->clock.skew_ticks > 0,
	};
}

/* The first objection to `ring`, if anything is objected to that it owes with such clocks. */
static void show(struct engine_thread *thread, struct engine_ring *ring)
{
	struct judge_given given = given_to(thread);
	const struct check *check = &ring->check;

	engine_show(
		thread, ring,
		judge_excused(check->desc, judge_unmet(check->desc, check->stamp_bits, &given)));
}

/* ---- one ring ---- */

static int shared_begin(struct engine_thread *thread)
{
	int error;

	thread->scheme = thread->ring->buffer.scheme;
	engine_epoch_begin(thread);
	if (thread->index)
		return 0;
	error = rings_begin(thread);
	return error || !thread->live ? error : engine_live_begin(thread->live);
}

static int shared_drain(struct engine_thread *thread)
{
	struct engine_ring *ring = thread->ring;

	/* A reader that reads while others write needs no rest for it. */
	if (thread->index || thread->live)
		return 0;
	judge_full(buffer_ring(&ring->buffer), ring->lost, &ring->check);
	ring->lost = buffer_ring(&ring->buffer)->lost;
	buffer_drain(&ring->buffer, &ring->check);
	show(thread, ring);
	return 0;
}

/* Any event may have come into any other's reserve: all of them count as nested. */
static void shared_totals(const struct engine_group *group, struct check_totals *totals)
{
	unsigned int i, context;

	*totals = (struct check_totals){ .sequenced = true };
	for (i = 0; i < group->count; i++) {
		const struct writer *writer = group->threads[i].writer;

		for (context = 0; context < CONTEXTS; context++) {
			totals->written[i * CONTEXTS + context] = writer->written[context];
			totals->failed += writer->failed[context];
			totals->nested += writer->entered[context];
		}
		loss_add(&totals->losses, &writer->losses);
	}
}

static int shared_end(struct engine_thread *thread)
{
	struct engine_ring *ring = thread->ring;
	struct judge_given given = given_to(thread);
	struct judgement judgement;
	struct check_totals totals;
	int error;

	if (thread->index)
		return 0;
	error = thread->live ? engine_live_end(thread->live) : 0;
	if (error)
		return error;
	if (thread->live) {
		buffer_drain(&ring->buffer, &ring->check);
		show(thread, ring);
	}
	shared_totals(thread->group, &totals);
	judge_ring(buffer_ring(&ring->buffer), &ring->check, &totals, &given, &judgement);
	engine_book(&thread->result, &ring->check, &judgement);
	engine_book_losses(&thread->result, buffer_ring(&ring->buffer), &totals.losses);
	thread->result.epochs++;
	return 0;
}

const struct spread_ops spread_shared = {
	.owns = owns,
	.begin = shared_begin,
	.drain = shared_drain,
	.end = shared_end,
	.rounds = EPOCH_ROUNDS,
};

/* ---- a ring for each CPU ---- */

/* The rings know each other. */
static int moving_begin(struct engine_thread *thread)
{
	struct engine_group *group = thread->group;
	unsigned int i;
	int error;

	thread->scheme = thread->ring->buffer.scheme;
	engine_epoch_begin(thread);
	if (thread->index)
		return 0;
	error = rings_begin(thread);
	for (i = 0; i < group->ring_count && !error; i++) {
		group->by_cpu[group->config->pu[i]] = group->rings[i].buffer.scheme;
		group->rings[i].check.scattered = true;
	}
	for (i = 0; i < group->ring_count && !error; i++)
		thread->driver->join(group->rings[i].buffer.scheme, group->by_cpu);
	for (i = 0; i < group->count && !error; i++)
		if (group->threads[i].live)
			error = engine_live_begin(group->threads[i].live);
	return error;
}

static struct check_sequences read_of(const struct engine_group *group, unsigned int context)
{
	struct check_sequences sum = { .events = 0 };
	unsigned int i;

	for (i = 0; i < group->ring_count; i++) {
		sum.events += group->rings[i].check.scatter[context].events;
		sum.sum += group->rings[i].check.scatter[context].sum;
	}
	return sum;
}

static bool all_there(struct check_sequences read, uint64_t written)
{
	uint64_t sum = 0, sequence;

	for (sequence = 0; sequence < written; sequence++)
		sum += check_mix_sequence(sequence);
	return read.events == written && read.sum == sum;
}

/* Events read from all rings together, against events that all threads wrote. */
static void judge_all(struct engine_group *group, uint64_t lost)
{
	struct check *check = &group->rings[0].check;
	bool discards = group->rings[0].buffer.config.mode == RING_DISCARD;
	uint64_t failed = 0, written;
	unsigned int i, context;

	for (i = 0; i < group->count; i++)
		for (context = 0; context < CONTEXTS; context++) {
			struct check_sequences read = read_of(group, i * CONTEXTS + context);

			failed += group->threads[i].writer->failed[context];
			written = group->threads[i].writer->written[context];
			if (discards ? !all_there(read, written) : read.events > written)
				check_violate(check, ORACLE_CONSERVATION,
					      "all rings together do not hold what was written", 0,
					      0, 0, NULL);
			check->skipped += written - read.events;
		}
	if (failed != lost)
		check_violate(check, ORACLE_CONSERVATION, "lost events are not those refused", 0, 0,
			      0, NULL);
}

/* Each ring by itself. Why events were lost the threads know, and the first ring is asked. */
static void judge_one(struct engine_thread *first, unsigned int index)
{
	struct engine_group *group = first->group;
	struct engine_ring *ring = &group->rings[index];
	struct check_totals totals = { .sequenced = true };
	struct judge_given given = given_to(first);
	struct judgement judgement;
	unsigned int i;

	for (i = 0; !index && i < group->count; i++)
		loss_add(&totals.losses, &group->threads[i].writer->losses);
	totals.failed = loss_total(&totals.losses);
	judge_ring(buffer_ring(&ring->buffer), &ring->check, &totals, &given, &judgement);
	engine_book(&first->result, &ring->check, &judgement);
	engine_book_losses(&first->result, buffer_ring(&ring->buffer), &totals.losses);
}

/* Its reader is done, and so are its writers: the rest, closed on its own CPU. */
static int moving_rest(struct engine_thread *first, unsigned int index)
{
	struct engine_ring *engine_ring = &first->group->rings[index];
	const struct engine_live *live = first->group->threads[index].live;
	const struct driver *driver = first->driver;
	struct ring *ring = buffer_ring(&engine_ring->buffer);
	uint64_t consumed = ring->consumed, rest;

	if (place_bind_self(first->config->place, first->config->pu[index]))
		return EXIT_RESOURCE;
	if (!live)
		judge_full(ring, 0, &engine_ring->check);
	driver->flush(engine_ring->buffer.scheme);
	rest = driver->drain(engine_ring->buffer.scheme, &engine_ring->check, true) - consumed;
	if (live && ring->mode == RING_DISCARD && ring->lost)
		engine_live_was_behind(live, rest);
	first->result.restarts += driver->restarts(engine_ring->buffer.scheme);
	first->result.moves += driver->moves(engine_ring->buffer.scheme);
	return 0;
}

static int moving_end(struct engine_thread *thread)
{
	struct engine_group *group = thread->group;
	uint64_t lost = 0;
	unsigned int i;
	int error = 0;

	if (thread->index)
		return 0;
	for (i = 0; i < group->count && !error; i++)
		if (group->threads[i].live)
			error = engine_live_end(group->threads[i].live);
	for (i = 0; i < group->ring_count && !error; i++) {
		const struct ring *ring = buffer_ring(&group->rings[i].buffer);

		error = moving_rest(thread, i);
		lost += ring->lost + ring->refused;
	}
	if (error)
		return error;
	judge_all(group, lost);
	for (i = 0; i < group->ring_count; i++) {
		show(thread, &group->rings[i]);
		judge_one(thread, i);
	}
	thread->result.epochs++;
	return 0;
}

const struct spread_ops spread_moving = {
	.owns = owns,
	.begin = moving_begin,
	.drain = drain_nothing,
	.end = moving_end,
	.rounds = 1,
};
