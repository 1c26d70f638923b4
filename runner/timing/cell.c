// SPDX-License-Identifier: MIT
#include "runner/timing/cell.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/time.h"
#include "schemes/core/clock.h"
#include "schemes/core/inject.h"
#include "runner/timing/counters.h"
#include "runner/timing/cycles.h"
#include "workloads/engine/interrupts.h"
#include "judge/judge.h"
#include "results/samples.h"
#include "runner/place/ticks.h"

#define EVENT_BYTES 8.0
#define WARM_BATCHES 2 /* once round the ring: nothing measured is the first of its kind */
#define PART 0.1 /* the quantile of batches that counts: interruptions only lengthen them */
/* Of which the ring loses none, whatever is injected. */
#define COUNTED_EVENTS 512
#define TRIAL_EVENTS 256
#define TRIALS 3
#define SPINS 2000
/* Passes that are enough to tell a time from. */
#define CALM_LEAST 6
#define READINGS 128
#define WAIT_NS 30000000 /* for a pass; once in vain, the slot waits no longer */

enum { ROW, FLOOR, OTHER, SUBJECTS }; /* the row and its mates */

struct cell_subject {
	const struct driver *driver;
	void (*run)(void *scheme, struct writer *writer, uint64_t events);
	struct cell_injection plan;
	struct injection injection; /* its state between batches */
	struct buffer buffer;
	uint64_t events; /* of a batch */
	uint64_t began; /* clock before the first event */
	double *ticks; /* of each batch */
};

struct cell_thread {
	struct cell_state *of;
	unsigned int pu;
	struct cell_subject subject[SUBJECTS];
	unsigned int pass; /* over the subjects; one is a pair */
	bool *calm; /* each pass: the core was not shared */
	double cycle[READINGS]; /* ticks of one, by the last readings */
	unsigned int readings;
	double least_cycle, last_loop;
	uint64_t wait_ns; /* that a pass may take to be calm */
	struct interrupts interrupts;
	/* Clock after the row's last batch; the longest from one to the next */
	uint64_t ended, longest_ticks;
	uint64_t missing; /* of a batch of which nothing can be overwritten: not found again */
};

struct cell_state {
	const struct cell *cell;
	const struct driver *driver[SUBJECTS]; /* NULL: no such mate */
	const char *other; /* key of the ratio to OTHER */
	unsigned int pairs;
	/* What threads found, one after the other. */
	atomic_flag taken;
	const char *violation;
	uint32_t unmet;
	int counters_error;
	atomic_uint met; /* threads that came to a batch, of all batches */
	atomic_bool failed; /* one of them */
	struct cell_thread thread[];
};

static bool is_bare(const struct cell *cell)
{
	return !strcmp(cell->row, CELL_EMPTY) || !strcmp(cell->row, CELL_CLOCK);
}

static const struct driver *const *drivers_of(const struct cell *cell)
{
	return cell->injected.on ? drivers_injected : cell->cheap ? drivers_cheap : drivers_timed;
}

const struct driver *cell_driver(const struct cell *cell)
{
	return is_bare(cell) ? drivers_of(cell)[0] : driver_find(drivers_of(cell), cell->row);
}

/* ---- a batch ---- */

static void handle_beat(void *arg, unsigned int source)
{
	struct cell_thread *thread = arg;
	struct cell_subject *its;

	(void)source;
	for (its = thread->subject; its < thread->subject + SUBJECTS; its++)
		if (its->driver && its->driver->desc->needs & NEED_BEAT)
			its->driver->beat(its->buffer.scheme, &its->buffer.writer);
}

/* Threads record the same row at the same time; who waits gives its CPU away. */
static void meet(struct cell_state *state)
{
	unsigned int threads = state->cell->threads, turn, spins = 0;

	if (threads == 1)
		return;
	turn = atomic_fetch_add(&state->met, 1) / threads;
	while (atomic_load(&state->met) / threads == turn && !atomic_load(&state->failed))
		if (++spins > SPINS)
			sched_yield();
}

static void time_batch(struct cell_thread *thread, struct cell_subject *subject)
{
	bool injects = thread->of->cell->injected.on;
	uint64_t begin, end;

	meet(thread->of);
	if (injects)
		injection = subject->injection;
	begin = clock_real();
	subject->run(subject->buffer.scheme, &subject->buffer.writer, subject->events);
	end = clock_real();
	if (injects)
		subject->injection = injection;
	subject->ticks[thread->pass] = (double)(end - begin);
	if (subject != &thread->subject[ROW])
		return;
	if (thread->ended && end - thread->ended > thread->longest_ticks)
		thread->longest_ticks = end - thread->ended;
	thread->ended = end;
}

/* Had it the core for itself, by a reading? */
static bool is_calm(const struct cell_thread *thread, double loop)
{
	return loop <= SAMPLES_SHARED * thread->least_cycle;
}

static double read_loop(struct cell_thread *thread)
{
	struct cycles_reading now = cycles_read();

	thread->cycle[thread->readings++ % READINGS] = now.cycle;
	thread->least_cycle = fmin(thread->least_cycle, now.cycle);
	return now.loop;
}

static void time_batches(struct cell_thread *thread)
{
	unsigned int i, which;

	for (i = 0; i < SUBJECTS; i++) {
		which = thread->pass % 2 ? SUBJECTS - 1 - i : i;
		if (thread->subject[which].driver)
			time_batch(thread, &thread->subject[which]);
	}
}

/* Several would wait for each other; and wraps by plan bring the only beats that there are. */
static bool may_wait(const struct cell *cell)
{
	return cell->threads == 1 && !cell->injected.wrap_every;
}

/*
 * A pass between two readings of which neither saw another thread on the core; a disturbed one is
 * dropped whole and repeated, as long as there is time to wait. What the batches took has no part
 * in it.
 */
static void pass(struct cell_thread *thread)
{
	uint64_t begin = time_ns();
	double before = thread->last_loop, after;
	bool calm;

	for (;;) {
		while (!is_calm(thread, before) && time_ns() - begin < thread->wait_ns)
			before = read_loop(thread);
		time_batches(thread);
		after = read_loop(thread);
		calm = is_calm(thread, before) && is_calm(thread, after);
		if (calm || time_ns() - begin >= thread->wait_ns)
			break;
		before = after;
	}
	if (!calm)
		thread->wait_ns = 0;
	thread->calm[thread->pass++] = calm;
	thread->last_loop = after;
}

/* ---- before ---- */

/* The plan of the injected build; nothing records yet. */
static void inject(struct cell_subject *subject)
{
	const struct cell_injection *plan = &subject->plan;

	injection.random = RNG_GOLDEN;
	injection.wrap_every = plan->wrap_every;
	injection.nest_every = plan->nest_every;
	injection.nest_depth = plan->nest_depth;
	injection.due = injection_gap(plan->wrap_every ? plan->wrap_every : plan->nest_every);
}

/*
 * Some events into an empty ring, by the loop that is timed: each that was asked for is there. In
 * the batches that are timed the ring is lapped, and how many there were can only be bounded.
 */
static bool count_some(struct cell_thread *thread, const struct ring_config *config)
{
	struct cell_subject *row = &thread->subject[ROW];
	struct buffer *buffer = &row->buffer;
	struct check check;
	unsigned int context;

	inject(row);
	row->run(buffer->scheme, &buffer->writer, COUNTED_EVENTS);
	buffer_check(buffer, &check);
	buffer_drain(buffer, &check);
	for (context = 0; context < CONTEXTS; context++)
		thread->missing += buffer->writer.entered[context];
	thread->missing -= check.events;
	return !buffer_reset(buffer, config);
}

static bool start_beats(struct cell_thread *thread)
{
	const struct driver *driver = thread->of->driver[ROW];
	double period_ns = driver_beat_ns(driver, driver->stamp_bits, ticks_hz()); /* or INFINITY */

	/* Wraps by plan bring their beats along (driver_inject.h). */
	if (!(driver->desc->needs & NEED_BEAT) || thread->of->cell->injected.wrap_every)
		return true;
	if (interrupts_timer(&thread->interrupts, INTERRUPT_BEAT, (uint64_t)period_ns, false))
		return false;
	interrupts_unblock_beat();
	return true;
}

static bool open_subject(struct cell_thread *thread, unsigned int which)
{
	const struct cell *cell = thread->of->cell;
	struct cell_subject *its = &thread->subject[which];
	const struct driver *driver = thread->of->driver[which];
	struct ring_config config;
	unsigned int i;

	its->events = CELL_BATCH + (which == ROW ? cell->more : 0);
	its->run = strcmp(cell->row, CELL_EMPTY) == 0 ? driver->run_empty :
		   strcmp(cell->row, CELL_CLOCK) == 0 ? driver->run_clock :
							driver->run;
	its->plan = cell->injected;
	/* Its mate is itself with nothing injected. */
	if (which == OTHER && cell->injected.on)
		its->plan = (struct cell_injection){ .on = true };
	its->ticks = calloc(thread->of->pairs, sizeof(double));
	config = buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	config.cpu = thread->pu;
	if (!its->ticks || buffer_open(&its->buffer, driver, &config))
		return false;
	its->driver = driver;
	if (which == ROW && !is_bare(cell) && !count_some(thread, &config))
		return false;
	inject(its);
	its->began = clock_real();
	if (which == ROW && !start_beats(thread))
		return false;
	for (i = 0; i < WARM_BATCHES; i++)
		its->run(its->buffer.scheme, &its->buffer.writer, CELL_BATCH);
	its->injection = injection;
	return true;
}

static void end_beats(struct cell_thread *thread)
{
	interrupts_block_beat();
	if (thread->interrupts.has_timer[INTERRUPT_BEAT])
		interrupts_beat_end(&thread->interrupts);
	interrupts_detach(&thread->interrupts);
}

static bool prepare(struct cell_thread *thread)
{
	unsigned int which;

	thread->calm = calloc(thread->of->pairs, sizeof(*thread->calm));
	if (!thread->calm || place_bind_self(thread->of->cell->place, thread->pu))
		return false;
	/* Mates first: where the row beats, its ring waits for no other one to be opened. */
	for (which = FLOOR; which < SUBJECTS; which++)
		if (thread->of->driver[which] && !open_subject(thread, which))
			return false;
	/* Before the ring's first stamp: a beat is due within a wrap of that, too. */
	interrupts_beat_begin(&thread->interrupts);
	return open_subject(thread, ROW);
}

/* ---- after ---- */

/* Ticks that it may have been without a beat: where wraps come by plan no timer brings any. */
static uint64_t worst_beat(const struct cell_thread *thread)
{
	return thread->of->cell->injected.wrap_every ? thread->longest_ticks :
						       thread->interrupts.beat_worst_ticks;
}

/* What the oracles say of the row's ring; NULL if nothing, or a need was not met. */
static const char *judge(struct cell_thread *thread, struct check *check, uint32_t *unmet)
{
	struct cell_subject *row = &thread->subject[ROW];
	struct judge_given given = {
		.beat_worst_ticks = worst_beat(thread),
		.nested = row->plan.nest_every,
		.ample = true,
		.began = row->began,
	};
	struct judgement judgement;

	buffer_check(&row->buffer, check);
	judge_buffer(&row->buffer, check, &given, &judgement);
	*unmet = judgement.unmet;
	if (thread->missing)
		return "events are missing from a batch that nothing overwrites";
	if (judgement.verdict == VERDICT_BROKEN)
		return judgement.text ? judgement.text : "stuck";
	/* A ring with nothing in it is no verdict. */
	return check->events && check->subbufs > 1 ? NULL : "too little recorded to be judged";
}

/* Bytes per event, from the whole sub-buffers: the newest one was cut short by the flush. */
static void count_bytes(struct gbench_state *state, const struct check *seen, uint64_t subbuf_bytes)
{
	double events = (double)seen->events, header, payload, whole, padding;

	if (!seen->events || seen->subbufs < 2)
		return;
	header = (double)seen->header_bytes / events;
	payload = (double)seen->payload_bytes / events;
	padding = (double)seen->alignment_bytes / events;
	whole = (double)(subbuf_bytes * (seen->subbufs - 1)) /
		(double)(seen->events - seen->last_events);
	gbench_count(state, "header_bytes", header);
	/* Every event carries 8 bytes; what a format rounds them up to is alignment as well. */
	gbench_count(state, "payload_bytes", EVENT_BYTES);
	gbench_count(state, "alignment_bytes", padding + payload - EVENT_BYTES);
	gbench_count(state, "subbuf_bytes", whole - header - payload - padding);
	gbench_count(state, "bytes", whole);
}

static void judge_thread(struct gbench_state *state, struct cell_thread *thread)
{
	struct cell_state *of = thread->of;
	struct buffer *buffer = &thread->subject[ROW].buffer;
	struct check check = { .desc = buffer->driver->desc };
	const char *violation;
	uint32_t unmet;

	while (atomic_flag_test_and_set(&of->taken))
		sched_yield();
	violation = judge(thread, &check, &unmet);
	of->violation = of->violation ? of->violation : violation;
	of->unmet |= unmet;
	atomic_flag_clear(&of->taken);
	count_bytes(state, &check, ring_subbuf_bytes(buffer_ring(buffer)));
}

static void run_batch(void *arg)
{
	struct cell_subject *row = arg;

	row->run(row->buffer.scheme, &row->buffer.writer, CELL_BATCH);
}

/* What single steps have not told, by the CPU's counter. */
static void count_instructions(struct gbench_state *state, struct cell_thread *thread)
{
	const struct cell *cell = thread->of->cell;
	uint64_t count[2];
	int error;

	if (cell->atomics >= 0)
		gbench_count(state, "atomics", cell->atomics);
	if (cell->instructions >= 0) {
		gbench_count(state, "instructions", cell->instructions);
		return;
	}
	error = counters_count(NULL, run_batch, &thread->subject[ROW], count);
	if (!error)
		gbench_count(state, "instructions", (double)count[1] / CELL_BATCH);
	else if (thread == thread->of->thread)
		thread->of->counters_error = error;
}

/* Of those that are calm, if they are enough to tell a time from; whether they are. */
static bool keep_calm(struct cell_thread *thread)
{
	unsigned int i, which, kept = 0, passes = thread->pass;

	for (i = 0; i < passes; i++)
		kept += thread->calm[i];
	if (kept < CALM_LEAST)
		return false;
	for (i = kept = 0; i < passes; i++) {
		for (which = 0; which < SUBJECTS; which++)
			if (thread->calm[i] && thread->subject[which].driver)
				thread->subject[which].ticks[kept] =
					thread->subject[which].ticks[i];
		kept += thread->calm[i];
	}
	thread->pass = kept;
	return true;
}

static double ticks_of(struct cell_thread *thread, unsigned int which)
{
	struct cell_subject *its = &thread->subject[which];

	if (!its->driver)
		return NAN;
	stats_sort(its->ticks, thread->pass);
	return stats_quantile(its->ticks, thread->pass, PART) / CELL_BATCH;
}

static void report(struct gbench_state *state, struct cell_thread *thread)
{
	struct cell_state *of = thread->of;
	double cycle =
		cycles_of(thread->cycle, thread->readings < READINGS ? thread->readings : READINGS);
	double row, floor, other, passes = thread->pass;
	bool calm = keep_calm(thread);

	row = ticks_of(thread, ROW);
	floor = ticks_of(thread, FLOOR);
	other = ticks_of(thread, OTHER);
	gbench_time(state, row * CELL_BATCH * passes * 1e9 / ticks_hz());
	gbench_count(state, "ticks", row);
	gbench_count(state, "probe", cycle);
	gbench_count(state, "shared", !calm);
	if (of->driver[FLOOR])
		gbench_count(state, "ratio", row / floor);
	if (of->driver[OTHER])
		gbench_count(state, of->other, row / other);
	gbench_count(state, "cycles", row / cycle);
	if (is_bare(of->cell))
		return;
	count_instructions(state, thread);
	judge_thread(state, thread);
}

static void tear_down(struct cell_thread *thread)
{
	struct cell_subject *its;

	for (its = thread->subject; its < thread->subject + SUBJECTS; its++) {
		if (its->buffer.driver)
			buffer_close(&its->buffer);
		free(its->ticks);
	}
	free(thread->calm);
}

static void body(struct gbench_state *state, unsigned int nth, void *ctx)
{
	struct cell_state *of = ctx;
	struct cell_thread *thread = &of->thread[nth];

	*thread = (struct cell_thread){ .of = of,
					.pu = of->cell->pu[nth],
					.least_cycle = INFINITY,
					.last_loop = INFINITY,
					.wait_ns = may_wait(of->cell) ? WAIT_NS : 0 };
	thread->interrupts.handle = handle_beat;
	thread->interrupts.arg = thread;
	interrupts_attach(&thread->interrupts);
	if (!prepare(thread))
		atomic_store(&of->failed, true);
	if (of->failed)
		gbench_fail(state, "cannot set up its rings");
	while (gbench_keep_running(state, CELL_BATCH))
		pass(thread);
	end_beats(thread);
	if (thread->pass && place_verify_self(of->cell->place, thread->pu))
		gbench_fail(state, "its thread was moved to another CPU");
	else if (thread->pass)
		report(state, thread);
	tear_down(thread);
}

/* ---- a cell ---- */

/* The floors that the row is compared with; or, with a plan, the row itself without one. */
static void choose_mates(struct cell_state *state)
{
	const struct cell *cell = state->cell;
	const struct driver *row = state->driver[ROW];
	const char *own;

	if (is_bare(cell))
		return;
	if (strcmp(cell->row, SAMPLES_FLOOR))
		state->driver[FLOOR] = driver_find(drivers_of(cell), SAMPLES_FLOOR);
	if (cell->injected.wrap_every || cell->injected.nest_every) {
		state->driver[OTHER] = row;
		state->other = "ratio_calm";
		return;
	}
	own = driver_floor(row);
	if (own && strcmp(own, SAMPLES_FLOOR) && strcmp(own, cell->row))
		state->driver[OTHER] = driver_find(drivers_of(cell), own);
	state->other = "ratio_own";
}

/* A slot of slow rows, whose event is two system calls, has fewer batches. 0: no ring. */
static unsigned int pairs_of(const struct cell_state *state)
{
	const struct driver *driver = state->driver[ROW];
	struct ring_config config =
		buffer_config(driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);
	struct buffer buffer = { .driver = NULL };
	double ns = INFINITY, pairs;
	unsigned int i;
	uint64_t begin;

	if (state->cell->pairs)
		return state->cell->pairs;
	if (buffer_open(&buffer, driver, &config))
		return 0;
	for (i = 0; i < TRIALS; i++) {
		begin = clock_real();
		driver->run(buffer.scheme, &buffer.writer, TRIAL_EVENTS);
		ns = fmin(ns, (double)(clock_real() - begin));
	}
	ns *= 1e9 / ticks_hz() * CELL_BATCH / TRIAL_EVENTS;
	buffer_close(&buffer);
	pairs = fmax(CELL_NS_MOST / ns, CELL_PAIRS_LEAST);
	return (unsigned int)fmin(pairs, CELL_PAIRS);
}

struct cell_state *cell_open(const struct cell *cell, const char *name, struct gbench_cell *into)
{
	struct cell_state *state =
		calloc(1, sizeof(*state) + cell->threads * sizeof(state->thread[0]));

	if (!state)
		return fail_memory("a timed cell"), NULL;
	state->cell = cell;
	state->driver[ROW] = cell_driver(cell);
	choose_mates(state);
	state->pairs = pairs_of(state);
	*into = (struct gbench_cell){
		.name = name,
		.iterations = (int64_t)state->pairs * CELL_BATCH,
		.threads = cell->threads,
		.body = body,
		.ctx = state,
	};
	if (state->pairs)
		return state;
	cell_close(state);
	return NULL;
}

void cell_close(struct cell_state *state)
{
	free(state);
}

json_t *cell_run(const struct cell *cell)
{
	char error[GBENCH_ERROR_BYTES] = "";
	struct gbench_cell gbench;
	struct cell_state *state = cell_open(cell, cell->row, &gbench);
	json_t *json = state ? gbench_run(&gbench, error) : NULL;

	if (error[0])
		fail_line("%s", error);
	if (json) {
		json_object_set_new(json, "violation",
				    state->violation ? json_string(state->violation) : json_null());
		json_object_set_new(json, "unmet_needs", json_integer(state->unmet));
		json_object_set_new(
			json, "counters",
			json_string(state->counters_error ? strerror(state->counters_error) : ""));
	}
	if (state)
		cell_close(state);
	return json;
}
