// SPDX-License-Identifier: MIT
#include "workloads/engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/time.h"
#include "runner/place/place.h"
#include "runner/place/ticks.h"
#include "schemes/core/clock.h"
#include "workloads/engine/clock.h"
#include "workloads/engine/thread.h"

#define CALM_EVENTS 20000
#define EPOCH_NS 300000000u
#define LATE_NS 10000000 /* a round takes less, unless its writer starves */
#define WAITING_MOST 1000 /* events of the storm that a soft mask has put off */

extern const char __start_reserve_text[], __stop_reserve_text[];

/* ---- what a thread does ---- */

static void handle_interrupt(void *arg, unsigned int source)
{
	struct engine_thread *thread = arg;

	if (source == INTERRUPT_BEAT) {
		local_add_raw(&thread->asked, 1);
		thread->driver->beat(thread->scheme, thread->writer);
	} else if (thread->ops->interrupt) {
		thread->ops->interrupt(thread, source);
	} else {
		engine_storm(thread, source);
	}
}

static uint64_t storm_entered(const struct engine_thread *thread)
{
	uint64_t entered = 0;
	unsigned int level;

	for (level = 0; level < INTERRUPT_LEVELS; level++)
		entered += thread->writer->entered[CONTEXT_LEVEL_1 + level];
	return entered;
}

/*
 * On a slow machine more interrupts may come than a masked writer can make good, and where masks
 * are system calls they may leave it next to nothing: it would never end its round.
 */
static bool is_too_much(const struct engine_thread *thread)
{
	return time_ns() > thread->round_end_ns + LATE_NS ||
	       (thread->driver->defers &&
		(int64_t)(thread->storm_asked - storm_entered(thread)) > WAITING_MOST);
}

void engine_storm(struct engine_thread *thread, unsigned int level)
{
	uint64_t events = storm_events(thread->signals.interrupts.delivered[level]);

	local_add_raw(&thread->asked, events);
	local_add_raw(&thread->storm_asked, events);
	for (; events; events--)
		thread->driver->interrupt(thread->scheme, thread->writer,
					  CONTEXT_LEVEL_1 + level - 1);
	if (is_too_much(thread))
		thread->signals.interrupts.enough = true;
}

void engine_record(struct engine_thread *thread, uint64_t events)
{
	local_add_raw(&thread->asked, events);
	thread->driver->run(thread->scheme, thread->writer, events);
}

void engine_record_storm(struct engine_thread *thread, uint64_t events)
{
	thread->storm_asked = storm_entered(thread);
	interrupts_unblock_storm();
	engine_record(thread, events);
	interrupts_block_storm();
}

bool engine_wait(uint64_t due, uint64_t end)
{
	uint64_t now = clock_real();

	while ((int64_t)(now - due) < 0) {
		if (workload_stop || (int64_t)(now - end) >= 0)
			return false;
		now = clock_real();
	}
	return true;
}

void engine_epoch_begin(struct engine_thread *thread)
{
	thread->round_end_ns = time_ns() + EPOCH_NS;
	if (thread->round_end_ns > thread->deadline_ns)
		thread->round_end_ns = thread->deadline_ns;
}

uint64_t engine_round_end(const struct engine_thread *thread)
{
	uint64_t now_ns = time_ns(), now = clock_real();

	if (now_ns >= thread->round_end_ns)
		return now;
	return now + (uint64_t)((double)(thread->round_end_ns - now_ns) * 1e-9 * ticks_hz());
}

bool engine_agree(struct engine_thread *thread, bool good)
{
	struct engine_group *group = thread->group;

	if (group->count == 1)
		return good;
	if (!good)
		__atomic_store_n(&group->failed, true, __ATOMIC_RELAXED);
	pthread_barrier_wait(&group->barrier);
	good = !__atomic_load_n(&group->failed, __ATOMIC_RELAXED);
	/* Nobody may say no to the next question before all have heard the answer to this one. */
	pthread_barrier_wait(&group->barrier);
	return good;
}

/* By the first thread, with all others at the barrier. */
static void decide(struct engine_thread *first)
{
	struct engine_group *group = first->group;
	/* A ring that is read while it is written needs no epoch's end for it. */
	unsigned int rounds = first->live ? 0 : group->spread->rounds;
	uint64_t now = time_ns();

	group->over = workload_stop || now >= first->deadline_ns;
	group->epoch_over = !first->recorded || group->over ||
			    (rounds ? ++group->rounds >= rounds : now >= first->round_end_ns);
	if (group->epoch_over)
		group->rounds = 0;
}

/* All that is between two rounds. False: the run is over. */
static bool turn(struct engine_thread *thread)
{
	struct engine_group *group = thread->group;
	const struct spread_ops *spread = group->spread;

	/* Nobody reads a ring that another one still records into. */
	if (!engine_agree(thread, !thread->error))
		return false;
	if (thread->recorded)
		thread->error = spread->drain(thread);
	if (!engine_agree(thread, !thread->error))
		return false;
	if (!thread->index)
		decide(thread);
	engine_agree(thread, true);
	if (group->epoch_over && thread->recorded)
		thread->error = spread->end(thread);
	if (group->epoch_over && !group->over && !thread->error)
		thread->error = spread->begin(thread);
	return engine_agree(thread, !thread->error) && !group->over;
}

static void record_round(struct engine_thread *thread)
{
	struct engine_group *group = thread->group;
	const struct ring *ring = buffer_ring(&thread->ring->buffer);
	uint64_t begin, on_cpu, before = thread->writer->entered[CONTEXT_TASK], events;

	if (thread->driver->timed)
		events = engine_timed_round(ring, &thread->random);
	else
		events = engine_round_events(thread->config, ring, &thread->random);
	if (group->count > group->ring_count)
		events = events * group->ring_count / group->count + 1;
	on_cpu = cpu_time_ns();
	begin = time_ns();
	engine_clock_trace(thread);
	thread->ops->record(thread, events);
	engine_clock_trace(NULL);
	thread->recording_ns += time_ns() - begin;
	thread->recording_cpu_ns += cpu_time_ns() - on_cpu;
	thread->task_events += thread->writer->entered[CONTEXT_TASK] - before;
	thread->recorded = true;
}

static void calibrate(struct engine_thread *thread)
{
	uint64_t begin, best = UINT64_MAX, now;
	int i;

	thread->scheme = thread->ring->buffer.scheme;
	for (i = 0; i < 5; i++) {
		begin = cpu_time_ns();
		thread->driver->run(thread->scheme, thread->writer, CALM_EVENTS / 5);
		now = cpu_time_ns() - begin;
		if (now < best)
			best = now;
	}
	thread->calm_ns = (double)best / (CALM_EVENTS / 5);
}

/* On its CPU: its rings, then its signals. */
static int prepare(struct engine_thread *thread)
{
	const struct engine_config *config = thread->config;
	struct engine_group *group = thread->group;
	unsigned int i;
	int error = place_bind_self(config->place, thread->pu);

	for (i = 0; i < group->ring_count && !error; i++)
		if (group->spread->owns(thread, i))
			error = engine_ring_open(thread, &group->rings[i],
						 group->spread == &spread_moving ? config->pu[i] :
										   thread->pu);
	if (!error && group->spread->calibrates)
		calibrate(thread);
	interrupts_attach(&thread->signals.interrupts);
	if (!error && thread->ops->signals != SIGNALS_NONE)
		error = signals_storm(&thread->signals);
	return error ? error : signals_beat(&thread->signals, thread->driver, engine_width(config));
}

static void summarise(struct engine_thread *thread, uint64_t begin)
{
	struct engine_result *result = &thread->result;
	const struct interrupts *interrupts = &thread->signals.interrupts;

	memcpy(result->delivered, interrupts->delivered, sizeof(result->delivered));
	memcpy(result->at_depth, interrupts->at_depth, sizeof(result->at_depth));
	result->hits = interrupts->hits;
	result->pauses = interrupts->pauses;
	result->seconds = (double)(time_ns() - begin) / 1e9;
	result->recording_seconds = (double)thread->recording_ns / 1e9;
	if (thread->calm_ns > 0 && thread->recording_cpu_ns)
		result->writer_share = (double)thread->task_events * thread->calm_ns /
				       (double)thread->recording_cpu_ns;
}

static void *thread_main(void *arg)
{
	struct engine_thread *thread = arg;
	const struct engine_config *config = thread->config;
	bool stays = thread->group->spread != &spread_moving;
	uint64_t begin;

	thread->error = prepare(thread);
	begin = time_ns();
	thread->deadline_ns = begin + (uint64_t)(config->seconds * 1e9);
	signals_target(&thread->signals);
	/* All come here, also those that failed, so that none waits for ever. */
	if (engine_agree(thread, !thread->error))
		while (turn(thread))
			record_round(thread);
	signals_end(&thread->signals);
	interrupts_detach(&thread->signals.interrupts);
	summarise(thread, begin);
	if (!thread->error && stays && place_verify_self(config->place, thread->pu))
		thread->error = EXIT_RESOURCE;
	return NULL;
}

/* ---- the run ---- */

/* The parts of a run. */
struct parts {
	const struct engine_config *config;
	struct engine_result *result;
	enum engine_spread spread;
	struct engine_thread *threads;
	struct engine_group *groups;
	struct engine_ring *rings;
	unsigned int group_count, ring_count;
};

static const struct spread_ops *spread_ops(enum engine_spread spread)
{
	if (spread == SPREAD_SHARED)
		return &spread_shared;
	return spread == SPREAD_MOVING ? &spread_moving : &spread_apart;
}

static void thread_set(struct parts *parts, struct engine_group *group, unsigned int number)
{
	const struct engine_config *config = parts->config;
	struct engine_thread *thread = &parts->threads[number];

	thread->group = group;
	thread->config = config;
	thread->ops = group->ops;
	thread->index = (unsigned int)(thread - group->threads);
	thread->driver = config->driver;
	thread->pu = config->pu[parts->spread == SPREAD_MOVING ? number % config->cpus : number];
	thread->ring = &group->rings[group->ring_count == group->count ? thread->index : 0];
	if (parts->spread == SPREAD_SHARED || parts->spread == SPREAD_MOVING)
		thread->writer = &thread->apart;
	else
		thread->writer = &thread->ring->buffer.writer;
	thread->random = rng_seed(config->seed, number);
	thread->signals = (struct signals){
		.interrupts = { .handle = handle_interrupt,
				.arg = thread,
				.section_begin = __start_reserve_text,
				.section_end = __stop_reserve_text },
		.levels = config->levels,
		.sent = config->has_sender,
		.stretch = thread->ops->stretch ? thread->ops->stretch(config) : 1,
	};
	check_init(&thread->result.check, group->desc, engine_width(config));
	thread->result.bits = engine_width(config);
}

static int group_open(struct parts *parts, unsigned int number)
{
	bool alone = parts->spread == SPREAD_APART;
	struct engine_group *group = &parts->groups[number];
	unsigned int i;

	group->config = parts->config;
	group->ops = parts->config->workload->engine;
	group->spread = spread_ops(parts->spread);
	group->desc = &parts->result->desc;
	group->threads = &parts->threads[number];
	group->count = alone ? 1 : parts->config->threads;
	group->rings = &parts->rings[number];
	group->ring_count = alone ? 1 : parts->ring_count;
	group->state = calloc(1, group->ops->state_bytes + 1);
	if (parts->spread == SPREAD_MOVING)
		group->by_cpu = calloc(CPU_NUMBER_MAX + 1, sizeof(*group->by_cpu));
	if (!group->state || (parts->spread == SPREAD_MOVING && !group->by_cpu) ||
	    pthread_barrier_init(&group->barrier, NULL, group->count))
		return fail_memory("a group of threads");
	for (i = 0; i < group->count; i++)
		thread_set(parts, group, number + i);
	return group->ops->open ? group->ops->open(group) : 0;
}

/* How many of the threads were started; those that were are told to stop if not all. */
static unsigned int start(struct parts *parts)
{
	unsigned int i;
	int error;

	for (i = 0; i < parts->config->threads; i++) {
		error = pthread_create(&parts->threads[i].thread, NULL, thread_main,
				       &parts->threads[i]);
		if (!error)
			continue;
		fail_line("cannot start thread %u: %s", i, strerror(error));
		/* The threads before it in its group would wait for it for ever. */
		if (parts->threads[i].index)
			exit(EXIT_RESOURCE);
		workload_stop = 1;
		break;
	}
	return i;
}

static int run_threads(struct parts *parts)
{
	const struct engine_config *config = parts->config;
	unsigned int i, started = start(parts);
	int error = started < config->threads ? EXIT_RESOURCE : 0;

	if (!error && config->has_sender)
		error = signals_send(&parts->threads[0].signals, config->place,
				     config->pu[config->threads], config->seconds);
	for (i = 0; i < started; i++)
		pthread_join(parts->threads[i].thread, NULL);
	for (i = 0; i < started; i++) {
		if (parts->threads[i].error && !error)
			error = parts->threads[i].error;
		engine_merge(parts->result, &parts->threads[i].result, started);
	}
	return error;
}

static void close_all(struct parts *parts)
{
	struct engine_group *group;
	unsigned int i;

	for (i = 0; parts->groups && i < parts->group_count; i++) {
		group = &parts->groups[i];
		if (!group->state)
			continue;
		if (group->ops->close)
			group->ops->close(group);
		pthread_barrier_destroy(&group->barrier);
		free(group->state);
		free(group->by_cpu);
	}
	for (i = 0; parts->rings && i < parts->ring_count; i++)
		if (parts->rings[i].buffer.driver)
			buffer_close(&parts->rings[i].buffer);
	free(parts->groups);
	free(parts->rings);
	free(parts->threads);
}

static int run_rounds(struct parts *parts)
{
	const struct engine_config *config = parts->config;
	unsigned int i;
	int error = 0;

	parts->ring_count = parts->spread == SPREAD_SHARED ? 1 :
			    parts->spread == SPREAD_MOVING ? config->cpus :
							     config->threads;
	parts->group_count = parts->spread == SPREAD_APART ? config->threads : 1;
	parts->threads = calloc(config->threads, sizeof(*parts->threads));
	parts->groups = calloc(parts->group_count, sizeof(*parts->groups));
	parts->rings = calloc(parts->ring_count, sizeof(*parts->rings));
	if (!parts->threads || !parts->groups || !parts->rings)
		error = fail_with(EXIT_RESOURCE, "no memory for %u threads", config->threads);
	for (i = 0; i < parts->group_count && !error; i++)
		error = group_open(parts, i);
	end_hangs((config->threads + 1) * ((unsigned int)config->seconds + 20));
	if (!error)
		error = run_threads(parts);
	end_hangs(0);
	close_all(parts);
	return error;
}

int engine_run(const struct engine_config *config, struct engine_result *result)
{
	const struct workload_engine *ops = config->workload->engine;
	struct parts parts = {
		.config = config,
		.result = result,
		.spread = config->shared ? SPREAD_SHARED : ops->spread,
	};
	const char *why = NULL;
	int error;

	*result = (struct engine_result){ .desc = *config->driver->desc };
	if (parts.spread == SPREAD_SHARED)
		result->desc.promises = config->driver->desc->shared_promises;
	check_init(&result->check, &result->desc, engine_width(config));
	error = engine_clock_begin(config);
	if (!error)
		error = ops->run ? ops->run(config, result) : run_rounds(&parts);
	engine_clock_end();
	result->interrupted = workload_stop;
	if (!error && !workload_stop && ops->in_vain)
		why = ops->in_vain(config, result);
	return why ? fail_with(EXIT_RESOURCE, "%s: %s", config->driver->row, why) : error;
}
