// SPDX-License-Identifier: MIT
#include "workloads/tails.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "schemes/core/clock.h"
#include "judge/judge.h"
#include "base/options.h"
#include "workloads/stress.h"
#include "place/ticks.h"

#define FENCE_SAMPLES 8192
#define WARM_EVENTS 100000
#define LINE_BYTES 64
#define WALK_LEAST_BYTES (1u << 20)
#define WALK_MOST_BYTES (32u << 20)
#define ECDF_POINTS 200

struct tails {
	const struct tails_config *config;
	struct tails_result *result;
	struct buffer buffer;
	struct interrupts interrupts;
	struct interrupt_sender sender;
	struct fenced_block block;
	uint8_t *walk; /* NULL: caches stay warm */
	struct histogram *probe_warm, *probe_cold;
	uint64_t last; /* replay: clock when the last gap was over */
	uint64_t random;
	uint64_t began; /* clock before the first event */
	int error;
};

const char *tails_regime_name(enum tails_regime regime)
{
	static const char *const names[TAILS_REGIMES] = { "calm", "storm", "cold", "replay" };

	return names[regime];
}

static void handle_interrupt(void *arg, unsigned int source)
{
	struct tails *tails = arg;
	const struct driver *driver = tails->buffer.driver;
	uint64_t events = storm_events(tails->interrupts.delivered[source]);

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

/* Ticks of one load of `line`, fences included. */
static uint64_t probe(const volatile uint8_t *line)
{
	uint64_t begin = clock_real_fenced();

	(void)*line;
	return clock_real_fenced() - begin;
}

/*
 * Evicts what the last event used. The line before the walked ones tells whether it did; it is
 * loaded once before it is timed warm.
 */
static void walk(struct tails *tails)
{
	const volatile uint8_t *line = tails->walk;
	uint64_t at;

	probe(line);
	histogram_add(tails->probe_warm, probe(line));
	for (at = LINE_BYTES; at <= tails->result->walk_bytes; at += LINE_BYTES)
		(void)line[at];
	histogram_add(tails->probe_cold, probe(line));
}

/* Waits until a recorded gap is over. */
static void wait_gap(struct tails *tails)
{
	double gap_ns = gaps_sample_ns(tails->config->gaps, &tails->random);
	uint64_t due = tails->last + (uint64_t)(gap_ns * 1e-9 * ticks_hz()), now = clock_real();

	tails->result->late_waits += (int64_t)(now - due) > 0;
	while ((int64_t)(now - due) < 0 && !stress_stop)
		now = clock_real();
	tails->last = now;
}

static void run_block(struct tails *tails)
{
	struct fenced_block *block = &tails->block;
	struct buffer *buffer = &tails->buffer;
	struct fenced_block one = { .interrupted = block->interrupted };
	unsigned int i;

	if (!tails->walk && !tails->config->gaps) {
		buffer->driver->run_fenced(buffer->scheme, &buffer->writer, FENCED_BLOCK, block);
		return;
	}
	for (i = 0; i < FENCED_BLOCK; i++) {
		if (tails->walk)
			walk(tails);
		else
			wait_gap(tails);
		buffer->driver->run_fenced(buffer->scheme, &buffer->writer, 1, &one);
		block->ticks[i] = one.ticks[0];
		block->hit[i] = one.hit[0];
	}
}

static void book_block(struct tails *tails, bool switched)
{
	const struct fenced_block *block = &tails->block;
	struct tails_result *result = tails->result;
	unsigned int i;

	for (i = 0; i < FENCED_BLOCK; i++) {
		histogram_add(block->hit[i] ? &result->hit : &result->clear, block->ticks[i]);
		if (switched && !block->hit[i] && block->ticks[i] > result->switched_max)
			result->switched_max = block->ticks[i];
	}
	result->blocks++;
	result->switched_blocks += switched;
}

static void run_blocks(struct tails *tails)
{
	const struct tails_config *config = tails->config;
	struct tails_result *result = tails->result;
	uint64_t begin = time_ns(), limit = begin + (uint64_t)(config->seconds * 1e9);
	struct rusage before, after;

	while (!stress_stop && result->blocks * FENCED_BLOCK < config->samples &&
	       (time_ns() < limit || !result->blocks)) {
		getrusage(RUSAGE_THREAD, &before);
		run_block(tails);
		getrusage(RUSAGE_THREAD, &after);
		book_block(tails, after.ru_nivcsw != before.ru_nivcsw);
	}
	result->seconds = (double)(time_ns() - begin) / 1e9;
}

static int prepare_walk(struct tails *tails)
{
	long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
	uint64_t bytes = l2 > 0 ? 4 * (uint64_t)l2 : 0;
	size_t room;

	if (tails->config->regime != TAILS_COLD)
		return 0;
	if (bytes < WALK_LEAST_BYTES)
		bytes = WALK_LEAST_BYTES;
	if (bytes > WALK_MOST_BYTES)
		bytes = WALK_MOST_BYTES;
	room = bytes + 2 * LINE_BYTES;
	tails->walk = aligned_alloc(LINE_BYTES, room);
	tails->probe_warm = calloc(1, sizeof(*tails->probe_warm));
	tails->probe_cold = calloc(1, sizeof(*tails->probe_cold));
	if (!tails->walk || !tails->probe_warm || !tails->probe_cold) {
		fprintf(stderr, "stampede: no memory for a walk of %zu bytes\n", room);
		return EXIT_RESOURCE;
	}
	/* Not zeros: the kernel may back those with one page. */
	memset(tails->walk, 0x5a, room);
	tails->result->walk_bytes = bytes;
	return 0;
}

static int start_signals(struct tails *tails)
{
	const struct tails_config *config = tails->config;
	const struct driver *driver = config->driver;
	unsigned int level = config->has_sender ? 3 : 1;
	uint64_t period = config->has_sender ? STORM_LEVEL_3_NS : STORM_TIMER_ONLY_NS;

	if (driver->desc->needs & NEED_BEAT) {
		period = (uint64_t)driver_beat_ns(driver, driver->stamp_bits, ticks_hz());
		if (interrupts_timer(&tails->interrupts, INTERRUPT_BEAT, period, false))
			return EXIT_RESOURCE;
		interrupts_unblock_beat();
		period = config->has_sender ? STORM_LEVEL_3_NS : STORM_TIMER_ONLY_NS;
	}
	if (config->regime != TAILS_STORM)
		return 0;
	for (; level <= INTERRUPT_LEVELS; level++)
		if (interrupts_timer(&tails->interrupts, level,
				     (uint64_t)((period + 7000u * level) * STORM_STRETCH), false))
			return EXIT_RESOURCE;
	__atomic_store_n(&tails->sender.target, tails->interrupts.tid, __ATOMIC_RELEASE);
	interrupts_unblock_storm();
	return 0;
}

static void stop_signals(struct tails *tails)
{
	unsigned int source;

	__atomic_store_n(&tails->sender.stop, true, __ATOMIC_RELEASE);
	interrupts_block_storm();
	interrupts_block_beat();
	interrupts_beat_end(&tails->interrupts);
	interrupts_detach(&tails->interrupts);
	for (source = 1; source < INTERRUPT_SOURCES; source++)
		tails->result->delivered += tails->interrupts.delivered[source];
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
		.beat_worst_ticks = tails->interrupts.beat_worst_ticks,
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
	int error = prepare_walk(tails);

	if (error)
		return error;
	tails->block.interrupted = &tails->interrupts.at_depth[1];
	measure_fence(&result->fence);
	interrupts_attach(&tails->interrupts);
	tails->began = clock_real();
	buffer->driver->run(buffer->scheme, &buffer->writer, WARM_EVENTS);
	error = start_signals(tails);
	tails->random = config->seed;
	tails->last = clock_real();
	if (!error)
		run_blocks(tails);
	stop_signals(tails);
	if (tails->walk) {
		result->probe_warm_ticks = histogram_percentile(tails->probe_warm, 0.5);
		result->probe_cold_ticks = histogram_percentile(tails->probe_cold, 0.5);
	}
	judge(tails);
	return error;
}

static void *tails_thread(void *arg)
{
	struct tails *tails = arg;
	const struct tails_config *config = tails->config;
	struct ring_config ring = buffer_config(config->driver, RING_TIMED_SUBBUF_SHIFT,
						RING_TIMED_COUNT_SHIFT);

	ring.cpu = config->pu[0];
	tails->interrupts.handle = handle_interrupt;
	tails->interrupts.arg = tails;
	/* From before the ring's first stamp on: a beat is due within a wrap of that, too. */
	interrupts_beat_begin(&tails->interrupts);
	if (place_bind_self(config->place, config->pu[0]) ||
	    buffer_open(&tails->buffer, config->driver, &ring)) {
		tails->error = EXIT_RESOURCE;
	} else {
		tails->error = measure(tails);
		if (!tails->error && place_verify_self(config->place, config->pu[0]))
			tails->error = EXIT_RESOURCE;
		buffer_close(&tails->buffer);
	}
	__atomic_store_n(&tails->sender.stop, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The calling thread sends, from a CPU of its own. */
static int send_storm(const struct tails_config *config, struct tails *tails)
{
	struct interrupt_sender *sender = &tails->sender;
	pid_t target;

	if (place_bind_self(config->place, config->pu[1]))
		return EXIT_RESOURCE;
	do
		target = __atomic_load_n(&sender->target, __ATOMIC_ACQUIRE);
	while (!target && !__atomic_load_n(&sender->stop, __ATOMIC_ACQUIRE));
	if (target)
		interrupt_sender_run(sender, (uint64_t)((config->seconds + 5) * 1e9));
	if (sender->error && sender->error != ESRCH) {
		fprintf(stderr, "stampede: cannot send a signal: %s\n", strerror(sender->error));
		return EXIT_RESOURCE;
	}
	return 0;
}

int tails_run(const struct tails_config *config, struct tails_result *result)
{
	struct tails *tails = calloc(1, sizeof(*tails));
	pthread_t thread;
	int error = 0;

	memset(result, 0, sizeof(*result));
	if (!tails) {
		fprintf(stderr, "stampede: no memory for the tails of %s\n", config->driver->row);
		return EXIT_RESOURCE;
	}
	tails->config = config;
	tails->result = result;
	tails->sender.period_ns[1] = (uint64_t)(STORM_LEVEL_1_NS * STORM_STRETCH);
	tails->sender.period_ns[2] = (uint64_t)(STORM_LEVEL_2_NS * STORM_STRETCH);
	error = pthread_create(&thread, NULL, tails_thread, tails);
	if (error) {
		fprintf(stderr, "stampede: cannot start a thread: %s\n", strerror(error));
		error = EXIT_RESOURCE;
	} else {
		if (config->has_sender && config->regime == TAILS_STORM)
			error = send_storm(config, tails);
		pthread_join(thread, NULL);
		error = error ? error : tails->error;
	}
	free(tails->walk);
	free(tails->probe_warm);
	free(tails->probe_cold);
	free(tails);
	return error;
}

static json_t *ecdf_json(const struct histogram *histogram)
{
	struct histogram_point points[ECDF_POINTS];
	unsigned int count = histogram_ecdf(histogram, points, ECDF_POINTS), i;
	json_t *json = json_array();

	for (i = 0; i < count; i++)
		json_array_append_new(json, json_pack("[I, f]", (json_int_t)points[i].value,
						      points[i].share));
	return json;
}

/* A percentile, or null where there are no samples. */
static json_t *part_json(const struct histogram *histogram, double part)
{
	if (!histogram->count)
		return json_null();
	return json_integer((json_int_t)histogram_percentile(histogram, part));
}

json_t *tails_json(const struct tails_config *config, const struct tails_result *result)
{
	const struct histogram *clear = &result->clear, *hit = &result->hit;
	json_t *json = json_object();
	bool good = !result->violation[0];

#define SET(key, value) json_object_set_new(json, key, value)
#define COUNT(key, value) SET(key, json_integer((json_int_t)(value)))
	SET("row", json_string(config->driver->row));
	SET("variant", json_boolean(config->driver->variant));
	SET("regime", json_string(tails_regime_name(config->regime)));
	SET("gaps", config->gaps ? json_string(config->gaps->name) : json_null());
	SET("unit", json_string("ticks"));
	COUNT("samples", clear->count + hit->count);
	COUNT("hits", hit->count);
	SET("violation", good ? json_null() : json_string(result->violation));
	COUNT("unmet_needs", result->unmet);
	SET("p50", good ? part_json(clear, 0.5) : json_null());
	SET("p99", good ? part_json(clear, 0.99) : json_null());
	SET("p999", good ? part_json(clear, 0.999) : json_null());
	SET("p9999", good ? part_json(clear, 0.9999) : json_null());
	SET("max", good ? part_json(clear, 1) : json_null());
	SET("hit_p50", good ? part_json(hit, 0.5) : json_null());
	SET("hit_max", good ? part_json(hit, 1) : json_null());
	SET("fence_p50", part_json(&result->fence, 0.5));
	SET("fence_p99", part_json(&result->fence, 0.99));
	COUNT("blocks", result->blocks);
	COUNT("switched_blocks", result->switched_blocks);
	SET("switched_max", result->switched_blocks && good ?
				    json_integer((json_int_t)result->switched_max) :
				    json_null());
	COUNT("signals", result->delivered);
	SET("seconds", json_real(result->seconds));
	COUNT("walk_bytes", result->walk_bytes);
	if (result->walk_bytes) {
		COUNT("probe_warm", result->probe_warm_ticks);
		COUNT("probe_cold", result->probe_cold_ticks);
	}
	if (config->gaps)
		COUNT("late_waits", result->late_waits);
	SET("ecdf", good ? ecdf_json(clear) : json_array());
#undef COUNT
#undef SET
	return json;
}
