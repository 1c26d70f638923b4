// SPDX-License-Identifier: MIT
/*
 * The late_beat workload: an event, then a beat that comes some fraction or multiple of a wrap
 * later by a real timer, then an event. What does the reader make of the stamps behind the gap?
 *
 * A narrow field (LATE_BEAT_BITS unless the user asks for another) makes a wrap short enough for
 * many repetitions. Rows without a beat get the same gaps: they have to be right at all of them.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/exit.h"
#include "base/time.h"
#include "runner/place/ticks.h"
#include "schemes/core/clock.h"
#include "workloads/engine/thread.h"

#define LATE_BEAT_BITS 20
#define STEPS 12
#define REPETITIONS_LEAST 5
#define WAIT_LONG_NS 10000000 /* once, where the row cannot be made narrower */
#define REPETITIONS_MOST 200
#define TIMES_MOST 16 /* of its seconds, that a row may take: gaps beyond are left out */

static const double asked_wraps[STEPS] = { 0.2, 0.5, 0.8, 1.1, 1.3, 1.6,
					   1.9, 2.2, 2.6, 3.3, 4.4, 6.5 };

/* One lateness of the beat, and what the row made of it. */
struct lateness {
	double asked_wraps; /* from an event to the beat behind it */
	uint64_t gap_ticks; /* measured, in the repetition with the median gap */
	uint64_t wraps_lost; /* by the event after that gap */
	uint64_t error_ticks; /* worst of all repetitions */
	uint64_t repetitions;
	uint64_t wrong; /* repetitions in which that event was wrong */
	uint64_t unexplained; /* of these, with an error that is not the wraps in its gap */
};

struct latenesses {
	struct lateness step[STEPS];
	unsigned int count;
	uint32_t bits; /* one wrap of the gaps is 2^bits ticks */
};
_Static_assert(sizeof(struct latenesses) <= ENGINE_OWN_BYTES, "raise ENGINE_OWN_BYTES");

struct late_beat {
	struct buffer buffer;
	struct interrupts interrupts;
	volatile sig_atomic_t beaten; /* gcc's -fsanitize=bool reads a volatile bool only once */
	uint64_t gap_least_ticks; /* between the two events around the last wait */
	uint64_t gap_most_ticks; /* from the ring's start to behind the second event */
};

static void handle_beat(void *arg, unsigned int source)
{
	struct late_beat *late = arg;

	(void)source;
	late->buffer.driver->beat(late->buffer.scheme, &late->buffer.writer);
	late->beaten = 1;
}

/* One event, a wait for one beat, one event; what was decoded goes into `check`. */
static int late_once(struct late_beat *late, uint64_t wait_ns, struct check *check,
		     struct judgement *judgement)
{
	struct judge_given given = { .ample = true };
	struct buffer *buffer = &late->buffer;
	uint64_t begin, recorded;

	/* The ring has a stamp from here on, and no beat since. */
	begin = clock_real_fenced();
	if (buffer_reset(buffer, &buffer->config))
		return EXIT_USAGE;
	buffer_check(buffer, check);
	late->beaten = 0;
	buffer->driver->run(buffer->scheme, &buffer->writer, 1);
	recorded = clock_real_fenced();
	if (interrupts_timer(&late->interrupts, INTERRUPT_BEAT, wait_ns, true))
		return EXIT_RESOURCE;
	while (!late->beaten)
		;
	late->gap_least_ticks = late->interrupts.beat_last_ticks - recorded;
	buffer->driver->run(buffer->scheme, &buffer->writer, 1);
	late->gap_most_ticks = clock_real_fenced() - begin;
	given.beat_worst_ticks = late->gap_most_ticks;
	judge_buffer(buffer, check, &given, judgement);
	return 0;
}

struct late_gap {
	uint64_t ticks;
	uint64_t wraps_lost;
};

static int by_ticks(const void *a, const void *b)
{
	uint64_t x = ((const struct late_gap *)a)->ticks, y = ((const struct late_gap *)b)->ticks;

	return (x > y) - (x < y);
}

/* Books one repetition. An error that is not exactly the wraps in the gap is a broken promise. */
static void late_book(struct lateness *step, struct late_gap *gaps, struct engine_result *result,
		      const struct late_beat *late, const struct check *check,
		      const struct judgement *judgement)
{
	bool needs_beat = late->buffer.driver->desc->needs & NEED_BEAT;
	uint32_t bits = engine_own(struct latenesses, result)->bits;
	uint64_t wraps = check->worst_error >> bits;
	/* Where low bits are cut, a gap may be seen longer or shorter by so much. */
	uint64_t blur_ticks = ~check->kept;
	bool explained = needs_beat && wraps && check->worst_error == wraps << bits &&
			 (wraps << bits) + blur_ticks >= bits_clear(late->gap_least_ticks, bits) &&
			 wraps <= (late->gap_most_ticks + blur_ticks) >> bits;

	gaps[step->repetitions++] =
		(struct late_gap){ .ticks = late->gap_least_ticks, .wraps_lost = wraps };
	if (check->worst_error > step->error_ticks)
		step->error_ticks = check->worst_error;
	step->wrong += check->violations[ORACLE_EXACT] > 0;
	if (check->violations[ORACLE_EXACT] && explained) {
		result->unmet |= NEED_BEAT;
		engine_merge_excused(result, check, judgement->excused);
	} else {
		step->unexplained += check->violations[ORACLE_EXACT] > 0;
		check_merge(&result->check, check);
	}
}

/* Repetitions of one lateness, until the time that it has is over. */
static int late_once_each(struct late_beat *late, struct lateness *step, double wrap_ns,
			  uint64_t until, struct engine_result *result)
{
	uint64_t wait_ns = (uint64_t)(step->asked_wraps * wrap_ns);
	uint64_t least = wait_ns < WAIT_LONG_NS ? REPETITIONS_LEAST : 1;
	struct late_gap gaps[REPETITIONS_MOST];
	struct judgement judgement;
	struct check check;
	int error;

	if (wait_ns < INTERRUPT_TIMER_LEAST_NS)
		wait_ns = INTERRUPT_TIMER_LEAST_NS;
	do {
		error = late_once(late, wait_ns, &check, &judgement);
		if (error)
			return error;
		late_book(step, gaps, result, late, &check, &judgement);
	} while (!workload_stop && step->repetitions < REPETITIONS_MOST &&
		 (time_ns() < until || step->repetitions < least));
	qsort(gaps, step->repetitions, sizeof(gaps[0]), by_ticks);
	step->gap_ticks = gaps[step->repetitions / 2].ticks;
	step->wraps_lost = gaps[step->repetitions / 2].wraps_lost;
	result->epochs++;
	result->void_epochs += step->wrong && !step->unexplained;
	return 0;
}

static int late_all(struct late_beat *late, const struct engine_config *config,
		    struct engine_result *result)
{
	struct latenesses *steps = engine_own(struct latenesses, result);
	double wrap_ns = 1e9 * (double)(UINT64_C(1) << steps->bits) / ticks_hz();
	uint64_t begin = time_ns(), until;
	struct lateness *step;
	int error = 0;

	while (steps->count < STEPS && !workload_stop && !error &&
	       (!steps->count || (double)(time_ns() - begin) + asked_wraps[steps->count] * wrap_ns <
					 TIMES_MOST * 1e9 * config->seconds)) {
		step = &steps->step[steps->count];
		step->asked_wraps = asked_wraps[steps->count++];
		until = begin + (uint64_t)(config->seconds * 1e9 * steps->count / STEPS);
		error = late_once_each(late, step, wrap_ns, until, result);
	}
	result->seconds = (double)(time_ns() - begin) / 1e9;
	result->recording_seconds = result->seconds;
	return error;
}

static int run(const struct engine_config *config, struct engine_result *result)
{
	struct latenesses *steps = engine_own(struct latenesses, result);
	struct late_beat late = { .interrupts = { .handle = handle_beat, .arg = &late } };
	struct ring_config ring = buffer_config(config->driver, 12, 2);
	int error;

	result->unmet_by_plan = NEED_BEAT;
	result->bits = driver_bits(config->driver, config->bits ? config->bits : LATE_BEAT_BITS);
	steps->bits = result->bits <= 32 ? result->bits : LATE_BEAT_BITS;
	ring.stamp_bits = result->bits;
	if (ring.counter_bits < 64)
		ring.counter_bits = result->bits;
	if (place_bind_self(config->place, config->pu[0]) ||
	    buffer_open(&late.buffer, config->driver, &ring))
		return EXIT_RESOURCE;
	interrupts_attach(&late.interrupts);
	interrupts_unblock_beat();
	error = late_all(&late, config, result);
	interrupts_detach(&late.interrupts);
	buffer_close(&late.buffer);
	return error;
}

static void print(FILE *out, const struct engine_result *result)
{
	const struct latenesses *steps = engine_own(struct latenesses, result);
	double wrap = (double)(UINT64_C(1) << steps->bits);
	const struct lateness *step;
	unsigned int i;

	fprintf(out, "  median gap in wraps: wraps lost in it (wrong, of repetitions)\n");
	for (i = 0; i < steps->count; i++) {
		step = &steps->step[i];
		fprintf(out, "%s %.2f: %" PRIu64 " (%" PRIu64 "/%" PRIu64 ")%s", i % 4 ? "" : " ",
			(double)step->gap_ticks / wrap, step->wraps_lost, step->wrong,
			step->repetitions, i % 4 == 3 || i + 1 == steps->count ? "\n" : ",");
	}
}

/* A row without stamps has no wrap to lose. */
static json_t *step_json(const struct lateness *step, double wrap, bool untimed)
{
	return json_pack("{s:f, s:f, s:o, s:I, s:I, s:I, s:I}", "asked_wraps", step->asked_wraps,
			 "gap_wraps", (double)step->gap_ticks / wrap, "wraps_lost",
			 untimed ? json_null() : json_real((double)step->wraps_lost), "wrong",
			 (json_int_t)step->wrong, "unexplained", (json_int_t)step->unexplained,
			 "repetitions", (json_int_t)step->repetitions, "error_ticks",
			 (json_int_t)step->error_ticks);
}

static void json(json_t *into, const struct engine_config *config,
		 const struct engine_result *result)
{
	const struct latenesses *steps = engine_own(struct latenesses, result);
	double wrap = (double)(UINT64_C(1) << steps->bits);
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < steps->count; i++)
		json_array_append_new(
			array, step_json(&steps->step[i], wrap, config->driver->desc->untimed));
	if (steps->count)
		json_object_set(into, "steps", array);
	json_decref(array);
}

static const struct workload_engine engine = {
	.no_export =
		"late_beat starts its ring anew for every beat; --export is for other workloads",
	.run = run,
	.print = print,
	.json = json,
};

const struct workload workload_late_beat = {
	.name = "late_beat",
	.text = "the beat comes later and later, up to several wraps",
	.plot = "late_beat",
	.engine = &engine,
	.forms = { { .section = "late_beat", .seconds = { 0.03, 0.2, 3 } } },
};
