// SPDX-License-Identifier: MIT
/* Built with the counting build's seams in sight: points and the virtual clock. */
#define STAMPEDE_COUNTING
#include "workloads/counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schemes/core/clock.h"
#include "judge/judge.h"
#include "base/options.h"

#define PAYLOAD_BYTES 8 /* what an event of the timed build carries */
#define EVENTS_MOST 200000
#define EVENTS_LEAST 64
#define SECONDS_LEAST 4.0

static void reset(uint64_t step_ticks)
{
	points = (struct points){ .hook = NULL };
	virtual_clock.now = 1u << 20;
	virtual_clock.step = step_ticks;
}

/* `events`, before every sixteenth of which more than a wrap goes by. */
static void run_wrapping(struct buffer *buffer, uint64_t events)
{
	const uint32_t bits = buffer->driver->stamp_bits < 64 ? buffer->driver->stamp_bits : 27;
	uint64_t i;

	for (i = 0; i < events; i++) {
		if (i % 16 == 0)
			virtual_clock.now += (UINT64_C(1) << bits) + 1;
		buffer->driver->run(buffer->scheme, &buffer->writer, 1);
	}
}

int counts_steady(const struct driver *driver, uint64_t events, uint64_t step_ticks, bool wrapping,
		  struct counts *counts)
{
	struct ring_config config = buffer_config(driver, 12, 8);
	struct buffer buffer;
	struct check check;

	if (buffer_open(&buffer, driver, &config))
		return EXIT_RESOURCE;
	reset(step_ticks);
	if (wrapping)
		run_wrapping(&buffer, events);
	else
		driver->run(buffer.scheme, &buffer.writer, events);
	counts->clock_reads = (double)points.clock_reads / (double)events;
	counts->atomics = (double)points.atomics / (double)events;
	check_init(&check, driver->desc, config.stamp_bits);
	buffer_drain(&buffer, &check);
	counts->extended = (double)check.extended / (double)(check.events ? check.events : 1);
	counts->header_bytes = (double)check.header_bytes / (double)(check.events ? check.events : 1);
	buffer_close(&buffer);
	return 0;
}

/* `seconds` of events at `rate`, with beats in between where they are due. */
static void play(struct buffer *buffer, double rate, double seconds, double hz,
		 struct check *check)
{
	const struct driver *driver = buffer->driver;
	double begin = (double)virtual_clock.now, end = begin + seconds * hz;
	double event_ticks = hz / rate, event_at = begin, beat_ticks = 2 * (end - begin), beat_at;
	uint64_t since = 0;

	if (driver->desc->needs & NEED_BEAT)
		beat_ticks = driver_beat_ticks(driver, driver->stamp_bits, hz);
	for (beat_at = begin + beat_ticks; event_at < end;) {
		if (beat_at < event_at) {
			virtual_clock.now = (uint64_t)beat_at;
			driver->beat(buffer->scheme, &buffer->writer);
			beat_at += beat_ticks;
		} else {
			virtual_clock.now = (uint64_t)event_at;
			driver->run(buffer->scheme, &buffer->writer, 1);
			event_at += event_ticks;
		}
		if (++since % 1024 == 0)
			buffer_drain(buffer, check);
	}
	buffer_drain(buffer, check);
}

json_t *counts_by_rate(const struct driver *driver, double hz)
{
	struct ring_config config = buffer_config(driver, 16, 4);
	json_t *points_seen = json_array();
	struct buffer buffer;
	struct check check;
	double rate, seconds, header, payload;

	if (buffer_open(&buffer, driver, &config))
		return NULL;
	for (rate = 1; rate < 2e7; rate *= 10) {
		seconds = rate * SECONDS_LEAST > EVENTS_MOST ? EVENTS_MOST / rate : SECONDS_LEAST;
		if (rate * seconds < EVENTS_LEAST)
			seconds = EVENTS_LEAST / rate;
		reset(0);
		if (buffer_reset(&buffer, &config))
			break;
		check_init(&check, driver->desc, config.stamp_bits);
		play(&buffer, rate, seconds, hz, &check);
		header = (double)check.header_bytes +
			 (double)check.by_context[CONTEXT_BEAT] * PAYLOAD_BYTES;
		payload = (double)check.by_context[CONTEXT_TASK] * PAYLOAD_BYTES;
		json_array_append_new(
			points_seen,
			json_pack("{s:s, s:f, s:f, s:f, s:f}", "row", driver->row,
				  "events_per_second", rate, "bytes_per_second",
				  (header + payload) / seconds, "header_bytes_per_second",
				  header / seconds, "tsc_hz", hz));
	}
	buffer_close(&buffer);
	return points_seen;
}

/* The next event of a replay, and the beats that are due before it. */
static void replay_one(struct buffer *buffer, double event_at, double *beat_at, double beat_ticks)
{
	const struct driver *driver = buffer->driver;

	for (; *beat_at < event_at; *beat_at += beat_ticks) {
		/* Never back: an event before it may have read the clock up to here. */
		if (virtual_clock.now < (uint64_t)*beat_at)
			virtual_clock.now = (uint64_t)*beat_at;
		driver->beat(buffer->scheme, &buffer->writer);
	}
	if (virtual_clock.now < (uint64_t)event_at)
		virtual_clock.now = (uint64_t)event_at;
	driver->run(buffer->scheme, &buffer->writer, 1);
}

/* What rows with natural alignment leave empty, in a record or behind its payload. */
static double alignment_bytes(const struct check *check)
{
	uint64_t events = check->by_context[CONTEXT_TASK] + check->by_context[CONTEXT_BEAT];

	return (double)check->alignment_bytes + (double)check->payload_bytes -
	       (double)(events * sizeof(struct check_payload));
}

static json_t *replay_json(const struct check *check, const char *row, const char *gaps,
			   double seconds, enum verdict verdict)
{
	double events = (double)check->by_context[CONTEXT_TASK];
	double beats = (double)check->by_context[CONTEXT_BEAT];
	double header = (double)check->header_bytes + beats * PAYLOAD_BYTES;
	double bytes = header + alignment_bytes(check) + events * PAYLOAD_BYTES;

	return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "row", row, "gaps",
			 gaps, "verdict", check_verdict_name(verdict), "events", events, "seconds",
			 seconds, "bytes", bytes / events, "header_bytes", header / events,
			 "bytes_per_second", bytes / seconds, "extended_per_million",
			 1e6 * (double)check->extended / events, "beats_per_second",
			 beats / seconds);
}

json_t *counts_replay(const struct driver *driver, const struct gaps *gaps, uint64_t events,
		      double hz, uint64_t seed, enum verdict *verdict)
{
	struct ring_config config = buffer_config(driver, 16, 4);
	double begin = 1u << 20, event_at = begin, beat_at = HUGE_VAL, beat_ticks = 0;
	struct judge_given given = { .ample = true };
	struct judgement judgement;
	struct buffer buffer;
	struct check check;
	uint64_t i;

	if (buffer_open(&buffer, driver, &config))
		return NULL;
	reset(1);
	/* The scheme began at another time. */
	buffer_reset(&buffer, &config);
	buffer_check(&buffer, &check);
	if (driver->desc->needs & NEED_BEAT) {
		beat_ticks = driver_beat_ticks(driver, driver->stamp_bits, hz);
		beat_at = begin + beat_ticks;
	}
	for (i = 1; i <= events; i++) {
		event_at += gaps_sample_ns(gaps, &seed) * hz * 1e-9;
		replay_one(&buffer, event_at, &beat_at, beat_ticks);
		if (i % 1024 == 0)
			buffer_drain(&buffer, &check);
	}
	judge_buffer(&buffer, &check, &given, &judgement);
	*verdict = judgement.verdict;
	buffer_close(&buffer);
	return replay_json(&check, driver->row, gaps->name, (event_at - begin) / hz, *verdict);
}
