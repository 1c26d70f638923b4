// SPDX-License-Identifier: MIT
/*
 * handoff: the first thread records a cause and signals the second, whose handler records the
 * effect, into a ring of its own, in the middle of whatever it was recording. Merged by decoded
 * time, no effect may come before its cause: both CPUs read one clock.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schemes/core/clock.h"
#include "base/options.h"
#include "workloads/stress_thread.h"
#include "place/ticks.h"

#define PAIRS_PER_ROUND 64
#define BURST 8 /* events of the second thread's own */
#define PAUSE_TICKS 4096 /* between its bursts, so that a round fits its ring */
#define EFFECTS_MOST (2 * PAIRS_PER_ROUND)
#define ANSWER_NS 5000000000u

struct stress_joint {
	pthread_barrier_t barrier;
	struct stress_thread *threads; /* two: causes, effects */
	bool failed;
	bool more;
	bool round_over; /* set by the first thread: no signal comes any more */
	unsigned int pairs;
	uint64_t cause[PAIRS_PER_ROUND]; /* sequences of the two events of a pair */
	uint64_t effect[PAIRS_PER_ROUND];
	struct check_keep keep[2];
	uint64_t time[2][EFFECTS_MOST];
	bool inexact[2][EFFECTS_MOST];
};

struct stress_joint *joint_open(struct stress_thread *threads)
{
	struct stress_joint *joint = calloc(1, sizeof(*joint));
	unsigned int i;

	if (!joint)
		return NULL;
	pthread_barrier_init(&joint->barrier, NULL, 2);
	joint->threads = threads;
	for (i = 0; i < 2; i++) {
		joint->keep[i] = (struct check_keep){
			.context = i ? CONTEXT_LEVEL_1 : CONTEXT_TASK,
			.count = EFFECTS_MOST,
			.time = joint->time[i],
			.inexact = joint->inexact[i],
		};
		threads[i].joint = joint;
		threads[i].keep = &joint->keep[i];
	}
	return joint;
}

void joint_close(struct stress_joint *joint)
{
	if (joint)
		pthread_barrier_destroy(&joint->barrier);
	free(joint);
}

bool joint_meet(struct stress_thread *thread, bool good)
{
	struct stress_joint *joint = thread->joint;

	if (!good)
		__atomic_store_n(&joint->failed, true, __ATOMIC_RELAXED);
	pthread_barrier_wait(&joint->barrier);
	return !joint->failed;
}

bool joint_more(struct stress_thread *thread, bool more)
{
	struct stress_joint *joint = thread->joint;

	if (!thread->index)
		joint->more = more;
	pthread_barrier_wait(&joint->barrier);
	more = joint->more;
	/* Nobody may change it before both have read it. */
	pthread_barrier_wait(&joint->barrier);
	return more;
}

/* Effects that the second thread has finished with, for better or worse; written in its handler. */
static uint64_t answered(const struct stress_joint *joint)
{
	const struct writer *writer = &joint->threads[1].buffer.writer;

	return __atomic_load_n(&writer->written[CONTEXT_LEVEL_1], __ATOMIC_ACQUIRE) +
	       __atomic_load_n(&writer->failed[CONTEXT_LEVEL_1], __ATOMIC_ACQUIRE);
}

/* One cause and, if that was recorded, one signal; waits for the effect. False: none came. */
static bool hand_off(struct stress_thread *thread)
{
	struct stress_joint *joint = thread->joint;
	const struct writer *effects = &joint->threads[1].buffer.writer;
	struct buffer *buffer = &thread->buffer;
	uint64_t cause = buffer->writer.written[CONTEXT_TASK], before = answered(joint);
	uint64_t effect = effects->written[CONTEXT_LEVEL_1], limit = time_ns() + ANSWER_NS;

	buffer->driver->run(buffer->scheme, &buffer->writer, 1);
	if (buffer->writer.written[CONTEXT_TASK] == cause)
		return true;
	if (interrupts_send(joint->threads[1].interrupts.tid, 1))
		return false;
	while (answered(joint) == before)
		if (stress_stop || time_ns() > limit)
			return false;
	if (__atomic_load_n(&effects->written[CONTEXT_LEVEL_1], __ATOMIC_ACQUIRE) == effect) {
		thread->result.handoff.unpaired++;
		return true;
	}
	joint->cause[joint->pairs] = cause;
	joint->effect[joint->pairs++] = effect;
	return true;
}

static void record_causes(struct stress_thread *thread)
{
	struct stress_joint *joint = thread->joint;

	unsigned int i;

	for (i = 0; i < PAIRS_PER_ROUND && !stress_stop; i++)
		if (!hand_off(thread) && !stress_stop) {
			fprintf(stderr, "stampede: CPU %u did not answer a signal\n",
				joint->threads[1].pu);
			thread->error = EXIT_RESOURCE;
			stress_stop = 1;
		}
	__atomic_store_n(&joint->round_over, true, __ATOMIC_RELEASE);
}

static void record_beside_effects(struct stress_thread *thread)
{
	struct buffer *buffer = &thread->buffer;
	uint64_t begin;

	while (!__atomic_load_n(&thread->joint->round_over, __ATOMIC_ACQUIRE)) {
		buffer->driver->run(buffer->scheme, &buffer->writer, BURST);
		begin = clock_real();
		while (clock_real() - begin < PAUSE_TICKS)
			;
	}
}

static void record_handoff(struct stress_thread *thread, uint64_t events)
{
	struct stress_joint *joint = thread->joint;
	struct check_keep *keep = &joint->keep[thread->index];

	(void)events;
	keep->first = thread->buffer.writer.written[keep->context];
	memset(keep->time, 0, keep->count * sizeof(keep->time[0]));
	if (!thread->index) {
		joint->pairs = 0;
		joint->round_over = false;
	}
	if (thread->index)
		interrupts_unblock_storm();
	pthread_barrier_wait(&joint->barrier);
	if (thread->index)
		record_beside_effects(thread);
	else
		record_causes(thread);
	interrupts_block_storm();
}

static void compare(struct stress_joint *joint, struct handoff_result *result)
{
	const struct check_keep *causes = &joint->keep[0], *effects = &joint->keep[1];
	uint64_t cause, effect, gap;
	unsigned int i;

	for (i = 0; i < joint->pairs; i++) {
		cause = joint->cause[i] - causes->first;
		effect = joint->effect[i] - effects->first;
		if (cause >= causes->count || effect >= effects->count || !causes->time[cause] ||
		    !effects->time[effect]) {
			result->unpaired++;
			continue;
		}
		gap = effects->time[effect] - causes->time[cause];
		result->pairs++;
		if ((int64_t)gap >= 0) {
			if (!result->least_ticks || gap < result->least_ticks)
				result->least_ticks = gap;
			continue;
		}
		if (-gap > result->most_early_ticks)
			result->most_early_ticks = -gap;
		if (causes->inexact[cause] || effects->inexact[effect])
			result->early_inexact++;
		else
			result->early++;
	}
}

/* Both rings are read: the first thread merges. */
static void drained(struct stress_thread *thread, const struct check *check)
{
	struct stress_joint *joint = thread->joint;

	(void)check;
	pthread_barrier_wait(&joint->barrier);
	if (!thread->index)
		compare(joint, &thread->result.handoff);
}

static void answer(struct stress_thread *thread, unsigned int level)
{
	thread->buffer.driver->interrupt(thread->buffer.scheme, &thread->buffer.writer,
					 CONTEXT_LEVEL_1 + level - 1);
}

const struct stress_ops stress_ops_handoff = {
	.joint = true,
	.whole_ring = true,
	.record = record_handoff,
	.interrupt = answer,
	.drained = drained,
};
