// SPDX-License-Identifier: MIT
/* Built with the counting build's seams in sight: points and the virtual clock. */
#define STAMPEDE_COUNTING
#include "counts.h"

#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "core/clock.h"
#include "options.h"

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

int counts_steady(const struct driver *driver, uint64_t events, uint64_t step_ticks,
		  struct counts *counts)
{
	struct ring_config config = buffer_config(driver, 12, 8);
	struct buffer buffer;
	struct check check;

	if (buffer_open(&buffer, driver, &config))
		return EXIT_RESOURCE;
	reset(step_ticks);
	driver->run(buffer.scheme, &buffer.writer, events);
	counts->clock_reads = (double)points.clock_reads / (double)events;
	counts->atomics = (double)points.atomics / (double)events;
	check_init(&check, driver->desc, config.stamp_bits);
	buffer_drain(&buffer, &check);
	counts->extended = (double)check.extended / (double)(check.events ? check.events : 1);
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
		beat_ticks = driver_beat_ns(driver, driver->stamp_bits, hz) * hz / 1e9;
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
	double rate, seconds, header;

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
		json_array_append_new(
			points_seen,
			json_pack("{s:s, s:f, s:f, s:f, s:f}", "row", driver->row,
				  "events_per_second", rate, "bytes_per_second",
				  (header + (double)check.by_context[CONTEXT_TASK] * PAYLOAD_BYTES) /
					  seconds,
				  "header_bytes_per_second", header / seconds, "tsc_hz", hz));
	}
	buffer_close(&buffer);
	return points_seen;
}
