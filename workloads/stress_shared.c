// SPDX-License-Identifier: MIT
/*
 * Several pinned writers in one ring, each with interrupts of its own: what LOCKed rows allow.
 *
 * Rounds are in step. All record at once; then all stand at a barrier with their signals blocked,
 * while the first of them drains the ring and judges it. Every writer has CONTEXTS contexts of its
 * own in the payloads, so that sequences are checked for each of them.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "workloads/stress_export.h"
#include "workloads/stress_thread.h"
#include "place/ticks.h"

#define EPOCH_ROUNDS 8

struct shared;

struct shared_writer {
	pthread_t thread;
	struct shared *shared;
	unsigned int index;
	struct writer writer;
	struct interrupts interrupts;
	uint64_t recording_ns;
	int error;
} __attribute__((aligned(64)));

struct shared {
	const struct stress_config *config;
	struct stress_result *result;
	struct shared_writer *writers;
	struct buffer buffer;
	struct check check;
	pthread_barrier_t barrier;
	uint64_t random;
	uint64_t deadline;
	uint64_t events; /* of each writer in the next round */
	unsigned int round; /* of the epoch */
	bool stop;
	struct stress_export_tap tap;
	uint64_t lost; /* by the ring, until its last drain */
};

static void handle_interrupt(void *arg, unsigned int source)
{
	struct shared_writer *writer = arg;
	struct buffer *buffer = &writer->shared->buffer;
	uint64_t events;

	for (events = storm_events(writer->interrupts.delivered[source]); events; events--)
		buffer->driver->interrupt(buffer->scheme, &writer->writer,
					  CONTEXT_LEVEL_1 + source - 1);
}

static int epoch_begin(struct shared *shared)
{
	const struct stress_config *config = shared->config;
	struct ring_config ring = stress_geometry(config, config->pu[0], &shared->random);
	unsigned int i;

	if (buffer_reset(&shared->buffer, &ring)) {
		fprintf(stderr, "stampede: ring geometry larger than its memory\n");
		return EXIT_USAGE;
	}
	shared->lost = 0;
	shared->tap.epoch = shared->result->epochs;
	buffer_check(&shared->buffer, &shared->check);
	shared->check.desc = &shared->result->shared_desc;
	shared->check.payload_most = shared->buffer.driver->payload_bytes + config->extra_bytes;
	shared->check.contexts = config->threads * CONTEXTS;
	for (i = 0; i < config->threads; i++) {
		struct writer *writer = &shared->writers[i].writer;

		*writer = (struct writer){ .first_context = i * CONTEXTS, .concurrent = true };
		stress_choices(config, &shared->random, writer);
	}
	return 0;
}

/* Any event may have come into any other's reserve: all of them count as nested. */
static void totals_of(struct shared *shared, struct check_totals *totals)
{
	unsigned int i, context;

	*totals = (struct check_totals){ .sequenced = true };
	for (i = 0; i < shared->config->threads; i++) {
		const struct writer *writer = &shared->writers[i].writer;

		for (context = 0; context < CONTEXTS; context++) {
			totals->written[i * CONTEXTS + context] = writer->written[context];
			totals->failed += writer->failed[context];
			totals->nested += writer->entered[context];
		}
		loss_add(&totals->losses, &writer->losses);
	}
}

static void show(struct shared *shared)
{
	char *shown = shared->result->shown;

	if (!shown[0] && !check_clean(&shared->check))
		stress_show(&shared->buffer, &shared->check, 0, shown,
			    sizeof(shared->result->shown));
}

static void epoch_end(struct shared *shared)
{
	struct stress_result *result = shared->result;
	const struct ring *ring = buffer_ring(&shared->buffer);
	struct judge_given given = { .nested = true };
	struct judgement judgement;
	struct check_totals totals;

	totals_of(shared, &totals);
	judge_ring(ring, &shared->check, &totals, &given, &judgement);
	stress_book(result, &shared->check, &judgement);
	loss_add(&result->losses, &totals.losses);
	result->lost += ring->lost;
	result->refused += ring->refused;
	result->stuck += ring->stuck;
	result->epochs++;
}

/* Between two rounds, by the first writer, with all others at the barrier. */
static void next_round(struct shared *shared)
{
	if (shared->round) {
		judge_full(buffer_ring(&shared->buffer), shared->lost, &shared->check);
		shared->lost = buffer_ring(&shared->buffer)->lost;
		buffer_drain(&shared->buffer, &shared->check);
		show(shared);
	}
	shared->stop = shared->stop || stress_stop || time_ns() >= shared->deadline;
	if (shared->round && (shared->stop || shared->round == EPOCH_ROUNDS)) {
		epoch_end(shared);
		shared->round = 0;
	}
	if (!shared->stop && !shared->round) {
		shared->writers[0].error = epoch_begin(shared);
		shared->stop = shared->writers[0].error;
	}
	if (shared->stop)
		return;
	shared->round++;
	shared->events = stress_round_events(shared->config, buffer_ring(&shared->buffer),
					     &shared->random) /
				 shared->config->threads +
			 1;
}

static int start_timers(struct shared_writer *writer)
{
	const struct stress_config *config = writer->shared->config;
	unsigned int level;

	for (level = 1; config->workload == WORKLOAD_storm && level <= config->levels; level++)
		if (interrupts_timer(&writer->interrupts, level,
				     (uint64_t)((STORM_TIMER_ONLY_NS + 7000u * level) *
						STORM_STRETCH),
				     false))
			return EXIT_RESOURCE;
	return 0;
}

static void record_round(struct shared_writer *writer)
{
	struct shared *shared = writer->shared;
	struct buffer *buffer = &shared->buffer;
	bool storm = shared->config->workload == WORKLOAD_storm;
	uint64_t begin = time_ns();

	if (storm)
		interrupts_unblock_storm();
	buffer->driver->run(buffer->scheme, &writer->writer, shared->events);
	if (storm)
		interrupts_block_storm();
	writer->recording_ns += time_ns() - begin;
}

static void *writer_main(void *arg)
{
	struct shared_writer *writer = arg;
	struct shared *shared = writer->shared;
	const struct stress_config *config = shared->config;

	if (place_bind_self(config->place, config->pu[writer->index]))
		writer->error = EXIT_RESOURCE;
	interrupts_attach(&writer->interrupts);
	if (!writer->error)
		writer->error = start_timers(writer);
	/* All come here, also those that failed, so that none waits for ever. */
	if (writer->error)
		__atomic_store_n(&shared->stop, true, __ATOMIC_RELEASE);
	pthread_barrier_wait(&shared->barrier);
	for (;;) {
		if (!writer->index)
			next_round(shared);
		pthread_barrier_wait(&shared->barrier);
		if (shared->stop)
			break;
		record_round(writer);
		pthread_barrier_wait(&shared->barrier);
	}
	interrupts_detach(&writer->interrupts);
	if (!writer->error && place_verify_self(config->place, config->pu[writer->index]))
		writer->error = EXIT_RESOURCE;
	return NULL;
}

static int summarise(struct shared *shared, uint64_t begin)
{
	struct stress_result *result = shared->result;
	unsigned int i, source, threads = shared->config->threads;
	int error = 0;

	for (i = 0; i < threads; i++) {
		const struct shared_writer *writer = &shared->writers[i];

		for (source = 0; source < INTERRUPT_SOURCES; source++)
			result->delivered[source] += writer->interrupts.delivered[source];
		for (source = 0; source <= INTERRUPT_SOURCES; source++)
			result->at_depth[source] += writer->interrupts.at_depth[source];
		result->hits += writer->interrupts.hits;
		result->recording_seconds += (double)writer->recording_ns / 1e9 / threads;
		if (writer->error && !error)
			error = writer->error;
	}
	result->seconds = (double)(time_ns() - begin) / 1e9;
	result->bits = stress_width(shared->config);
	result->interrupted = stress_stop;
	return error;
}

static int run_writers(struct shared *shared)
{
	const struct stress_config *config = shared->config;
	uint64_t begin = time_ns();
	unsigned int i;

	shared->deadline = begin + (uint64_t)(config->seconds * 1e9);
	pthread_barrier_init(&shared->barrier, NULL, config->threads);
	for (i = 0; i < config->threads; i++) {
		struct shared_writer *writer = &shared->writers[i];

		writer->shared = shared;
		writer->index = i;
		writer->interrupts.handle = handle_interrupt;
		writer->interrupts.arg = writer;
		stress_section(&writer->interrupts);
		if (pthread_create(&writer->thread, NULL, writer_main, writer)) {
			/* Those before it wait at the barrier for ever. */
			fprintf(stderr, "stampede: cannot start thread %u\n", i);
			exit(EXIT_RESOURCE);
		}
	}
	for (i = 0; i < config->threads; i++)
		pthread_join(shared->writers[i].thread, NULL);
	pthread_barrier_destroy(&shared->barrier);
	return summarise(shared, begin);
}

int stress_shared(const struct stress_config *config, struct stress_result *result)
{
	size_t bytes = config->threads * sizeof(struct shared_writer);
	struct shared *shared = calloc(1, sizeof(*shared));
	int error = EXIT_RESOURCE;

	*result = (struct stress_result){ .shared_desc = *config->driver->desc };
	result->shared_desc.promises = config->driver->desc->shared_promises;
	check_init(&result->check, &result->shared_desc, stress_width(config));
	if (shared)
		shared->writers = aligned_alloc(64, bytes);
	if (!shared || !shared->writers) {
		fprintf(stderr, "stampede: no memory for %u writers\n", config->threads);
	} else {
		memset(shared->writers, 0, bytes);
		shared->config = config;
		shared->result = result;
		shared->random = (config->seed + 1) * 0x9e3779b97f4a7c15u;
		error = stress_buffer(config, config->pu[0], &shared->random, &shared->buffer);
		shared->tap.export = config->export;
		shared->buffer.tap = config->export ? stress_export_tap : NULL;
		shared->buffer.tap_arg = &shared->tap;
		if (!error)
			error = run_writers(shared);
		if (shared->buffer.driver)
			buffer_close(&shared->buffer);
		free(shared->writers);
	}
	free(shared);
	return error;
}
