// SPDX-License-Identifier: MIT
#include "workloads/stress_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schemes/core/clock.h"
#include "base/options.h"
#include "place/ticks.h"

#define EPOCH_NS 300000000u
#define CALM_EVENTS 20000
#define RING_BYTES_SHIFT 20
#define SEED_FACTOR UINT64_C(0x9e3779b97f4a7c15)

volatile sig_atomic_t stress_stop;

const char *const workload_names[] = {
#define X(name, text) #name,
#include "workloads/workloads.def"
#undef X
	NULL
};

const char *workload_name(enum workload workload)
{
	return workload_names[workload];
}

const char *workload_text(enum workload workload)
{
	static const char *const texts[] = {
#define X(name, text) text,
#include "workloads/workloads.def"
#undef X
	};

	return texts[workload];
}

uint32_t stress_bits(const struct driver *driver, uint32_t bits)
{
	return bits && bits < driver->stamp_bits && driver->stamp_bits <= 32 ? bits :
									       driver->stamp_bits;
}

extern const char __start_reserve_text[], __stop_reserve_text[];

uint64_t stress_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static const struct stress_ops *ops_of(enum workload workload)
{
	switch (workload) {
	case WORKLOAD_storm:
		return &stress_ops_storm;
	case WORKLOAD_stall:
		return &stress_ops_stall;
	case WORKLOAD_replay:
		return &stress_ops_replay;
	case WORKLOAD_wraps:
		return &stress_ops_wraps;
	case WORKLOAD_idle:
		return &stress_ops_idle;
	case WORKLOAD_handoff:
		return &stress_ops_handoff;
	default:
		return &stress_ops_steady;
	}
}

/* What the user or the workload asks for; 0: the row's own. */
static uint32_t stress_asked_bits(const struct stress_config *config)
{
	const struct stress_ops *ops = ops_of(config->workload);

	if (config->bits)
		return config->bits;
	return config->driver->desc->needs & NEED_BEAT ? ops->beaten_bits : ops->bits;
}

uint32_t stress_width(const struct stress_config *config)
{
	return stress_bits(config->driver, stress_asked_bits(config));
}

bool stress_has_storm(enum workload workload)
{
	return ops_of(workload)->storm;
}

void stress_section(struct interrupts *interrupts)
{
	interrupts->section_begin = __start_reserve_text;
	interrupts->section_end = __stop_reserve_text;
}

static void handle_interrupt(void *arg, unsigned int source)
{
	struct stress_thread *thread = arg;

	if (source != INTERRUPT_BEAT) {
		thread->ops->interrupt(thread, source);
		return;
	}
	local_add_raw(&thread->asked, 1);
	thread->buffer.driver->beat(thread->buffer.scheme, &thread->buffer.writer);
}

struct ring_config stress_geometry(const struct stress_config *config, unsigned int pu,
				   uint64_t *state)
{
	const struct stress_ops *ops = ops_of(config->workload);
	struct ring_config ring = buffer_config(config->driver, 12, 8);
	uint32_t asked = stress_asked_bits(config), most;
	uint64_t random;

	if (config->driver->timed) {
		ring = stress_timed_geometry(config, state);
		ring.cpu = pu;
		return ring;
	}
	random = stress_random(state);
	ring.stamp_bits = stress_width(config);
	if (asked && asked < config->driver->counter_bits && config->driver->counter_bits < 64)
		ring.counter_bits = ring.stamp_bits;
	ring.subbuf_shift = 9 + random % 8;
	/* Half of the epochs leave sub-buffers that are too small for large payloads. */
	while (config->extra_bytes + 128u > 1u << ring.subbuf_shift && random >> 40 & 1 &&
	       ring.subbuf_shift < RING_MAX_SUBBUF_SHIFT)
		ring.subbuf_shift++;
	most = RING_BYTES_SHIFT - ring.subbuf_shift;
	ring.count_shift = random >> 8 & 3 || ops->whole_ring ? most : 1 + (random >> 16) % most;
	if (ring.count_shift > 12)
		ring.count_shift = 12;
	ring.mode = random >> 32 & 1 || ops->joint ? RING_OVERWRITE : RING_DISCARD;
	ring.cpu = pu;
	return ring;
}

uint64_t stress_round_events(const struct stress_config *config, const struct ring *ring,
			     uint64_t *state)
{
	uint64_t fill = ring_bytes(ring) /
			(config->driver->payload_bytes + 16u + config->extra_bytes);
	uint64_t random = stress_random(state);

	if (random % 8 == 0)
		fill += fill / 4 + random % (2 * fill + 1);
	else
		fill -= fill / 4;
	return fill ? fill : 1;
}

int stress_buffer(const struct stress_config *config, unsigned int pu, uint64_t *state,
		  struct buffer *buffer)
{
	struct ring_config ring = stress_geometry(config, pu, state);

	ring.subbuf_shift = config->extra_bytes > 100000 ? RING_MAX_SUBBUF_SHIFT : 12;
	ring.count_shift = RING_BYTES_SHIFT - ring.subbuf_shift;
	_Static_assert(RING_TIMED_SUBBUF_SHIFT == 12 &&
		       RING_TIMED_SUBBUF_SHIFT + RING_TIMED_COUNT_SHIFT == RING_BYTES_SHIFT,
		       "memory for the timed geometry");
	if (buffer_open(buffer, config->driver, &ring))
		return EXIT_RESOURCE;
	stress_choices(config, state, &buffer->writer);
	return buffer_reset(buffer, &ring) ? EXIT_USAGE : 0;
}

void stress_choices(const struct stress_config *config, uint64_t *state, struct writer *writer)
{
	writer->extra_bytes = config->extra_bytes;
	writer->random_extra = config->random_extra;
	writer->high_every = 16;
	writer->random = stress_random(state) | 1;
}

static int beat_start(struct stress_thread *thread)
{
	const struct driver *driver = thread->config->driver;
	struct ring *ring = buffer_ring(&thread->buffer);
	double period_ns;

	if (!(driver->desc->needs & NEED_BEAT))
		return 0;
	period_ns = driver_beat_ns(driver, ring->stamp_bits, ticks_hz());
	if (period_ns < INTERRUPT_TIMER_LEAST_NS)
		period_ns = INTERRUPT_TIMER_LEAST_NS;
	if (interrupts_timer(&thread->interrupts, INTERRUPT_BEAT, (uint64_t)period_ns, false))
		return EXIT_RESOURCE;
	return 0;
}

static void round_once(struct stress_thread *thread, struct check *check)
{
	struct buffer *buffer = &thread->buffer;
	const struct ring *ring = buffer_ring(buffer);
	bool timed = buffer->driver->timed;
	uint64_t events = timed ? stress_timed_round(ring, &thread->random) :
				  stress_round_events(thread->config, ring, &thread->random);
	uint64_t begin, end, before, on_cpu;

	on_cpu = cpu_time_ns();
	begin = time_ns();
	before = buffer->writer.entered[CONTEXT_TASK];
	thread->ops->record(thread, events);
	end = time_ns();
	thread->recording_ns += end - begin;
	thread->recording_cpu_ns += cpu_time_ns() - on_cpu;
	thread->task_events += buffer->writer.entered[CONTEXT_TASK] - before;
	buffer_drain(buffer, check);
	if (timed)
		stress_timed_drained(thread, check);
	if (thread->ops->drained)
		thread->ops->drained(thread, check);
}

/* What the epoch gave the scheme so far. */
static struct judge_given epoch_given(const struct stress_thread *thread, uint64_t delivered_before)
{
	return (struct judge_given){
		.beat_worst_ticks = thread->interrupts.beat_worst_ticks,
		.nested = thread->interrupts.at_depth[1] != delivered_before,
	};
}

/* Shows a fault at once, while its neighbours are still in the ring. */
static void show_unexcused(struct stress_thread *thread, const struct check *check,
			   uint64_t delivered_before)
{
	struct judge_given given = epoch_given(thread, delivered_before);
	uint32_t unmet = judge_unmet(check->desc, check->stamp_bits, &given);

	if (!thread->result.shown[0] && !stress_timed_excuses(thread))
		stress_show(&thread->buffer, check, judge_excused(unmet), thread->result.shown,
			    sizeof(thread->result.shown));
}

static void epoch_end(struct stress_thread *thread, struct check *check, uint64_t delivered_before)
{
	struct stress_result *result = &thread->result;
	const struct ring *ring = buffer_ring(&thread->buffer);
	struct judge_given given;
	struct judgement judgement;

	interrupts_block_beat();
	interrupts_beat_end(&thread->interrupts);
	buffer_drain(&thread->buffer, check);
	show_unexcused(thread, check, delivered_before);
	given = epoch_given(thread, delivered_before);
	given.ample = thread->buffer.driver->timed && !thread->overrun;
	judge_buffer(&thread->buffer, check, &given, &judgement);
	if (thread->buffer.driver->timed) {
		stress_timed_judge(thread, check);
		judge_again(check, ring->stuck, &judgement);
	}
	stress_book(result, check, &judgement);
	loss_add(&result->losses, &thread->buffer.writer.losses);
	if (thread->interrupts.beat_worst_ticks > result->beat_worst_ticks)
		result->beat_worst_ticks = thread->interrupts.beat_worst_ticks;
	result->lost += ring->lost;
	result->refused += ring->refused;
	result->stuck += ring->stuck;
	if (thread->buffer.driver->restarts)
		result->restarts += thread->buffer.driver->restarts(thread->buffer.scheme);
	result->deferred += thread->buffer.writer.deferred;
	if (thread->buffer.writer.deferred_worst_ticks > result->deferred_worst_ticks)
		result->deferred_worst_ticks = thread->buffer.writer.deferred_worst_ticks;
	result->epochs++;
}

static bool more(struct stress_thread *thread, uint64_t until_ns)
{
	bool mine = !stress_stop && time_ns() < until_ns;

	return thread->ops->joint ? joint_more(thread, mine) : mine;
}

static int epoch(struct stress_thread *thread)
{
	/* Rings that make one trace are alike. */
	uint64_t common = (thread->config->seed + 1) * (thread->result.epochs + 1) * SEED_FACTOR;
	struct ring_config ring = stress_geometry(thread->config, thread->pu,
						  thread->config->export ? &common :
									   &thread->random);
	struct check check;
	uint64_t delivered, events = thread->task_events, on_cpu = thread->recording_cpu_ns;

	if (buffer_reset(&thread->buffer, &ring)) {
		fprintf(stderr, "stampede: ring geometry larger than its memory\n");
		return EXIT_USAGE;
	}
	buffer_check(&thread->buffer, &check);
	check.keep = thread->keep;
	thread->asked = thread->asked_before = 0;
	thread->overrun = false;
	thread->tap.epoch = thread->result.epochs;
	thread->round_end_ns = time_ns() + EPOCH_NS;
	if (thread->round_end_ns > thread->deadline_ns)
		thread->round_end_ns = thread->deadline_ns;
	delivered = thread->interrupts.at_depth[1];
	interrupts_beat_begin(&thread->interrupts);
	interrupts_unblock_beat();
	do {
		round_once(thread, &check);
		show_unexcused(thread, &check, delivered);
	} while (more(thread, thread->round_end_ns));
	epoch_end(thread, &check, delivered);
	return storm_adapt(thread, thread->task_events - events,
			   thread->recording_cpu_ns - on_cpu);
}

static void calibrate(struct stress_thread *thread)
{
	struct buffer *buffer = &thread->buffer;
	uint64_t begin, best = UINT64_MAX, now;
	int i;

	for (i = 0; i < 5; i++) {
		begin = cpu_time_ns();
		buffer->driver->run(buffer->scheme, &buffer->writer, CALM_EVENTS / 5);
		now = cpu_time_ns() - begin;
		if (now < best)
			best = now;
	}
	thread->calm_ns = (double)best / (CALM_EVENTS / 5);
}

static void thread_summarise(struct stress_thread *thread, uint64_t begin)
{
	struct stress_result *result = &thread->result;
	const struct interrupts *interrupts = &thread->interrupts;

	memcpy(result->delivered, interrupts->delivered, sizeof(result->delivered));
	memcpy(result->at_depth, interrupts->at_depth, sizeof(result->at_depth));
	result->hits = interrupts->hits;
	result->seconds = (double)(time_ns() - begin) / 1e9;
	result->recording_seconds = (double)thread->recording_ns / 1e9;
	result->writer_share =
		(double)thread->task_events * thread->calm_ns / (double)thread->recording_cpu_ns;
}

static int thread_run(struct stress_thread *thread)
{
	const struct stress_config *config = thread->config;
	uint64_t begin = time_ns();
	int error = 0;

	thread->deadline_ns = begin + (uint64_t)(config->seconds * 1e9);

	calibrate(thread);
	interrupts_attach(&thread->interrupts);
	error = storm_timers(thread);
	if (!error)
		error = beat_start(thread);
	__atomic_store_n(&thread->sender.target, thread->interrupts.tid, __ATOMIC_RELEASE);
	if (!thread->ops->joint || joint_meet(thread, !error))
		while (!error && more(thread, thread->deadline_ns))
			error = epoch(thread);
	__atomic_store_n(&thread->sender.stop, true, __ATOMIC_RELEASE);
	interrupts_detach(&thread->interrupts);
	thread_summarise(thread, begin);
	return error;
}

static void *thread_main(void *arg)
{
	struct stress_thread *thread = arg;
	const struct stress_config *config = thread->config;

	thread->result.bits = stress_width(config);
	thread->error = place_bind_self(config->place, thread->pu) ?
				EXIT_RESOURCE :
				stress_buffer(config, thread->pu, &thread->random, &thread->buffer);
	if (!thread->error && config->export) {
		thread->tap.export = config->export;
		thread->buffer.tap = stress_export_tap;
		thread->buffer.tap_arg = &thread->tap;
	}
	if (!thread->error) {
		thread->error = thread_run(thread);
		if (!thread->error && place_verify_self(config->place, thread->pu))
			thread->error = EXIT_RESOURCE;
	} else if (thread->ops->joint) {
		joint_meet(thread, false);
	}
	if (thread->buffer.driver)
		buffer_close(&thread->buffer);
	__atomic_store_n(&thread->sender.stop, true, __ATOMIC_RELEASE);
	return NULL;
}

/* What single workloads count. */
static void merge_workload(struct stress_result *sum, const struct stress_result *one)
{
	unsigned int i;

	sum->stalls += one->stalls;
	sum->waits += one->waits;
	sum->waits_late += one->waits_late;
	for (i = 0; i < IDLE_PHASES; i++)
		if (one->idle[i].seconds > 0)
			sum->idle[i] = one->idle[i];
	if (one->handoff.pairs || one->handoff.unpaired)
		sum->handoff = one->handoff;
}

static void merge(struct stress_result *sum, const struct stress_thread *thread,
		  unsigned int threads)
{
	const struct stress_result *one = &thread->result;
	unsigned int i;

	stress_merge_check(&sum->check, &one->check);
	stress_merge_check(&sum->voided, &one->voided);
	for (i = 0; i < INTERRUPT_SOURCES; i++)
		sum->delivered[i] += one->delivered[i];
	for (i = 0; i <= INTERRUPT_SOURCES; i++)
		sum->at_depth[i] += one->at_depth[i];
	sum->hits += one->hits;
	loss_add(&sum->losses, &one->losses);
	sum->lost += one->lost;
	sum->refused += one->refused;
	sum->stuck += one->stuck;
	sum->restarts += one->restarts;
	sum->deferred += one->deferred;
	sum->epochs += one->epochs;
	sum->void_epochs += one->void_epochs;
	sum->unmet |= one->unmet;
	sum->bits = one->bits;
	if (one->deferred_worst_ticks > sum->deferred_worst_ticks)
		sum->deferred_worst_ticks = one->deferred_worst_ticks;
	if (one->beat_worst_ticks > sum->beat_worst_ticks)
		sum->beat_worst_ticks = one->beat_worst_ticks;
	if (one->seconds > sum->seconds)
		sum->seconds = one->seconds;
	sum->recording_seconds += one->recording_seconds / threads;
	if (!sum->writer_share || one->writer_share < sum->writer_share)
		sum->writer_share = one->writer_share;
	merge_workload(sum, one);
	if (!sum->shown[0])
		memcpy(sum->shown, one->shown, sizeof(sum->shown));
}

static void thread_set(struct stress_thread *thread, const struct stress_config *config,
		       unsigned int index)
{
	thread->config = config;
	thread->ops = ops_of(config->workload);
	thread->index = index;
	thread->pu = config->pu[index];
	thread->stretch = thread->ops == &stress_ops_stall ? stall_stretch(config) : STORM_STRETCH;
	thread->random = (config->seed + 1) * 0x9e3779b97f4a7c15u + index;
	thread->interrupts.handle = handle_interrupt;
	thread->interrupts.arg = thread;
	stress_section(&thread->interrupts);
	check_init(&thread->result.check, config->driver->desc, stress_width(config));
}

/* Starts the threads; how many did, with a line on stderr and the rest told to stop if not all. */
static unsigned int start(const struct stress_config *config, struct stress_thread *threads)
{
	unsigned int i;
	int error;

	for (i = 0; i < config->threads; i++) {
		error = pthread_create(&threads[i].thread, NULL, thread_main, &threads[i]);
		if (!error)
			continue;
		fprintf(stderr, "stampede: cannot start thread %u: %s\n", i, strerror(error));
		stress_stop = 1;
		/* Its partner waits for it. */
		if (i && threads[i].ops->joint)
			joint_meet(&threads[i], false);
		break;
	}
	return i;
}

static int run_threads(const struct stress_config *config, struct stress_thread *threads,
		       struct stress_result *result)
{
	unsigned int i, started = start(config, threads);
	int error = started < config->threads ? EXIT_RESOURCE : 0;

	if (!error && config->has_sender && threads[0].ops->storm)
		error = storm_send(config, &threads[0]);
	for (i = 0; i < started; i++) {
		pthread_join(threads[i].thread, NULL);
		if (threads[i].error && !error)
			error = threads[i].error;
		merge(result, &threads[i], started);
	}
	result->interrupted = stress_stop;
	return error;
}

int stress_run(const struct stress_config *config, struct stress_result *result)
{
	const struct stress_ops *ops = ops_of(config->workload);
	struct stress_joint *joint = NULL;
	struct stress_thread *threads;
	unsigned int i;
	int error = EXIT_RESOURCE;

	if (config->workload == WORKLOAD_late_beat)
		return stress_late_beat(config, result);
	if (config->workload == WORKLOAD_migrate)
		return stress_migrate(config, result);
	if (config->shared)
		return stress_shared(config, result);
	*result = (struct stress_result){ .check.desc = config->driver->desc };
	threads = calloc(config->threads, sizeof(*threads));
	for (i = 0; threads && i < config->threads; i++)
		thread_set(&threads[i], config, i);
	if (threads && ops->joint)
		joint = joint_open(threads);
	if (threads && (!ops->joint || joint))
		error = run_threads(config, threads, result);
	else
		fprintf(stderr, "stampede: no memory for %u threads\n", config->threads);
	if (!error && joint && !stress_stop && !result->handoff.pairs &&
	    !config->driver->desc->untimed) {
		fprintf(stderr, "stampede: %s: no cause and effect both survived in their rings\n",
			config->driver->row);
		error = EXIT_RESOURCE;
	}
	joint_close(joint);
	free(threads);
	return error;
}
