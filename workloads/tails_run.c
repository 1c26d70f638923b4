// SPDX-License-Identifier: MIT
#include "workloads/tails.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/time.h"
#include "judge/judge.h"
#include "runner/place/ticks.h"
#include "schemes/core/clock.h"
#include "workloads/engine/signals.h"
#include "workloads/workload.h"

#define FENCE_SAMPLES 8192
#define WARM_EVENTS 100000

struct tails {
	const struct tails_config *config;
	struct tails_result *result;
	struct buffer buffer;
	struct signals signals;
	struct fenced_block block;
	uint64_t last; /* replay: clock when the last gap was over */
	uint64_t random;
	uint64_t began; /* clock before the first event */
	int error;
};

static void handle_interrupt(void *arg, unsigned int source)
{
	struct tails *tails = arg;
	const struct driver *driver = tails->buffer.driver;
	uint64_t events = storm_events(tails->signals.interrupts.delivered[source]);

	if (source == INTERRUPT_BEAT) {
		driver->beat(tails->buffer.scheme, &tails->buffer.writer);
		return;
	}
	for (; events; events--)
		driver->interrupt(tails->buffer.scheme, &tails->buffer.writer,
				  CONTEXT_LEVEL_1 + source - 1);
}

/* What a sample costs by itself. */
static void measure_fence(struct histogram *fence)
{
	uint64_t begin, end;
	unsigned int i;

	for (i = 0; i < FENCE_SAMPLES; i++) {
		begin = clock_real_fenced();
		end = clock_real_fenced();
		histogram_add(fence, end - begin);
	}
}

/* Waits until a recorded gap is over. */
static void wait_gap(struct tails *tails)
{
	double gap_ns = gaps_sample_ns(tails->config->gaps, &tails->random);
	uint64_t due = tails->last + (uint64_t)(gap_ns * 1e-9 * ticks_hz()), now = clock_real();

	while ((int64_t)(now - due) < 0 && !workload_stop)
		now = clock_real();
	tails->last = now;
}

static void run_block(struct tails *tails)
{
	struct fenced_block *block = &tails->block;
	struct buffer *buffer = &tails->buffer;
	struct fenced_block one = { .interrupted = block->interrupted };
	unsigned int i;

	if (!tails->config->gaps) {
		buffer->driver->run_fenced(buffer->scheme, &buffer->writer, FENCED_BLOCK, block);
		return;
	}
	for (i = 0; i < FENCED_BLOCK; i++) {
		wait_gap(tails);
		buffer->driver->run_fenced(buffer->scheme, &buffer->writer, 1, &one);
		block->ticks[i] = one.ticks[0];
		block->hit[i] = one.hit[0];
	}
}

static void book_block(struct tails *tails)
{
	const struct fenced_block *block = &tails->block;
	struct tails_result *result = tails->result;
	unsigned int i;

	for (i = 0; i < FENCED_BLOCK; i++)
		histogram_add(block->hit[i] ? &result->hit : &result->clear, block->ticks[i]);
}

static void run_blocks(struct tails *tails)
{
	const struct tails_config *config = tails->config;
	struct tails_result *result = tails->result;
	uint64_t begin = time_ns(), limit = begin + (uint64_t)(config->seconds * 1e9);
	uint64_t samples;

	for (samples = 0;
	     !workload_stop && samples < config->samples && (time_ns() < limit || !samples);
	     samples += FENCED_BLOCK) {
		run_block(tails);
		book_block(tails);
	}
	result->seconds = (double)(time_ns() - begin) / 1e9;
}

static int start_signals(struct tails *tails)
{
	const struct driver *driver = tails->config->driver;
	int error = signals_beat(&tails->signals, driver, driver->stamp_bits);

	if (error)
		return error;
	if (driver->desc->needs & NEED_BEAT)
		interrupts_unblock_beat();
	if (tails->config->regime != TAILS_STORM)
		return 0;
	error = signals_storm(&tails->signals);
	signals_target(&tails->signals);
	interrupts_unblock_storm();
	return error;
}

static void stop_signals(struct tails *tails)
{
	struct interrupts *interrupts = &tails->signals.interrupts;
	unsigned int source;

	signals_end(&tails->signals);
	interrupts_block_storm();
	interrupts_block_beat();
	interrupts_beat_end(interrupts);
	interrupts_detach(interrupts);
	for (source = 1; source < INTERRUPT_SOURCES; source++)
		tails->result->delivered += interrupts->delivered[source];
}

/*
 * What the oracles say of the ring. The timed payload has no room to say that a stamp is inexact by
 * declaration, so rows that declare such are allowed as many wrong ones as nested writers explain.
 */
static void judge(struct tails *tails)
{
	struct tails_result *result = tails->result;
	struct buffer *buffer = &tails->buffer;
	const struct scheme_desc *desc = buffer->driver->desc;
	struct judge_given given = {
		.beat_worst_ticks = tails->signals.interrupts.beat_worst_ticks,
		.nested = result->delivered,
		.ample = true,
		.began = tails->began,
	};
	struct judgement judgement;
	struct check check;
	unsigned int context;
	uint64_t nested = 0;

	buffer_check(buffer, &check);
	judge_buffer(buffer, &check, &given, &judgement);
	for (context = CONTEXT_TASK + 1; context < CONTEXTS; context++)
		nested += buffer->writer.entered[context];
	if (check.violations[ORACLE_EXACT] <= nested * desc->zeros_per_nested)
		check.violations[ORACLE_EXACT] = 0;
	judge_again(&check, buffer_ring(buffer)->stuck, &judgement);
	result->unmet |= judgement.unmet;
	if (judgement.verdict == VERDICT_BROKEN)
		snprintf(result->violation, sizeof(result->violation), "%s",
			 judgement.text ? judgement.text : "stuck");
}

static int measure(struct tails *tails)
{
	const struct tails_config *config = tails->config;
	struct tails_result *result = tails->result;
	struct buffer *buffer = &tails->buffer;
	int error;

	tails->block.interrupted = &tails->signals.interrupts.at_depth[1];
	measure_fence(&result->fence);
	interrupts_attach(&tails->signals.interrupts);
	tails->began = clock_real();
	buffer->driver->run(buffer->scheme, &buffer->writer, WARM_EVENTS);
	error = start_signals(tails);
	tails->random = config->seed;
	tails->last = clock_real();
	if (!error)
		run_blocks(tails);
	stop_signals(tails);
	judge(tails);
	return error;
}

static void *tails_thread(void *arg)
{
	struct tails *tails = arg;
	const struct tails_config *config = tails->config;
	struct ring_config ring =
		buffer_config(config->driver, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT);

	ring.cpu = config->pu[0];
	tails->signals.interrupts.handle = handle_interrupt;
	tails->signals.interrupts.arg = tails;
	/* From before the ring's first stamp on: a beat is due within a wrap of that, too. */
	interrupts_beat_begin(&tails->signals.interrupts);
	if (place_bind_self(config->place, config->pu[0]) ||
	    buffer_open(&tails->buffer, config->driver, &ring)) {
		tails->error = EXIT_RESOURCE;
	} else {
		tails->error = measure(tails);
		if (!tails->error && place_verify_self(config->place, config->pu[0]))
			tails->error = EXIT_RESOURCE;
		buffer_close(&tails->buffer);
	}
	signals_end(&tails->signals);
	return NULL;
}

int tails_run(const struct tails_config *config, struct tails_result *result)
{
	struct tails *tails = calloc(1, sizeof(*tails));
	pthread_t thread;
	int error = 0;

	memset(result, 0, sizeof(*result));
	if (!tails)
		return fail_memory("the tails of a row");
	tails->config = config;
	tails->result = result;
	tails->signals.levels = INTERRUPT_LEVELS;
	tails->signals.sent = config->has_sender;
	tails->signals.stretch = 1;
	error = pthread_create(&thread, NULL, tails_thread, tails);
	if (error) {
		error = fail_with(EXIT_RESOURCE, "cannot start a thread: %s", strerror(error));
	} else {
		if (config->has_sender && config->regime == TAILS_STORM)
			error = signals_send(&tails->signals, config->place, config->pu[1],
					     config->seconds);
		pthread_join(thread, NULL);
		error = error ? error : tails->error;
	}
	free(tails);
	return error;
}

const char *tails_regime_name(enum tails_regime regime)
{
	static const char *const names[TAILS_REGIMES] = { "calm", "storm", "replay" };

	return names[regime];
}

/* A percentile, or null where there are no samples, or none that count. */
static json_t *part_json(const struct histogram *histogram, double part, bool good)
{
	if (!histogram->count || !good)
		return json_null();
	return json_integer((json_int_t)histogram_percentile(histogram, part));
}

json_t *tails_json(const struct tails_config *config, const struct tails_result *result)
{
	const struct histogram *clear = &result->clear, *hit = &result->hit;
	bool good = !result->violation[0];

	return json_pack("{s:s, s:b, s:s, s:s?, s:s, s:I, s:I, s:s?, s:I, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o, s:I, s:f}",
			 "row", config->driver->row, "variant", config->driver->variant, "regime",
			 tails_regime_name(config->regime), "gaps",
			 config->gaps ? config->gaps->name : NULL, "unit", "ticks", "samples",
			 (json_int_t)(clear->count + hit->count), "hits", (json_int_t)hit->count,
			 "violation", good ? NULL : result->violation, "unmet_needs",
			 (json_int_t)result->unmet, "p50", part_json(clear, 0.5, good), "p99",
			 part_json(clear, 0.99, good), "p999", part_json(clear, 0.999, good),
			 "p9999", part_json(clear, 0.9999, good), "max", part_json(clear, 1, good),
			 "hit_p50", part_json(hit, 0.5, good), "hit_max", part_json(hit, 1, good),
			 "fence_p50", part_json(&result->fence, 0.5, true), "signals",
			 (json_int_t)result->delivered, "seconds", result->seconds);
}
