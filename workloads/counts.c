// SPDX-License-Identifier: MIT
#include "workloads/counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "schemes/core/clock.h"
#include "schemes/core/points.h"
#include "judge/judge.h"
#include "judge/player.h"
#include "judge/verdict.h"

#define PAYLOAD_BYTES 8 /* what an event of the timed build carries */
#define EVENTS_MOST 200000
#define EVENTS_LEAST 64
#define SECONDS_LEAST 4.0

#define BEGIN (UINT64_C(1) << 20)

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
	player_clock(BEGIN, step_ticks);
	if (wrapping)
		run_wrapping(&buffer, events);
	else
		driver->run(buffer.scheme, &buffer.writer, events);
	counts->clock_reads = (double)points.clock_reads / (double)events;
	counts->atomics = (double)points.atomics / (double)events;
	check_init(&check, driver->desc, config.stamp_bits);
	buffer_drain(&buffer, &check);
	counts->extended = (double)check.extended / (double)(check.events ? check.events : 1);
	counts->header_bytes =
		(double)check.header_bytes / (double)(check.events ? check.events : 1);
	buffer_close(&buffer);
	return 0;
}

/* Events at `rate`, with beats in between where they are due. */
static void play(struct player *player, double rate, uint64_t events, double hz,
		 struct check *check)
{
	uint64_t begin = virtual_clock.now, i;

	for (i = 0; i < events; i++) {
		player_until(player, 1, begin + (uint64_t)((double)i * hz / rate));
		player_event(player);
		if (i % 1024 == 1023)
			buffer_drain(player->buffer, check);
	}
	player_until(player, 1, begin + (uint64_t)((double)events * hz / rate));
	buffer_drain(player->buffer, check);
}

/* Bytes that natural alignment leaves empty, in a record or after its payload. */
static double alignment_bytes(const struct check *check)
{
	uint64_t events = check->by_context[CONTEXT_TASK] + check->by_context[CONTEXT_BEAT];

	return (double)check->alignment_bytes + (double)check->payload_bytes -
	       (double)(events * sizeof(struct check_payload));
}

json_t *counts_by_rate(const struct driver *driver, double hz)
{
	struct ring_config config = buffer_config(driver, 16, 4);
	json_t *points_seen = json_array();
	struct player player;
	struct buffer buffer;
	struct check check;
	double rate, seconds, header, payload;
	uint64_t events;

	if (buffer_open(&buffer, driver, &config))
		return NULL;
	for (rate = 1; rate < 2e7; rate *= 10) {
		/* A whole number on i386 too, whose doubles may be wider than they say. */
		events = (uint64_t)llround(
			fmin(fmax(rate * SECONDS_LEAST, EVENTS_LEAST), EVENTS_MOST));
		seconds = (double)events / rate;
		player_clock(BEGIN, 0);
		if (buffer_reset(&buffer, &config))
			break;
		check_init(&check, driver->desc, config.stamp_bits);
		player_begin(&player, &buffer, player_every(driver, driver->stamp_bits, hz));
		play(&player, rate, events, hz, &check);
		header = (double)check.header_bytes +
			 (double)check.by_context[CONTEXT_BEAT] * PAYLOAD_BYTES;
		payload = (double)check.by_context[CONTEXT_TASK] * PAYLOAD_BYTES +
			  alignment_bytes(&check);
		json_array_append_new(points_seen,
				      json_pack("{s:s, s:f, s:f, s:f, s:f}", "row", driver->row,
						"events_per_second", rate, "bytes_per_second",
						(header + payload) / seconds,
						"header_bytes_per_second", header / seconds,
						"tsc_hz", hz));
	}
	buffer_close(&buffer);
	return points_seen;
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
	double event_at = (double)BEGIN;
	struct judge_given given = { .ample = true };
	struct judgement judgement;
	struct evidence evidence;
	struct player player;
	struct buffer buffer;
	struct check check;
	uint64_t i;

	if (buffer_open(&buffer, driver, &config))
		return NULL;
	player_clock(BEGIN, 1);
	/* The scheme began at another time. */
	buffer_reset(&buffer, &config);
	buffer_check(&buffer, &check);
	player_begin(&player, &buffer, player_every(driver, driver->stamp_bits, hz));
	for (i = 1; i <= events; i++) {
		event_at += gaps_sample_ns(gaps, &seed) * hz * 1e-9;
		player_until(&player, 1, (uint64_t)event_at);
		player_event(&player);
		if (i % 1024 == 0)
			buffer_drain(&buffer, &check);
	}
	judge_buffer(&buffer, &check, &given, &judgement);
	*verdict = judgement.verdict;
	buffer_close(&buffer);
	evidence = (struct evidence){ .check = &check, .trial = trial_of(driver) };
	return replay_json(&check, driver->row, gaps->name, (event_at - (double)BEGIN) / hz,
			   verdict_of_row(&evidence, *verdict));
}
