// SPDX-License-Identifier: MIT
/* What workloads count on the virtual clock, which is the same on every machine. */
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>

#include "runner/counted.h"
#include "runner/place/ticks.h"
#include "workloads/misclock.h"
#include "workloads/workload.h"

#define HZ 2e9
#define EVENTS 5000

/* Each gap is about a microsecond: no field of 27 bits wraps, and a beat is rare. */
static const struct gaps busy = {
	.name = "busy", .buckets = 1, .lo_ns = { 512 }, .until = { 1 }, .count = 1
};

static double replayed(const char *row, const char *key)
{
	enum verdict verdict = VERDICT_BROKEN;
	json_t *line =
		counts_replay(driver_find(drivers_counting, row), &busy, EVENTS, HZ, 1, &verdict);
	double value;

	assert_non_null(line);
	assert_int_equal(verdict, VERDICT_KEPT);
	value = json_number_value(json_object_get(line, key));
	json_decref(line);
	return value;
}

/* 8 bytes of payload behind headers of 4, 8 and 12, naturally aligned or not. */
static void alignment_counts(void **state)
{
	assert_float_equal(replayed("extended_header", "bytes"), 12, 0.01);
	assert_float_equal(replayed("extended_header_aligned", "bytes"), 16, 0.01);
	assert_float_equal(replayed("nested_stamps", "bytes"), 12, 0.01);
	assert_float_equal(replayed("nested_stamps_aligned", "bytes"), 16, 0.01);
	assert_float_equal(replayed("full_tsc", "bytes"), 20, 0.01);
	assert_float_equal(replayed("full_tsc_aligned", "bytes"), 24, 0.01);
	assert_float_equal(replayed("full_tsc_aligned", "header_bytes"), 12, 0.01);
	assert_float_equal(replayed("heartbeat", "bytes"), 16, 0.02);
}

/* The line of a rate. */
static double at_rate(const char *row, double rate)
{
	json_t *lines = counts_by_rate(driver_find(drivers_counting, row), HZ), *line;
	double value = -1;
	size_t i;

	assert_non_null(lines);
	json_array_foreach(lines, i, line) {
		if (json_number_value(json_object_get(line, "events_per_second")) == rate)
			value = json_number_value(json_object_get(line, "header_bytes_per_second"));
	}
	json_decref(lines);
	return value;
}

/* As many events as the rate says, and all beats of their time, of headers of 4, 8 and 12 bytes. */
static void rates_are_kept(void **state)
{
	const struct driver *compact = driver_find(drivers_counting, "heartbeat_compact");
	double beats = HZ / driver_beat_ticks(compact, compact->stamp_bits, HZ);

	assert_float_equal(at_rate("floor", 1), 4, 1e-9);
	assert_float_equal(at_rate("floor_large", 1000), 8000, 1e-9);
	assert_float_equal(at_rate("full_tsc", 1e6), 12e6, 1e-9);
	/* 10 events per second among its beats, of 12 bytes each with the payload. */
	assert_float_equal(at_rate("heartbeat_compact", 10), 40 + 12 * beats, 12 / 6.4);
}

static void step(void *arg, const char *section, const char *what)
{
	assert_string_equal(section, "backstep");
}

/* All lines of backstep, of replay, and of what is counted in a row, as they were recorded. */
static void lines_are_as_recorded(void **state)
{
	static const char *const names[] = { "packed_word", "nested_stamps", "heartbeat",
					     "full_tsc" };
	const struct driver *rows[COUNT(names)];
	struct workload_bench bench = {
		.rows = rows, .count = COUNT(names), .seed = 1, .size = SIZE_QUICK, .step = step
	};
	json_t *lines = json_array(), *line;
	struct misclock_result played;
	enum misclock kind;
	struct counted counted;
	size_t i, bytes;
	char *got;
	FILE *to = open_memstream(&got, &bytes);

	ticks_set_hz(HZ);
	for (i = 0; i < COUNT(names); i++) {
		rows[i] = driver_find(drivers_checked, names[i]);
		assert_int_equal(counted_row(rows[i], &counted, lines), 0);
		counted.instructions = -1; /* the compiler's */
		json_array_append_new(lines, counted_json(names[i], &counted));
	}
	assert_int_equal(workload_backstep.measure(&bench, lines), 0);
	assert_int_equal(workload_replay.measure(&bench, lines), 0);
	json_array_foreach(lines, i, line) {
		json_dumpf(line, to, JSON_COMPACT | JSON_REAL_PRECISION(6));
		fputc('\n', to);
	}
	for (kind = 0; kind < MISCLOCKS; kind++)
		if (!misclock_play(driver_find(drivers_counting, names[0]), kind, 100, HZ, 1, 1,
				   &played))
			fprintf(to, "%s: %" PRIu64 " ticks, %" PRIu64 " interrupts\n",
				misclock_words[kind].name, played.ticks, played.interrupts);
	fclose(to);
	json_decref(lines);
	assert_recorded(got, "counts");
}

TESTS(alignment_counts, rates_are_kept, lines_are_as_recorded)
