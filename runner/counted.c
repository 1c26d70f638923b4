// SPDX-License-Identifier: MIT
#include "runner/counted.h"

#include "base/exit.h"
#include "base/time.h"
#include "judge/buffer.h"
#include "runner/place/ticks.h"
#include "runner/timing/steps.h"

#define TICKS_BETWEEN_EVENTS 35
#define COUNTED_EVENTS 200000
#define WRAPPING_EVENTS 20000
#define DECODE_ROUNDS 40
#define DECODE_EVENTS 40000

int counted_row(const struct driver *row, struct counted *counted, json_t *by_rate)
{
	const struct driver *driver = driver_find(drivers_counting, row->row);
	int error =
		counts_steady(driver, COUNTED_EVENTS, TICKS_BETWEEN_EVENTS, false, &counted->calm);
	json_t *points;

	if (!error)
		error = counts_steady(driver, WRAPPING_EVENTS, TICKS_BETWEEN_EVENTS, true,
				      &counted->wrapping);
	if (error)
		return error;
	counted->instructions = steps_per_event(driver_find(drivers_timed, row->row));
	if (driver->desc->untimed)
		return 0;
	points = counts_by_rate(driver, ticks_hz());
	json_array_extend(by_rate, points);
	json_decref(points);
	return 0;
}

json_t *counted_json(const char *row, const struct counted *counted)
{
	const struct counts *calm = &counted->calm, *wrapping = &counted->wrapping;

	return json_pack(
		"{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "row", row, "clock_reads",
		calm->clock_reads, "atomics", calm->atomics, "extended", calm->extended,
		"header_bytes", calm->header_bytes, "wrapping_clock_reads", wrapping->clock_reads,
		"wrapping_atomics", wrapping->atomics, "wrapping_extended", wrapping->extended,
		"wrapping_header_bytes", wrapping->header_bytes, "instructions",
		counted->instructions < 0 ? json_null() : json_real(counted->instructions));
}

/* Events per second, of a full ring; negative without memory. */
static double decode_row(const struct driver *row)
{
	struct ring_config config = buffer_config(row, 12, 8);
	uint64_t begin, best = UINT64_MAX, now;
	struct buffer buffer;
	struct check check;
	int round;

	if (buffer_open(&buffer, row, &config))
		return -1;
	row->run(buffer.scheme, &buffer.writer, DECODE_EVENTS);
	row->flush(buffer.scheme);
	for (round = 0; round < DECODE_ROUNDS; round++) {
		check_init(&check, row->desc, config.stamp_bits);
		begin = time_ns();
		row->drain(buffer.scheme, &check, false);
		now = time_ns() - begin;
		best = now < best ? now : best;
	}
	buffer_close(&buffer);
	return (double)check.events * 1e9 / (double)best;
}

int counted_decoding(const struct driver *const *rows, int count, struct progress *progress,
		     double *events_per_second)
{
	double rate;
	int i;

	*events_per_second = 0;
	for (i = 0; i < count; i++) {
		/* Without a stamp every event leaves its window: that is not the usual path. */
		if (rows[i]->desc->untimed)
			continue;
		progress_step(progress, "decoding", rows[i]->row);
		rate = decode_row(rows[i]);
		if (rate < 0)
			return EXIT_RESOURCE;
		if (!(*events_per_second > 0) || rate < *events_per_second)
			*events_per_second = rate;
	}
	return 0;
}
