// SPDX-License-Identifier: MIT
/* A ring for each thread: whatever interrupts it there is on its own CPU, and so are its beats. */
#include <math.h>

#include "workloads/engine/live.h"

#define SHARE_LEAST 0.23 /* of the thread's CPU time, what the pace must leave the writer */
#define SHARE_MUCH 0.28
#define STRETCH_LEAST 0.3
#define ADAPT_LEAST_NS 30000000u

static bool owns(const struct engine_thread *thread, unsigned int ring)
{
	return ring == thread->index;
}

static int begin(struct engine_thread *thread)
{
	const struct engine_config *config = thread->config;
	/* Rings that make one trace are alike. */
	uint64_t common = (config->seed + 1) * (thread->result.epochs + 1) * RNG_GOLDEN;
	struct ring_config ring =
		engine_geometry(config, thread->pu, config->export ? &common : &thread->random);
	int error;

	if (thread->live && !LIVE_STORES_IN_ORDER)
		ring.mode = RING_DISCARD;
	/* From before the ring's first stamp on: a beat is due within a wrap of that, too. */
	interrupts_beat_begin(&thread->signals.interrupts);
	error = engine_ring_reset(thread, thread->ring, &ring);
	if (error)
		return error;
	thread->scheme = thread->ring->buffer.scheme;
	thread->asked = thread->asked_before = 0;
	thread->filled = thread->overrun = false;
	thread->epoch_events = thread->task_events;
	thread->epoch_cpu_ns = thread->recording_cpu_ns;
	engine_epoch_begin(thread);
	thread->delivered_before = thread->signals.interrupts.at_depth[1];
	if (thread->live)
		error = engine_live_begin(thread->live);
	interrupts_unblock_beat();
	return error;
}

/* The conditions that the epoch gave the scheme so far. */
static struct judge_given given_so_far(const struct engine_thread *thread)
{
	const struct interrupts *interrupts = &thread->signals.interrupts;

	return (struct judge_given){
		.beat_worst_ticks = interrupts->beat_worst_ticks,
		.nested = interrupts->at_depth[1] != thread->delivered_before ||
			  thread->result.traced.events,
	};
}

/* Shows a fault at once, while its neighbours are still in the ring. */
static void show(struct engine_thread *thread)
{
	const struct check *check = &thread->ring->check;
	struct judge_given given = given_so_far(thread);

	if (!engine_timed_excuses(thread))
		engine_show(thread, thread->ring,
			    judge_excused(check->desc,
					  judge_unmet(check->desc, check->stamp_bits, &given)));
}

static int drain(struct engine_thread *thread)
{
	/* A reader that reads while others write needs no rest for it. */
	if (thread->live)
		return 0;
	buffer_drain(&thread->ring->buffer, &thread->ring->check);
	if (thread->driver->timed)
		engine_timed_drained(thread, &thread->ring->check);
	show(thread);
	return 0;
}

/* Slower where the epoch left the writer too little, quicker where it left much. */
static int adapt(struct engine_thread *thread)
{
	uint64_t cpu_ns = thread->recording_cpu_ns - thread->epoch_cpu_ns;
	double share = (double)(thread->task_events - thread->epoch_events) * thread->calm_ns /
		       (double)cpu_ns;

	if (!thread->ops->adapt || cpu_ns < ADAPT_LEAST_NS)
		return 0;
	if (share < SHARE_LEAST)
		thread->signals.stretch *= fmin(4, fmax(1.15, SHARE_LEAST / share));
	else if (share > SHARE_MUCH && thread->signals.stretch > STRETCH_LEAST)
		thread->signals.stretch /= 1.1;
	else
		return 0;
	return signals_storm(&thread->signals);
}

static int end(struct engine_thread *thread)
{
	struct engine_result *result = &thread->result;
	struct interrupts *interrupts = &thread->signals.interrupts;
	struct buffer *buffer = &thread->ring->buffer;
	struct check *check = &thread->ring->check;
	struct judge_given given;
	struct judgement judgement;
	int error;

	interrupts_block_beat();
	interrupts_beat_end(interrupts);
	error = thread->live ? engine_live_end(thread->live) : 0;
	if (error)
		return error;
	buffer_drain(buffer, check);
	show(thread);
	given = given_so_far(thread);
	given.ample = thread->driver->timed && !thread->filled;
	judge_buffer(buffer, check, &given, &judgement);
	if (thread->driver->timed) {
		engine_timed_judge(thread, check);
		judge_again(check, buffer_ring(buffer)->stuck, &judgement);
	}
	engine_book(result, check, &judgement);
	engine_book_losses(result, buffer_ring(buffer), &buffer->writer.losses);
	if (interrupts->beat_worst_ticks > result->beat_worst_ticks)
		result->beat_worst_ticks = interrupts->beat_worst_ticks;
	if (thread->driver->restarts)
		result->restarts += thread->driver->restarts(buffer->scheme);
	result->deferred += buffer->writer.deferred;
	if (buffer->writer.deferred_worst_ticks > result->deferred_worst_ticks)
		result->deferred_worst_ticks = buffer->writer.deferred_worst_ticks;
	result->epochs++;
	return adapt(thread);
}

const struct spread_ops spread_apart = {
	.owns = owns,
	.begin = begin,
	.drain = drain,
	.end = end,
	.calibrates = true,
};
