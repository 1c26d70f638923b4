// SPDX-License-Identifier: MIT
#include "stress.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "options.h"
#include "ticks.h"

#define EPOCH_NS 300000000u
#define CALM_EVENTS 20000
#define RING_BYTES_SHIFT 20
#define SHARE_LEAST 0.23 /* of recording time, what the pace must leave the writer */
#define SHARE_MUCH 0.28

volatile sig_atomic_t stress_stop;

const char *const workload_names[] = {
#define X(name, text) #name,
#include "workloads.def"
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
#include "workloads.def"
#undef X
	};

	return texts[workload];
}

uint32_t stress_bits(const struct driver *driver, uint32_t bits)
{
	return bits && driver->stamp_bits <= 32 ? bits : driver->stamp_bits;
}

struct thread {
	pthread_t thread;
	const struct stress_config *config;
	struct stress_result result;
	struct buffer buffer;
	struct interrupts interrupts;
	struct interrupt_sender sender;
	unsigned int pu;
	uint64_t random;
	double calm_ns; /* per event of the task, without interrupts */
	uint64_t recording_ns;
	uint64_t task_events; /* in recording_ns, whether recorded or lost */
	double stretch; /* of all storm periods, >= 1 */
	int error;
};

extern const char __start_reserve_text[], __stop_reserve_text[];

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

void stress_section(struct interrupts *interrupts)
{
	interrupts->section_begin = __start_reserve_text;
	interrupts->section_end = __stop_reserve_text;
}

static void handle_interrupt(void *arg, unsigned int source)
{
	struct thread *thread = arg;
	const struct driver *driver = thread->buffer.driver;
	uint64_t events = storm_events(thread->interrupts.delivered[source]);

	if (source == INTERRUPT_BEAT) {
		driver->beat(thread->buffer.scheme, &thread->buffer.writer);
		return;
	}
	for (; events; events--)
		driver->interrupt(thread->buffer.scheme, &thread->buffer.writer,
				  CONTEXT_LEVEL_1 + source - 1);
}

struct ring_config stress_geometry(const struct stress_config *config, unsigned int pu,
				   uint64_t *state)
{
	struct ring_config ring = buffer_config(config->driver, 12, 8);
	uint64_t random = next_random(state);
	uint32_t most;

	ring.stamp_bits = stress_bits(config->driver, config->bits);
	if (config->driver->counter_bits < 64)
		ring.counter_bits = config->bits && config->bits < config->driver->counter_bits ?
					    ring.stamp_bits :
					    config->driver->counter_bits;
	ring.subbuf_shift = 9 + random % 8;
	while (config->extra_bytes + 128u > 1u << ring.subbuf_shift &&
	       ring.subbuf_shift < RING_MAX_SUBBUF_SHIFT)
		ring.subbuf_shift++;
	most = RING_BYTES_SHIFT - ring.subbuf_shift;
	ring.count_shift = random >> 8 & 3 ? most : 1 + (random >> 16) % most;
	if (ring.count_shift > 12)
		ring.count_shift = 12;
	ring.mode = random >> 32 & 1 ? RING_OVERWRITE : RING_DISCARD;
	ring.cpu = pu;
	return ring;
}

uint64_t stress_round_events(const struct stress_config *config, const struct ring *ring,
			     uint64_t *state)
{
	uint64_t fill = ring_bytes(ring) /
			(config->driver->payload_bytes + 16u + config->extra_bytes);
	uint64_t random = next_random(state);

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
	writer->random = next_random(state) | 1;
}

static int storm_timers(struct thread *thread)
{
	const struct stress_config *config = thread->config;
	uint64_t period = config->has_sender ? STORM_LEVEL_3_NS : STORM_TIMER_ONLY_NS;
	unsigned int level = config->has_sender ? 3 : 1, error;

	if (config->workload != WORKLOAD_storm)
		return 0;
	thread->sender.period_ns[1] = (uint64_t)(STORM_LEVEL_1_NS * thread->stretch);
	thread->sender.period_ns[2] =
		config->levels < 2 ? 0 : (uint64_t)(STORM_LEVEL_2_NS * thread->stretch);
	for (; level <= config->levels; level++) {
		/* Unequal periods, so that the levels drift through each other. */
		error = (unsigned int)-interrupts_timer(
			&thread->interrupts, level,
			(uint64_t)((double)(period + 7000u * level) * thread->stretch), false);
		if (error)
			return EXIT_RESOURCE;
	}
	return 0;
}

/* Slower where the epoch left the writer too little, quicker where it left much. */
static int storm_adapt(struct thread *thread, uint64_t events, uint64_t recording_ns)
{
	double share;

	if (thread->config->workload != WORKLOAD_storm || recording_ns < EPOCH_NS / 10)
		return 0;
	share = (double)events * thread->calm_ns / (double)recording_ns;
	if (share < SHARE_LEAST)
		thread->stretch *= 1.15;
	else if (share > SHARE_MUCH && thread->stretch > 1.05)
		thread->stretch /= 1.05;
	else
		return 0;
	return storm_timers(thread);
}

static int beat_start(struct thread *thread)
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

static void round_once(struct thread *thread, struct check *check)
{
	struct buffer *buffer = &thread->buffer;
	uint64_t events = stress_round_events(thread->config, buffer_ring(buffer),
					      &thread->random);
	uint64_t begin, end;

	begin = time_ns();
	if (thread->config->workload == WORKLOAD_storm)
		interrupts_unblock_storm();
	buffer->driver->run(buffer->scheme, &buffer->writer, events);
	if (thread->config->workload == WORKLOAD_storm)
		interrupts_block_storm();
	end = time_ns();
	thread->recording_ns += end - begin;
	thread->task_events += events;
	buffer_drain(buffer, check);
}

/* What the epoch did not give the scheme. */
static uint32_t epoch_unmet(const struct thread *thread, uint64_t delivered_before)
{
	const struct scheme_desc *desc = thread->config->driver->desc;
	uint32_t unmet = 0;

	if (desc->needs & NEED_BEAT &&
	    thread->interrupts.beat_worst_ticks >> buffer_ring(&thread->buffer)->stamp_bits)
		unmet |= NEED_BEAT;
	if (desc->needs & NEED_MASKED_INTERRUPTS &&
	    thread->interrupts.at_depth[1] != delivered_before)
		unmet |= NEED_MASKED_INTERRUPTS;
	return unmet;
}

static void epoch_end(struct thread *thread, struct check *check, uint64_t delivered_before)
{
	struct stress_result *result = &thread->result;
	const struct ring *ring = buffer_ring(&thread->buffer);
	struct check_totals totals;
	uint32_t unmet;
	bool clean;

	interrupts_block_beat();
	interrupts_beat_end(&thread->interrupts);
	buffer_drain(&thread->buffer, check);
	clean = check_clean(check);
	buffer_totals(&thread->buffer, &totals);
	check_finish(check, &totals);
	unmet = epoch_unmet(thread, delivered_before);
	if (unmet && !check_clean(check)) {
		result->unmet |= unmet;
		result->void_epochs++;
		stress_merge_check(&result->voided, check);
	} else {
		if (!result->shown[0] && !clean)
			stress_show(&thread->buffer, check, result->shown, sizeof(result->shown));
		stress_merge_check(&result->check, check);
	}
	if (thread->interrupts.beat_worst_ticks > result->beat_worst_ticks)
		result->beat_worst_ticks = thread->interrupts.beat_worst_ticks;
	result->lost += ring->lost;
	result->refused += ring->refused;
	result->stuck += ring->stuck;
	result->deferred += thread->buffer.writer.deferred;
	if (thread->buffer.writer.deferred_worst_ticks > result->deferred_worst_ticks)
		result->deferred_worst_ticks = thread->buffer.writer.deferred_worst_ticks;
	result->epochs++;
}

static int epoch(struct thread *thread, uint64_t deadline)
{
	struct ring_config ring =
		stress_geometry(thread->config, thread->pu, &thread->random);
	struct check check;
	uint64_t begin = time_ns(), delivered, events = thread->task_events;
	uint64_t recording_ns = thread->recording_ns;

	if (buffer_reset(&thread->buffer, &ring)) {
		fprintf(stderr, "stampede: ring geometry larger than its memory\n");
		return EXIT_USAGE;
	}
	check_init(&check, thread->config->driver->desc, ring.stamp_bits);
	delivered = thread->interrupts.at_depth[1];
	interrupts_beat_begin(&thread->interrupts);
	interrupts_unblock_beat();
	do {
		round_once(thread, &check);
		/* Show a fault at once, while its neighbours are still in the ring. */
		if (!check_clean(&check) && !thread->result.shown[0] &&
		    !epoch_unmet(thread, delivered))
			stress_show(&thread->buffer, &check, thread->result.shown,
				    sizeof(thread->result.shown));
	} while (!stress_stop && time_ns() - begin < EPOCH_NS && time_ns() < deadline);
	epoch_end(thread, &check, delivered);
	return storm_adapt(thread, thread->task_events - events,
			   thread->recording_ns - recording_ns);
}

static void calibrate(struct thread *thread)
{
	struct buffer *buffer = &thread->buffer;
	uint64_t begin, best = UINT64_MAX, now;
	int i;

	for (i = 0; i < 5; i++) {
		begin = time_ns();
		buffer->driver->run(buffer->scheme, &buffer->writer, CALM_EVENTS / 5);
		now = time_ns() - begin;
		if (now < best)
			best = now;
	}
	thread->calm_ns = (double)best / (CALM_EVENTS / 5);
}

static void thread_summarise(struct thread *thread, uint64_t begin)
{
	struct stress_result *result = &thread->result;
	const struct interrupts *interrupts = &thread->interrupts;

	memcpy(result->delivered, interrupts->delivered, sizeof(result->delivered));
	memcpy(result->at_depth, interrupts->at_depth, sizeof(result->at_depth));
	result->hits = interrupts->hits;
	result->seconds = (double)(time_ns() - begin) / 1e9;
	result->recording_seconds = (double)thread->recording_ns / 1e9;
	result->writer_share =
		(double)thread->task_events * thread->calm_ns / (double)thread->recording_ns;
}

static int thread_run(struct thread *thread)
{
	const struct stress_config *config = thread->config;
	uint64_t begin = time_ns(), deadline = begin + (uint64_t)(config->seconds * 1e9);
	int error = 0;

	calibrate(thread);
	interrupts_attach(&thread->interrupts);
	error = storm_timers(thread);
	if (!error)
		error = beat_start(thread);
	__atomic_store_n(&thread->sender.target, thread->interrupts.tid, __ATOMIC_RELEASE);
	while (!error && !stress_stop && time_ns() < deadline)
		error = epoch(thread, deadline);
	__atomic_store_n(&thread->sender.stop, true, __ATOMIC_RELEASE);
	interrupts_detach(&thread->interrupts);
	thread_summarise(thread, begin);
	return error;
}

static void *thread_main(void *arg)
{
	struct thread *thread = arg;
	const struct stress_config *config = thread->config;

	if (place_bind_self(config->place, thread->pu)) {
		thread->error = EXIT_RESOURCE;
	} else {
		thread->error = stress_buffer(config, thread->pu, &thread->random,
					      &thread->buffer);
		thread->result.bits = stress_bits(config->driver, config->bits);
		if (!thread->error)
			thread->error = thread_run(thread);
		if (!thread->error && place_verify_self(config->place, thread->pu))
			thread->error = EXIT_RESOURCE;
		if (thread->buffer.driver)
			buffer_close(&thread->buffer);
	}
	__atomic_store_n(&thread->sender.stop, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The calling thread sends the storm to the only writer, from a CPU of its own. */
static int send_storm(const struct stress_config *config, struct thread *thread)
{
	pid_t target;

	if (place_bind_self(config->place, config->pu[config->threads]))
		return EXIT_RESOURCE;
	do
		target = __atomic_load_n(&thread->sender.target, __ATOMIC_ACQUIRE);
	while (!target && !__atomic_load_n(&thread->sender.stop, __ATOMIC_ACQUIRE));
	if (target)
		interrupt_sender_run(&thread->sender, (uint64_t)((config->seconds + 5) * 1e9));
	if (thread->sender.error && thread->sender.error != ESRCH) {
		fprintf(stderr, "stampede: cannot send a signal: %s\n",
			strerror(thread->sender.error));
		return EXIT_RESOURCE;
	}
	return 0;
}

static void merge(struct stress_result *sum, const struct thread *thread, unsigned int threads)
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
	sum->lost += one->lost;
	sum->refused += one->refused;
	sum->stuck += one->stuck;
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
	if (!sum->shown[0])
		memcpy(sum->shown, one->shown, sizeof(sum->shown));
}

int stress_run(const struct stress_config *config, struct stress_result *result)
{
	struct thread *threads = calloc(config->threads, sizeof(*threads));
	unsigned int i, started;
	int error = 0, one;

	if (config->workload == WORKLOAD_late_beat) {
		free(threads);
		return stress_late_beat(config, result);
	}
	if (config->shared) {
		free(threads);
		return stress_shared(config, result);
	}
	*result = (struct stress_result){ .check.desc = config->driver->desc };
	if (!threads) {
		fprintf(stderr, "stampede: no memory for %u threads\n", config->threads);
		return EXIT_RESOURCE;
	}
	for (i = 0; i < config->threads; i++) {
		threads[i].config = config;
		threads[i].pu = config->pu[i];
		threads[i].stretch = STORM_STRETCH;
		threads[i].random = (config->seed + 1) * 0x9e3779b97f4a7c15u + i;
		threads[i].interrupts.handle = handle_interrupt;
		threads[i].interrupts.arg = &threads[i];
		stress_section(&threads[i].interrupts);
		check_init(&threads[i].result.check, config->driver->desc,
			   stress_bits(config->driver, config->bits));
		one = pthread_create(&threads[i].thread, NULL, thread_main, &threads[i]);
		if (one) {
			fprintf(stderr, "stampede: cannot start thread %u: %s\n", i, strerror(one));
			error = EXIT_RESOURCE;
			stress_stop = 1;
			break;
		}
	}
	started = i;
	if (!error && config->has_sender && config->workload == WORKLOAD_storm)
		error = send_storm(config, &threads[0]);
	for (i = 0; i < started; i++) {
		pthread_join(threads[i].thread, NULL);
		if (threads[i].error && !error)
			error = threads[i].error;
		merge(result, &threads[i], started);
	}
	result->interrupted = stress_stop;
	free(threads);
	return error;
}
