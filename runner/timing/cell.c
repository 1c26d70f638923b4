// SPDX-License-Identifier: MIT
#include "runner/timing/cell.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/rng.h"
#include "schemes/core/clock.h"
#include "schemes/core/inject.h"
#include "runner/timing/counters.h"
#include "runner/timing/gbench.h"
#include "workloads/engine/interrupts.h"
#include "judge/judge.h"
#include "results/samples.h"
#include "runner/place/ticks.h"
#include "runner/timing/undisturbed.h"

#define WARM_MOST_NS 10000000
#define EVENT_BYTES 8.0
/* More batches than that are not timed for want of undisturbed ones. */
#define LONGER_BATCHES 8192
/* Batches of which only so many together hold the same of what is injected. */
#define INJECTED_WINDOW 4

struct cell_thread {
	pthread_t thread;
	const struct cell *cell;
	unsigned int pu;
	pthread_barrier_t *barrier;
	bool timed_by_library; /* the first thread; Google Benchmark runs one body per process */
	struct buffer buffer;
	struct interrupts interrupts;
	struct counters user, all;
	struct counters_values user_values, all_values;
	struct gbench_result result;
	uint64_t ns; /* by the wall */
	uint64_t cpu_ns; /* on the CPU */
	uint64_t probes_ns, probes_cpu_ns; /* that probes took of both */
	uint64_t cpu_clock_ns; /* that one reading of the second takes */
	atomic_bool *enough; /* of all: one of them was undisturbed for long enough */
	uint64_t wait_ns; /* that are left to wait for an undisturbed core */
	uint64_t waited_ns;
	/* Clock behind the last batch; the longest from one to the next */
	uint64_t ended, longest_ticks;
	struct undisturbed times;
	uint64_t began; /* clock before the first event */
	uint64_t missing; /* of a batch of which nothing can be overwritten: not found again */
	bool failed;
};

static void handle_beat(void *arg, unsigned int source)
{
	struct cell_thread *thread = arg;

	(void)source;
	thread->buffer.driver->beat(thread->buffer.scheme, &thread->buffer.writer);
}

static void run_batch(struct cell_thread *thread, uint64_t events)
{
	struct buffer *buffer = &thread->buffer;

	if (thread->cell->clock_alone)
		buffer->driver->run_clock(buffer->scheme, &buffer->writer, events);
	else if (thread->cell->empty)
		buffer->driver->run_empty(buffer->scheme, &buffer->writer, events);
	else
		buffer->driver->run(buffer->scheme, &buffer->writer, events);
}

/*
 * What the clock of CPU time takes itself: a system call, up to half a microsecond, of which the
 * difference of two readings lacks as much as one.
 */
static uint64_t cpu_clock_takes_ns(void)
{
	uint64_t least = UINT64_MAX, begin, took;
	int i;

	for (i = 0; i < 16; i++) {
		begin = cpu_time_ns();
		took = cpu_time_ns() - begin;
		least = took < least ? took : least;
	}
	return least;
}

/* What it takes is no part of the repetition: not of its counters, nor of its clocks. */
static void run_probe(struct cell_thread *thread)
{
	uint64_t ns = time_ns(), cpu_ns = cpu_time_ns();

	counters_pause(&thread->all);
	counters_pause(&thread->user);
	undisturbed_probe(&thread->times);
	counters_resume(&thread->user);
	counters_resume(&thread->all);
	thread->probes_cpu_ns += cpu_time_ns() - cpu_ns + thread->cpu_clock_ns;
	thread->probes_ns += time_ns() - ns;
}

static void time_batch(struct cell_thread *thread)
{
	uint64_t begin = clock_real(), end;

	run_batch(thread, CELL_BATCH);
	end = clock_real();
	thread->times.batch[thread->times.batches++] = (double)(end - begin);
	if (end - thread->ended > thread->longest_ticks)
		thread->longest_ticks = end - thread->ended;
	thread->ended = end;
}

static void start(struct cell_thread *thread)
{
	thread->cpu_clock_ns = cpu_clock_takes_ns();
	pthread_barrier_wait(thread->barrier);
	counters_start(&thread->user);
	counters_start(&thread->all);
	thread->ns = time_ns();
	thread->cpu_ns = cpu_time_ns();
}

static void stop(struct cell_thread *thread)
{
	thread->cpu_ns = cpu_time_ns() - thread->cpu_ns;
	thread->ns = time_ns() - thread->ns;
	counters_stop(&thread->all, &thread->all_values);
	counters_stop(&thread->user, &thread->user_values);
}

/* False if the time for it is over, by the wall; books what was spent. */
static bool wait_until_undisturbed(struct cell_thread *thread)
{
	uint64_t begin = time_ns();
	bool calm = undisturbed_wait(&thread->times, thread->cell->probe_limit,
				     begin + thread->wait_ns);
	uint64_t spent = time_ns() - begin;

	thread->wait_ns -= spent < thread->wait_ns ? spent : thread->wait_ns;
	thread->waited_ns += spent;
	return calm;
}

/* Several would wait for each other; and wraps by plan bring the only beats that there are. */
static bool may_idle(const struct cell_thread *thread)
{
	return thread->cell->threads == 1 && !thread->cell->injected.wrap_every;
}

/* Counters and clocks of the whole repetition begin when the neighbours are gone too. */
static void begin_undisturbed(struct cell_thread *thread)
{
	if (!(thread->cell->probe_limit > 0) || !may_idle(thread))
		return;
	undisturbed_probe(&thread->times);
	wait_until_undisturbed(thread);
	thread->times.probes = 0;
}

static void finish_window(struct cell_thread *thread)
{
	while (!undisturbed_is_due(&thread->times))
		time_batch(thread);
	undisturbed_probe(&thread->times);
}

/* There is room for one more window, and it is wanted. */
static bool lacks_more(const struct cell_thread *thread)
{
	const struct undisturbed *times = &thread->times;

	return thread->cell->probe_limit > 0 && times->batches + times->window <= times->most &&
	       !undisturbed_enough(times, thread->cell->probe_limit);
}

static void go_on_alone(struct cell_thread *thread)
{
	while (lacks_more(thread) && wait_until_undisturbed(thread)) {
		time_batch(thread);
		finish_window(thread);
	}
}

/* All go on recording, none idle beside the others, until one of them has enough. */
static void go_on_together(struct cell_thread *thread)
{
	uint64_t begin = time_ns();

	while (!atomic_load(thread->enough) && lacks_more(thread) &&
	       time_ns() - begin < thread->wait_ns) {
		time_batch(thread);
		finish_window(thread);
	}
	if (!lacks_more(thread))
		atomic_store(thread->enough, true);
	thread->waited_ns = time_ns() - begin;
}

/*
 * Cheaper than another repetition, whose core is shared by the same neighbour: times what is
 * lacking when it has left.
 */
static void go_on_until_undisturbed(struct cell_thread *thread)
{
	finish_window(thread);
	if (may_idle(thread))
		go_on_alone(thread);
	else
		go_on_together(thread);
}

static void probe_and_time_batch(struct cell_thread *thread)
{
	if (undisturbed_is_due(&thread->times))
		run_probe(thread);
	time_batch(thread);
}

static void body(struct gbench_state *state, void *ctx)
{
	struct cell_thread *thread = ctx;
	bool started = false;

	while (gbench_keep_running(state, CELL_BATCH)) {
		/* The library's clock starts with its first answer, the counters right behind. */
		if (!started)
			start(thread);
		started = true;
		probe_and_time_batch(thread);
	}
	stop(thread);
}

/* Once round the ring, so that nothing measured is the first of its kind; or for WARM_MOST_NS,
 * where an event is two system calls. */
static void warm(struct cell_thread *thread)
{
	uint64_t left = ring_bytes(buffer_ring(&thread->buffer)) / 12,
		 end = time_ns() + WARM_MOST_NS;

	for (; left > CELL_BATCH && time_ns() < end; left -= CELL_BATCH)
		run_batch(thread, CELL_BATCH);
}

static void measure(struct cell_thread *thread)
{
	const struct cell *cell = thread->cell;
	struct gbench_cell gbench = {
		.name = cell->clock_alone ? CELL_CLOCK :
			cell->empty	  ? CELL_EMPTY :
					    cell->driver->row,
		.iterations = (int64_t)cell->iterations,
		.body = body,
		.ctx = thread,
	};
	uint64_t i;

	thread->ended = clock_real();
	warm(thread);
	thread->wait_ns = (uint64_t)cell->wait_ns;
	begin_undisturbed(thread);
	if (thread->timed_by_library) {
		thread->failed = gbench_run(&gbench, &thread->result);
		if (thread->failed)
			fail_line("%s", thread->result.error);
		go_on_until_undisturbed(thread);
		return;
	}
	start(thread);
	for (i = 0; i < cell->iterations; i += CELL_BATCH)
		probe_and_time_batch(thread);
	stop(thread);
	go_on_until_undisturbed(thread);
	thread->result.iterations = (int64_t)i;
	thread->result.real_ns = (double)thread->ns;
}

/* The plan of the injected build; there is one thread, and nothing records yet. */
static void inject(const struct cell_injection *plan)
{
	injection.random = RNG_GOLDEN;
	injection.wrap_every = plan->wrap_every;
	injection.nest_every = plan->nest_every;
	injection.nest_depth = plan->nest_depth;
	injection.due = injection_gap(plan->wrap_every ? plan->wrap_every : plan->nest_every);
}

/*
 * One batch into an empty ring, by the loop that is timed: every event that was asked for is there.
 * In the batches that are timed the ring is lapped, and how many there were can only be bounded.
 */
static bool count_one_batch(struct cell_thread *thread, const struct ring_config *config)
{
	struct buffer *buffer = &thread->buffer;
	struct check check;
	unsigned int context;

	if (thread->cell->empty)
		return true;
	run_batch(thread, CELL_BATCH);
	buffer_check(buffer, &check);
	buffer_drain(buffer, &check);
	for (context = 0; context < CONTEXTS; context++)
		thread->missing += buffer->writer.entered[context];
	thread->missing -= check.events;
	return !buffer_reset(buffer, config);
}

static bool prepare(struct cell_thread *thread)
{
	const struct driver *driver = thread->cell->driver;
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	double period_ns;

	config.cpu = thread->pu;
	if (place_bind_self(thread->cell->place, thread->pu) ||
	    buffer_open(&thread->buffer, driver, &config) ||
	    !undisturbed_open(&thread->times, thread->cell->injected.on ? INJECTED_WINDOW : 1,
			      thread->cell->iterations / CELL_BATCH + 1 + LONGER_BATCHES))
		return false;
	counters_open(&thread->user, COUNTERS_USER);
	counters_open(&thread->all, COUNTERS_USER_KERNEL);
	thread->interrupts.handle = handle_beat;
	thread->interrupts.arg = thread;
	interrupts_attach(&thread->interrupts);
	inject(&thread->cell->injected);
	/* From before the ring's first stamp on: a beat is due within a wrap of that, too. */
	interrupts_beat_begin(&thread->interrupts);
	if (!count_one_batch(thread, &config))
		return false;
	inject(&thread->cell->injected);
	thread->began = clock_real();
	/* Wraps by plan bring their beats along (driver_inject.h). */
	if (!(driver->desc->needs & NEED_BEAT) || thread->cell->injected.wrap_every)
		return true;
	period_ns = driver_beat_ns(driver, driver->stamp_bits, ticks_hz());
	if (interrupts_timer(&thread->interrupts, INTERRUPT_BEAT, (uint64_t)period_ns, false))
		return false;
	interrupts_unblock_beat();
	return true;
}

static void *thread_main(void *arg)
{
	struct cell_thread *thread = arg;

	thread->failed = !prepare(thread);
	/* All meet here, also those that failed, so that none waits for ever. */
	if (thread->failed) {
		pthread_barrier_wait(thread->barrier);
	} else {
		measure(thread);
		counters_close(&thread->user);
		counters_close(&thread->all);
	}
	if (thread->buffer.driver && !thread->failed)
		thread->failed = place_verify_self(thread->cell->place, thread->pu);
	interrupts_block_beat();
	if (thread->interrupts.has_timer[INTERRUPT_BEAT])
		interrupts_beat_end(&thread->interrupts);
	interrupts_detach(&thread->interrupts);
	return NULL;
}

/* Ticks that it may have been without a beat: where wraps come by plan no timer brings any. */
static uint64_t worst_beat(const struct cell_thread *thread)
{
	return thread->cell->injected.wrap_every ? thread->longest_ticks :
						   thread->interrupts.beat_worst_ticks;
}

/* What the oracles say of the thread's ring; NULL if nothing, or a need was not met. */
static const char *judge(struct cell_thread *thread, struct check *check, uint32_t *unmet)
{
	struct judge_given given = {
		.beat_worst_ticks = worst_beat(thread),
		.nested = thread->cell->injected.nest_every,
		.ample = true,
		.began = thread->began,
	};
	struct buffer *buffer = &thread->buffer;
	struct judgement judgement;

	buffer_check(buffer, check);
	judge_buffer(buffer, check, &given, &judgement);
	*unmet = judgement.unmet;
	if (thread->missing)
		return "events are missing from a batch that nothing overwrites";
	if (judgement.verdict == VERDICT_BROKEN)
		return judgement.text ? judgement.text : "stuck";
	/* A ring with nothing in it is no verdict. */
	return check->events && check->subbufs > 1 ? NULL : "too little recorded to be judged";
}

static json_t *counted(const struct counters_values *values, uint64_t value, double events)
{
	return values->state == COUNTERS_NO ? json_null() : json_real((double)value / events);
}

/* Bytes per event, from the whole sub-buffers: the newest one was cut short by the flush. */
static void report_bytes(json_t *json, const struct check *seen, uint64_t subbuf_bytes)
{
	double events = (double)seen->events, header, payload, whole, padding;

	if (!seen->events || seen->subbufs < 2)
		return;
	header = (double)seen->header_bytes / events;
	payload = (double)seen->payload_bytes / events;
	padding = (double)seen->alignment_bytes / events;
	whole = (double)(subbuf_bytes * (seen->subbufs - 1)) /
		(double)(seen->events - seen->last_events);
	json_object_set_new(json, "header_bytes", json_real(header));
	/* Every event carries 8 bytes; what a format rounds them up to is alignment as well. */
	json_object_set_new(json, "payload_bytes", json_real(EVENT_BYTES));
	json_object_set_new(json, "alignment_bytes", json_real(padding + payload - EVENT_BYTES));
	json_object_set_new(json, "subbuf_bytes", json_real(whole - header - payload - padding));
	json_object_set_new(json, "bytes", json_real(whole));
}

/*
 * The mean of those whose cores were shared least, by the probe: another guest's thread is seldom
 * beside all of them. Where our own threads share cores all probes are alike, and all count.
 */
static struct undisturbed_time average(struct cell_thread *threads, unsigned int count)
{
	const struct cell *cell = threads[0].cell;
	struct undisturbed_time one[CELL_THREADS_MAX], mean = { 0, 0, 0 };
	double least = INFINITY;
	unsigned int i, taken = 0;

	for (i = 0; i < count; i++) {
		one[i] = undisturbed_time(&threads[i].times, cell->probe_limit);
		least = fmin(least, one[i].probe);
	}
	for (i = 0; i < count; i++) {
		if (one[i].probe > least * SAMPLES_UNDISTURBED)
			continue;
		mean.ticks += one[i].ticks;
		mean.mean += one[i].mean;
		mean.probe += one[i].probe;
		taken++;
	}
	return (struct undisturbed_time){ mean.ticks / taken / CELL_BATCH,
					  mean.mean / taken / CELL_BATCH, mean.probe / taken };
}

static json_t *report(struct cell_thread *threads, unsigned int count)
{
	struct cell_thread *first = &threads[0];
	double events = (double)first->result.iterations, ns = 0, cpu_ns = 0, share;
	struct undisturbed_time time = average(threads, count);
	const struct counters_values *all = &first->all_values, *user = &first->user_values;
	json_t *json = json_object();
	const char *violation = NULL, *one;
	struct check check, seen = { .desc = first->cell->driver->desc };
	uint32_t unmet = 0, missed;
	unsigned int i;

	for (i = 0; i < count; i++) {
		share = 1.0 / ((double)threads[i].result.iterations * count);
		ns += (threads[i].result.real_ns - (double)threads[i].probes_ns) * share;
		cpu_ns += (double)(threads[i].cpu_ns - threads[i].probes_cpu_ns) * share;
		if (first->cell->empty)
			continue;
		one = judge(&threads[i], &check, &missed);
		violation = violation ? violation : one;
		unmet |= missed;
		if (!i)
			seen = check;
	}
	json_object_set_new(json, "iterations", json_integer((json_int_t)events));
	json_object_set_new(json, "violation", violation ? json_string(violation) : json_null());
	json_object_set_new(json, "unmet_needs", json_integer(unmet));
	json_object_set_new(json, "counters",
			    json_string(all->state == COUNTERS_NO ? user->why : ""));
	json_object_set_new(json, "real_time", json_real(ns));
	json_object_set_new(json, "cpu_time", json_real(cpu_ns));
	json_object_set_new(json, "ns", json_real(time.ticks * 1e9 / ticks_hz()));
	json_object_set_new(json, "mean_ns", json_real(time.mean * 1e9 / ticks_hz()));
	json_object_set_new(json, "ticks", json_real(time.ticks));
	json_object_set_new(json, "probe", json_real(time.probe));
	json_object_set_new(json, "waited_ns", json_integer((json_int_t)first->waited_ns));
	json_object_set_new(json, "cycles",
			    all->state == COUNTERS_NO ? counted(user, user->cycles, events) :
							counted(all, all->cycles, events));
	json_object_set_new(json, "instructions", counted(user, user->instructions, events));
	if (!first->cell->empty)
		report_bytes(json, &seen, ring_subbuf_bytes(buffer_ring(&first->buffer)));
	return json;
}

json_t *cell_run(const struct cell *cell)
{
	struct cell_thread *threads = calloc(cell->threads, sizeof(*threads));
	pthread_barrier_t barrier;
	atomic_bool enough = false;
	json_t *json = NULL;
	bool failed = !threads;
	unsigned int i, started = 0;

	pthread_barrier_init(&barrier, NULL, cell->threads);
	for (i = 0; i < cell->threads && !failed; i++) {
		threads[i].cell = cell;
		threads[i].pu = cell->pu[i];
		threads[i].barrier = &barrier;
		threads[i].enough = &enough;
		threads[i].timed_by_library = i == 0;
		failed = pthread_create(&threads[i].thread, NULL, thread_main, &threads[i]);
		started += !failed;
	}
	if (failed) {
		fail_line("cannot start %u threads", cell->threads);
		/* Those that did start wait at the barrier: the process ends with them. */
		return NULL;
	}
	for (i = 0; i < started; i++) {
		pthread_join(threads[i].thread, NULL);
		failed = failed || threads[i].failed;
	}
	if (!failed)
		json = report(threads, cell->threads);
	for (i = 0; i < started; i++)
		if (threads[i].buffer.driver)
			buffer_close(&threads[i].buffer);
	for (i = 0; i < started; i++)
		undisturbed_close(&threads[i].times);
	pthread_barrier_destroy(&barrier);
	free(threads);
	return json;
}
