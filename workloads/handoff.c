// SPDX-License-Identifier: MIT
/*
 * handoff: the first thread records a cause and signals the second, whose handler records the
 * effect, into a ring of its own, in the middle of whatever it was recording. Merged by decoded
 * time, no effect may come before its cause: both CPUs read one clock.
 */
#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/time.h"
#include "runner/place/ticks.h"
#include "schemes/core/clock.h"
#include "workloads/engine/thread.h"

#define PAIRS_PER_ROUND 64
#define BURST 8 /* events of the second thread's own */
#define PAUSE_TICKS 4096 /* between its bursts, so that a round fits its ring */
#define EFFECTS_MOST (2 * PAIRS_PER_ROUND)
#define ANSWER_NS 5000000000u

/* How far the second CPU's clock would have to be behind: what it would turn around is counted. */
static const double skews_us[] = { 0.1, 1, 10, 100 };
#define SKEWS (sizeof(skews_us) / sizeof(skews_us[0]))

/* Causes on one CPU and their effects on another, merged by decoded time. */
struct pairs {
	uint64_t pairs;
	uint64_t early; /* effects decoded before their cause, both by stamps promised exact */
	uint64_t early_inexact; /* the same, one of them declared inexact */
	uint64_t unpaired; /* one of the two was lost or overwritten */
	uint64_t least_ticks; /* from a cause's stamp to its effect's, as decoded */
	uint64_t most_early_ticks;
	bool skewed; /* they read clocks that differ: none promises anything then */
	uint64_t turned[SKEWS]; /* pairs whose effect would come first with such a skew */
};

/* What the two threads have in common: the first records causes, the second effects. */
struct handoff {
	bool round_over; /* set by the first thread: no signal comes any more */
	unsigned int pairs;
	uint64_t cause[PAIRS_PER_ROUND]; /* sequences of the two events of a pair */
	uint64_t effect[PAIRS_PER_ROUND];
	struct check_keep keep[2];
	uint64_t time[2][EFFECTS_MOST];
	bool inexact[2][EFFECTS_MOST];
};

static int open(struct engine_group *group)
{
	struct handoff *handoff = group->state;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		handoff->keep[i] = (struct check_keep){
			.context = i ? CONTEXT_LEVEL_1 : CONTEXT_TASK,
			.count = EFFECTS_MOST,
			.time = handoff->time[i],
			.inexact = handoff->inexact[i],
		};
		group->rings[i].keep = &handoff->keep[i];
	}
	return 0;
}

/* Effects that the second thread has finished with, for better or worse; written in its handler. */
static uint64_t answered(const struct writer *effects)
{
	return __atomic_load_n(&effects->written[CONTEXT_LEVEL_1], __ATOMIC_ACQUIRE) +
	       __atomic_load_n(&effects->failed[CONTEXT_LEVEL_1], __ATOMIC_ACQUIRE);
}

/* One cause and, if that was recorded, one signal; waits for the effect. False: none came. */
static bool hand_off(struct engine_thread *thread)
{
	const struct engine_thread *other = &thread->group->threads[1];
	struct handoff *handoff = thread->group->state;
	const struct writer *effects = other->writer;
	uint64_t cause = thread->writer->written[CONTEXT_TASK], before = answered(effects);
	uint64_t effect = effects->written[CONTEXT_LEVEL_1], limit = time_ns() + ANSWER_NS;

	engine_record(thread, 1);
	if (thread->writer->written[CONTEXT_TASK] == cause)
		return true;
	if (interrupts_send(other->signals.interrupts.tid, 1))
		return false;
	while (answered(effects) == before)
		if (workload_stop || time_ns() > limit)
			return false;
	if (__atomic_load_n(&effects->written[CONTEXT_LEVEL_1], __ATOMIC_ACQUIRE) == effect) {
		((struct pairs *)engine_own(thread))->unpaired++;
		return true;
	}
	handoff->cause[handoff->pairs] = cause;
	handoff->effect[handoff->pairs++] = effect;
	return true;
}

static void record_causes(struct engine_thread *thread)
{
	struct handoff *handoff = thread->group->state;
	unsigned int i;

	for (i = 0; i < PAIRS_PER_ROUND && !workload_stop && !thread->error; i++)
		if (!hand_off(thread) && !workload_stop)
			thread->error = fail_with(EXIT_RESOURCE, "CPU %u did not answer a signal",
						  thread->group->threads[1].pu);
	__atomic_store_n(&handoff->round_over, true, __ATOMIC_RELEASE);
}

static void record_beside_effects(struct engine_thread *thread)
{
	struct handoff *handoff = thread->group->state;
	uint64_t begin;

	while (!__atomic_load_n(&handoff->round_over, __ATOMIC_ACQUIRE)) {
		engine_record(thread, BURST);
		begin = clock_real();
		while (clock_real() - begin < PAUSE_TICKS)
			;
	}
}

static void record(struct engine_thread *thread, uint64_t events)
{
	struct handoff *handoff = thread->group->state;
	struct check_keep *keep = &handoff->keep[thread->index];

	(void)events;
	keep->first = thread->writer->written[keep->context];
	memset(keep->time, 0, keep->count * sizeof(keep->time[0]));
	if (!thread->index) {
		handoff->pairs = 0;
		handoff->round_over = false;
	} else {
		interrupts_unblock_storm();
	}
	engine_agree(thread, true);
	if (thread->index)
		record_beside_effects(thread);
	else
		record_causes(thread);
	interrupts_block_storm();
}

static void count_turned(struct pairs *result, uint64_t gap)
{
	double gap_us = (double)(int64_t)gap / ticks_hz() * 1e6;
	unsigned int i;

	for (i = 0; i < SKEWS; i++)
		result->turned[i] += gap_us < skews_us[i];
}

static void compare(const struct handoff *handoff, struct pairs *result)
{
	const struct check_keep *causes = &handoff->keep[0], *effects = &handoff->keep[1];
	uint64_t cause, effect, gap;
	unsigned int i;

	for (i = 0; i < handoff->pairs; i++) {
		cause = handoff->cause[i] - causes->first;
		effect = handoff->effect[i] - effects->first;
		if (cause >= causes->count || effect >= effects->count || !causes->time[cause] ||
		    !effects->time[effect]) {
			result->unpaired++;
			continue;
		}
		gap = effects->time[effect] - causes->time[cause];
		result->pairs++;
		count_turned(result, gap);
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

/* Both rings are read. */
static void drained(struct engine_thread *first, const struct check *check)
{
	struct pairs *pairs = engine_own(first);

	(void)check;
	pairs->skewed = first->config->clock.skew_ticks;
	compare(first->group->state, pairs);
}

static void interrupt(struct engine_thread *thread, unsigned int level)
{
	thread->driver->interrupt(thread->scheme, thread->writer, CONTEXT_LEVEL_1 + level - 1);
}

/* The first thread counts, the second nothing. */
static void merge(void *sum, const void *one)
{
	const struct pairs *from = one;

	if (from->pairs || from->unpaired)
		*(struct pairs *)sum = *from;
}

/* One clock, two rings: who promises exact stamps keeps cause before effect. */
static bool broken(const struct engine_result *result)
{
	const struct pairs *pairs = (const void *)result->own;

	return pairs->early && !pairs->skewed && result->desc.promises & PROMISE_EXACT;
}

static const char *in_vain(const struct engine_config *config, const struct engine_result *result)
{
	if (((const struct pairs *)(const void *)result->own)->pairs ||
	    config->driver->desc->untimed)
		return NULL;
	return "no pair of cause and effect survived in both rings";
}

static void print(FILE *out, const struct engine_result *result)
{
	const struct pairs *pairs = (const void *)result->own;
	unsigned int i;

	fprintf(out,
		"  pairs %" PRIu64 ", effects before their cause %" PRIu64 " (and %" PRIu64
		" declared inexact), by up to %.1f us; soonest %.1f us, unpaired %" PRIu64 "\n",
		pairs->pairs, pairs->early, pairs->early_inexact,
		(double)pairs->most_early_ticks / ticks_hz() * 1e6,
		(double)pairs->least_ticks / ticks_hz() * 1e6, pairs->unpaired);
	fprintf(out, "  turned around, were the clocks apart by");
	for (i = 0; i < SKEWS; i++)
		fprintf(out, "%s %g us: %.1f %%", i ? "," : "", skews_us[i],
			pairs->pairs ? 100.0 * (double)pairs->turned[i] / (double)pairs->pairs : 0);
	fprintf(out, "\n");
}

static void json(json_t *into, const struct engine_config *config,
		 const struct engine_result *result)
{
	const struct pairs *pairs = (const void *)result->own;
	json_t *turned = json_array();
	unsigned int i;

	(void)config;
	for (i = 0; i < SKEWS; i++)
		json_array_append_new(turned, json_pack("{s:f, s:I}", "skew_us", skews_us[i],
							"count", (json_int_t)pairs->turned[i]));
	json_object_set_new(into, "handoff",
			    json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "pairs",
				      (json_int_t)pairs->pairs, "early", (json_int_t)pairs->early,
				      "early_inexact", (json_int_t)pairs->early_inexact, "unpaired",
				      (json_int_t)pairs->unpaired, "least_ticks",
				      (json_int_t)pairs->least_ticks, "most_early_ticks",
				      (json_int_t)pairs->most_early_ticks, "turned", turned));
}

static const struct workload_engine engine = {
	.spread = SPREAD_TOGETHER,
	.whole_ring = true,
	.overwrites = true,
	.threads_least = 2,
	.threads_most = 2,
	.threads = 2,
	.two_cpus = true,
	.own_bytes = sizeof(struct pairs),
	.state_bytes = sizeof(struct handoff),
	.open = open,
	.record = record,
	.interrupt = interrupt,
	.drained = drained,
	.merge = merge,
	.broken = broken,
	.in_vain = in_vain,
	.print = print,
	.json = json,
};

static const struct workload_form forms[] = {
	{ .section = "stress", .seconds = { 0.1, 0.5, 2 } },
	{ .section = NULL },
};

const struct workload workload_handoff = {
	.name = "handoff",
	.text = "a CPU records and signals another, which records: cause before effect",
	.least = SIZE_FULL,
	.engine = &engine,
	.forms = forms,
};
