// SPDX-License-Identifier: MIT
/*
 * The late_beat workload: an event, then a beat that comes some fraction or multiple of a wrap
 * later by a real timer, then an event. What does the reader make of the stamps behind the gap?
 *
 * A narrow field (LATE_BEAT_BITS unless the user asks for another) makes a wrap short enough for
 * many repetitions. Rows without a beat get the same gaps: they have to be right at all of them.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "schemes/core/clock.h"
#include "base/options.h"
#include "workloads/stress.h"
#include "place/ticks.h"

#define LATE_BEAT_BITS 20
#define REPETITIONS_LEAST 5
#define REPETITIONS_MOST 200

static const double lateness[LATE_BEAT_STEPS] = { 0.2, 0.5, 0.8, 1.1, 1.3, 1.6,
						  1.9, 2.2, 2.6, 3.3, 4.4, 6.5 };

struct late_beat {
	struct buffer buffer;
	struct interrupts interrupts;
	volatile bool beaten;
	uint64_t gap_least_ticks; /* between the two events around the last wait */
	uint64_t gap_most_ticks; /* the second event behind it included */
};

static void handle_beat(void *arg, unsigned int source)
{
	struct late_beat *late = arg;

	(void)source;
	late->buffer.driver->beat(late->buffer.scheme, &late->buffer.writer);
	late->beaten = true;
}

/* One event, a wait for one beat, one event; what was decoded goes into `check`. */
static int late_once(struct late_beat *late, uint64_t wait_ns, struct check *check,
		     struct judgement *judgement)
{
	struct judge_given given = { .ample = true };
	struct buffer *buffer = &late->buffer;
	uint64_t begin, recorded;

	if (buffer_reset(buffer, &buffer->config))
		return EXIT_USAGE;
	buffer_check(buffer, check);
	late->beaten = false;
	begin = clock_real_fenced();
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
static void late_book(struct late_beat_step *step, struct late_gap *gaps,
		      struct stress_result *result, const struct late_beat *late,
		      const struct check *check, const struct judgement *judgement)
{
	bool needs_beat = late->buffer.driver->desc->needs & NEED_BEAT;
	uint32_t bits = result->late_bits;
	uint64_t wraps = check->worst_error >> bits;
	/* Where low bits are cut, a gap may be seen longer or shorter by so much. */
	uint64_t blur_ticks = ~check->kept;
	bool explained = needs_beat && wraps && check->worst_error == wraps << bits &&
			 (wraps << bits) + blur_ticks >=
				 bits_clear(late->gap_least_ticks, bits) &&
			 wraps <= (late->gap_most_ticks + blur_ticks) >> bits;

	gaps[step->repetitions++] =
		(struct late_gap){ .ticks = late->gap_least_ticks, .wraps_lost = wraps };
	if (check->worst_error > step->error_ticks)
		step->error_ticks = check->worst_error;
	step->wrong += check->violations[ORACLE_EXACT] > 0;
	if (check->violations[ORACLE_EXACT] && explained) {
		result->unmet |= NEED_BEAT;
		stress_merge_excused(result, check, judgement->excused);
	} else {
		step->unexplained += check->violations[ORACLE_EXACT] > 0;
		stress_merge_check(&result->check, check);
	}
}

static int late_steps(struct late_beat *late, const struct stress_config *config,
		      struct stress_result *result)
{
	double wrap_ns = 1e9 * (double)(UINT64_C(1) << result->late_bits) / ticks_hz();
	uint64_t begin = time_ns(), until, wait_ns;
	struct late_gap gaps[REPETITIONS_MOST];
	struct late_beat_step *step;
	struct judgement judgement;
	struct check check;
	unsigned int i;
	int error;

	for (i = 0; i < LATE_BEAT_STEPS && !stress_stop; i++) {
		step = &result->late[result->late_steps++];
		step->asked_wraps = lateness[i];
		wait_ns = (uint64_t)(lateness[i] * wrap_ns);
		if (wait_ns < INTERRUPT_TIMER_LEAST_NS)
			wait_ns = INTERRUPT_TIMER_LEAST_NS;
		until = begin + (uint64_t)(config->seconds * 1e9 * (i + 1) / LATE_BEAT_STEPS);
		do {
			error = late_once(late, wait_ns, &check, &judgement);
			if (error)
				return error;
			late_book(step, gaps, result, late, &check, &judgement);
		} while (!stress_stop && step->repetitions < REPETITIONS_MOST &&
			 (time_ns() < until || step->repetitions < REPETITIONS_LEAST));
		qsort(gaps, step->repetitions, sizeof(gaps[0]), by_ticks);
		step->gap_ticks = gaps[step->repetitions / 2].ticks;
		step->wraps_lost = gaps[step->repetitions / 2].wraps_lost;
		result->epochs++;
		result->void_epochs += step->wrong && !step->unexplained;
	}
	result->seconds = (double)(time_ns() - begin) / 1e9;
	result->recording_seconds = result->seconds;
	return 0;
}

int stress_late_beat(const struct stress_config *config, struct stress_result *result)
{
	struct late_beat late = { .beaten = false };
	struct ring_config ring = buffer_config(config->driver, 12, 2);
	int error;

	*result = (struct stress_result){ .check.desc = config->driver->desc };
	result->bits = stress_bits(config->driver, config->bits ? config->bits : LATE_BEAT_BITS);
	result->late_bits = result->bits <= 32 ? result->bits : LATE_BEAT_BITS;
	ring.stamp_bits = result->bits;
	if (ring.counter_bits < 64)
		ring.counter_bits = result->bits;
	if (place_bind_self(config->place, config->pu[0]) ||
	    buffer_open(&late.buffer, config->driver, &ring))
		return EXIT_RESOURCE;
	late.interrupts.handle = handle_beat;
	late.interrupts.arg = &late;
	interrupts_attach(&late.interrupts);
	interrupts_unblock_beat();
	error = late_steps(&late, config, result);
	interrupts_detach(&late.interrupts);
	buffer_close(&late.buffer);
	result->interrupted = stress_stop;
	return error;
}
