// SPDX-License-Identifier: MIT
/*
 * Threads that move between CPUs and record into the ring of the CPU that they are on: what
 * restartable sections allow. There are more threads than CPUs, so they also preempt each other, and
 * each has interrupts of its own.
 *
 * Rounds are in step. All record, in short stretches, and between some of them move one of the
 * threads, which may be in the middle of a section, to another CPU; then all stand at a barrier with
 * their signals blocked while the first drains each ring on its own CPU. A thread's events lie in several rings, so sequences only have to go up in each; in
 * discard mode, in which nothing is overwritten, all rings together must hold each of them once.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "place/place_internal.h"
#include "workloads/stress_thread.h"
#include "place/ticks.h"

#define MIGRATE_CPUS 2
#define STRETCH_EVENTS 300

struct migrate;

struct mover {
	pthread_t thread;
	struct migrate *migrate;
	unsigned int index;
	struct writer writer;
	struct interrupts interrupts;
	uint64_t random;
	uint64_t hops; /* moves of any thread that it asked for */
	uint64_t recording_ns;
	void *scheme; /* of the CPU that it was on when its stretch began */
	int error;
} __attribute__((aligned(64)));

/* Which sequences of a context are there: how many, and a sum that tells any two sets apart. */
struct seen {
	uint64_t events;
	uint64_t hash;
};

struct migrate {
	const struct stress_config *config;
	struct stress_result *result;
	struct mover *movers;
	struct buffer buffer[MIGRATE_CPUS];
	struct check check[MIGRATE_CPUS];
	void *by_cpu[CPU_NUMBER_MAX + 1];
	struct seen seen[CHECK_CONTEXTS];
	pthread_barrier_t barrier;
	uint64_t random;
	uint64_t deadline;
	uint64_t events; /* of each thread in the next round */
	enum ring_mode mode;
	bool recorded; /* a round has */
	bool stop;
};

static uint64_t mix(uint64_t value)
{
	value = (value + 1) * 0x9e3779b97f4a7c15u;
	value = (value ^ value >> 31) * 0xbf58476d1ce4e5b9u;
	return value ^ value >> 29;
}

static void handle_interrupt(void *arg, unsigned int source)
{
	struct mover *mover = arg;
	uint64_t events;

	for (events = storm_events(mover->interrupts.delivered[source]); events; events--)
		mover->migrate->config->driver->interrupt(mover->scheme, &mover->writer,
							  CONTEXT_LEVEL_1 + source - 1);
}

/* Empty rings of one geometry, which know each other. */
static int rings_reset(struct migrate *migrate)
{
	const struct stress_config *config = migrate->config;
	struct ring_config ring = stress_geometry(config, config->pu[0], &migrate->random);
	unsigned int i;

	migrate->mode = ring.mode;
	memset(migrate->seen, 0, sizeof(migrate->seen));
	for (i = 0; i < config->cpus; i++) {
		ring.cpu = config->pu[i];
		if (buffer_reset(&migrate->buffer[i], &ring)) {
			fprintf(stderr, "stampede: ring geometry larger than its memory\n");
			return EXIT_USAGE;
		}
		migrate->by_cpu[config->pu[i]] = migrate->buffer[i].scheme;
		config->driver->join(migrate->buffer[i].scheme, migrate->by_cpu);
		buffer_check(&migrate->buffer[i], &migrate->check[i]);
		migrate->check[i].payload_most = config->driver->payload_bytes + config->extra_bytes;
		migrate->check[i].contexts = config->threads * CONTEXTS;
		migrate->check[i].scattered = true;
	}
	for (i = 0; i < config->threads; i++) {
		migrate->movers[i].writer = (struct writer){ .first_context = i * CONTEXTS,
							     .concurrent = true };
		stress_choices(config, &migrate->random, &migrate->movers[i].writer);
	}
	migrate->events = stress_round_events(config, buffer_ring(&migrate->buffer[0]),
					      &migrate->random) * config->cpus / config->threads + 1;
	return 0;
}

static void see(void *arg, const struct event *event)
{
	struct migrate *migrate = arg;
	struct check_payload payload;
	unsigned int context;

	if (event->payload_bytes < sizeof(payload))
		return;
	memcpy(&payload, event->payload, sizeof(payload));
	context = check_tag_context(payload.tag);
	if (context >= CHECK_CONTEXTS)
		return;
	migrate->seen[context].events++;
	migrate->seen[context].hash += mix(check_tag_sequence(payload.tag));
}

/* What all rings together hold against what all threads wrote. */
static void judge_all(struct migrate *migrate, uint64_t lost)
{
	const struct stress_config *config = migrate->config;
	uint64_t failed = 0, expected, sequence;
	struct check *check = &migrate->check[0];
	unsigned int i, context;

	for (i = 0; i < config->threads; i++) {
		const struct writer *writer = &migrate->movers[i].writer;

		for (context = 0; context < CONTEXTS; context++) {
			const struct seen *seen = &migrate->seen[i * CONTEXTS + context];

			failed += writer->failed[context];
			expected = 0;
			for (sequence = 0; sequence < writer->written[context]; sequence++)
				expected += mix(sequence);
			if (migrate->mode == RING_DISCARD ?
				    seen->events != writer->written[context] || seen->hash != expected :
				    seen->events > writer->written[context])
				check_violate(check, ORACLE_CONSERVATION,
					      "all rings together do not hold what was written", 0, 0,
					      0, NULL);
			check->skipped += writer->written[context] - seen->events;
		}
	}
	if (failed != lost)
		check_violate(check, ORACLE_CONSERVATION, "lost events are not those refused", 0, 0,
			      0, NULL);
}

/* Each ring by itself. Why events were lost the threads know, and the first ring is asked. */
static void judge_one(struct migrate *migrate, unsigned int index)
{
	struct check_totals totals = { .sequenced = true };
	struct judge_given given = { .nested = true };
	struct judgement judgement;
	unsigned int i;

	for (i = 0; !index && i < migrate->config->threads; i++)
		loss_add(&totals.losses, &migrate->movers[i].writer.losses);
	totals.failed = loss_total(&totals.losses);
	judge_ring(buffer_ring(&migrate->buffer[index]), &migrate->check[index], &totals, &given,
		   &judgement);
	stress_book(migrate->result, &migrate->check[index], &judgement);
	loss_add(&migrate->result->losses, &totals.losses);
}

/* By the first thread, with all others at the barrier: each ring is closed on its own CPU. */
static int rings_judge(struct migrate *migrate)
{
	const struct stress_config *config = migrate->config;
	const struct driver *driver = config->driver;
	struct stress_result *result = migrate->result;
	uint64_t lost = 0;
	unsigned int i;

	for (i = 0; i < config->cpus; i++) {
		struct buffer *buffer = &migrate->buffer[i];
		const struct ring *ring = buffer_ring(buffer);

		if (place_bind_self(config->place, config->pu[i]))
			return EXIT_RESOURCE;
		judge_full(ring, 0, &migrate->check[i]);
		driver->flush(buffer->scheme);
		driver->drain(buffer->scheme, &migrate->check[i], false);
		driver->walk(buffer->scheme, see, migrate);
		result->restarts += driver->restarts(buffer->scheme);
		result->moves += driver->moves(buffer->scheme);
		lost += ring->lost + ring->refused;
		result->lost += ring->lost;
		result->refused += ring->refused;
	}
	judge_all(migrate, lost);
	for (i = 0; i < config->cpus; i++) {
		if (!result->shown[0])
			stress_show(&migrate->buffer[i], &migrate->check[i], 0, result->shown,
				    sizeof(result->shown));
		judge_one(migrate, i);
	}
	result->epochs++;
	return 0;
}

static void next_round(struct migrate *migrate)
{
	int error = 0;

	if (migrate->recorded)
		error = rings_judge(migrate);
	migrate->stop = migrate->stop || error || stress_stop || time_ns() >= migrate->deadline;
	if (!migrate->stop)
		error = rings_reset(migrate);
	migrate->recorded = true;
	migrate->movers[0].error = error;
	migrate->stop = migrate->stop || error;
}

/* Moves some thread to some CPU, wherever it stands. */
static int hop(struct mover *mover)
{
	struct migrate *migrate = mover->migrate;
	const struct stress_config *config = migrate->config;
	uint64_t random = stress_random(&mover->random);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(config->pu[(random >> 16) % config->cpus], &set);
	if (sched_setaffinity(migrate->movers[(random >> 32) % config->threads].interrupts.tid,
			      sizeof(set), &set)) {
		perror("stampede: cannot move a thread to another CPU");
		return EXIT_RESOURCE;
	}
	mover->hops++;
	return 0;
}

/* In short stretches, some of them behind a move. */
static int record_round(struct mover *mover)
{
	struct migrate *migrate = mover->migrate;
	const struct stress_config *config = migrate->config;
	uint64_t left = migrate->events, some, begin = time_ns();

	interrupts_unblock_storm();
	for (; left; left -= some) {
		some = left < STRETCH_EVENTS ? left : STRETCH_EVENTS;
		if (stress_random(&mover->random) % 4 == 0 && hop(mover))
			return EXIT_RESOURCE;
		/* It may be on another CPU at once: the section finds out, and the scheme goes on. */
		mover->scheme = migrate->by_cpu[sched_getcpu()];
		config->driver->run(mover->scheme, &mover->writer, some);
	}
	interrupts_block_storm();
	mover->recording_ns += time_ns() - begin;
	return 0;
}

static int start_timers(struct mover *mover)
{
	const struct stress_config *config = mover->migrate->config;
	unsigned int level;

	for (level = 1; level <= config->levels; level++)
		if (interrupts_timer(&mover->interrupts, level,
				     (uint64_t)((STORM_TIMER_ONLY_NS + 7000u * level) *
						STORM_STRETCH * config->threads / config->cpus),
				     false))
			return EXIT_RESOURCE;
	return 0;
}

static void *mover_main(void *arg)
{
	struct mover *mover = arg;
	struct migrate *migrate = mover->migrate;
	const struct stress_config *config = migrate->config;

	mover->scheme = migrate->buffer[0].scheme;
	if (place_bind_self(config->place, config->pu[mover->index % config->cpus]))
		mover->error = EXIT_RESOURCE;
	interrupts_attach(&mover->interrupts);
	if (!mover->error)
		mover->error = start_timers(mover);
	/* All come here, also those that failed, so that none waits for ever. */
	if (mover->error)
		__atomic_store_n(&migrate->stop, true, __ATOMIC_RELEASE);
	pthread_barrier_wait(&migrate->barrier);
	for (;;) {
		if (!mover->index)
			next_round(migrate);
		pthread_barrier_wait(&migrate->barrier);
		if (migrate->stop)
			break;
		if (!mover->error)
			mover->error = record_round(mover);
		if (mover->error)
			__atomic_store_n(&migrate->stop, true, __ATOMIC_RELEASE);
		pthread_barrier_wait(&migrate->barrier);
	}
	interrupts_detach(&mover->interrupts);
	return NULL;
}

static int summarise(struct migrate *migrate, uint64_t begin)
{
	struct stress_result *result = migrate->result;
	unsigned int i, source, threads = migrate->config->threads;
	int error = 0;

	for (i = 0; i < threads; i++) {
		const struct mover *mover = &migrate->movers[i];

		for (source = 0; source < INTERRUPT_SOURCES; source++)
			result->delivered[source] += mover->interrupts.delivered[source];
		for (source = 0; source <= INTERRUPT_SOURCES; source++)
			result->at_depth[source] += mover->interrupts.at_depth[source];
		result->hits += mover->interrupts.hits;
		result->hops += mover->hops;
		result->recording_seconds += (double)mover->recording_ns / 1e9 / threads;
		if (mover->error && !error)
			error = mover->error;
	}
	result->seconds = (double)(time_ns() - begin) / 1e9;
	result->bits = stress_width(migrate->config);
	result->interrupted = stress_stop;
	return error;
}

static int run_movers(struct migrate *migrate)
{
	const struct stress_config *config = migrate->config;
	uint64_t begin = time_ns();
	unsigned int i;

	migrate->deadline = begin + (uint64_t)(config->seconds * 1e9);
	pthread_barrier_init(&migrate->barrier, NULL, config->threads);
	for (i = 0; i < config->threads; i++) {
		struct mover *mover = &migrate->movers[i];

		mover->migrate = migrate;
		mover->index = i;
		mover->random = (config->seed + 1) * 0x9e3779b97f4a7c15u + i;
		mover->interrupts.handle = handle_interrupt;
		mover->interrupts.arg = mover;
		stress_section(&mover->interrupts);
		if (pthread_create(&mover->thread, NULL, mover_main, mover)) {
			/* Those before it wait at the barrier for ever. */
			fprintf(stderr, "stampede: cannot start thread %u\n", i);
			exit(EXIT_RESOURCE);
		}
	}
	for (i = 0; i < config->threads; i++)
		pthread_join(migrate->movers[i].thread, NULL);
	pthread_barrier_destroy(&migrate->barrier);
	return summarise(migrate, begin);
}

int stress_migrate(const struct stress_config *config, struct stress_result *result)
{
	size_t bytes = config->threads * sizeof(struct mover);
	struct migrate *migrate = calloc(1, sizeof(*migrate));
	int error = EXIT_RESOURCE;
	unsigned int i;

	*result = (struct stress_result){ .hops = 0 };
	check_init(&result->check, config->driver->desc, stress_width(config));
	if (migrate)
		migrate->movers = aligned_alloc(64, bytes);
	if (!migrate || !migrate->movers) {
		fprintf(stderr, "stampede: no memory for %u threads\n", config->threads);
	} else {
		memset(migrate->movers, 0, bytes);
		migrate->config = config;
		migrate->result = result;
		migrate->random = (config->seed + 1) * 0x9e3779b97f4a7c15u;
		for (i = 0, error = 0; i < config->cpus && !error; i++)
			error = stress_buffer(config, config->pu[i], &migrate->random,
					      &migrate->buffer[i]);
		if (!error)
			error = run_movers(migrate);
		for (i = 0; i < config->cpus; i++)
			if (migrate->buffer[i].driver)
				buffer_close(&migrate->buffer[i]);
		free(migrate->movers);
	}
	free(migrate);
	return error;
}
