// SPDX-License-Identifier: MIT
/*
 * Each formula of extras/layout/layout_math.h, by its worked example and against a measured run of
 * the rows on the virtual clock.
 */
#include "tests/support/test.h"

#include <math.h>

#include "judge/buffer.h"
#include "schemes/core/clock.h"
#include "schemes/core/points.h"
#include "workloads/counts.h"
#include "workloads/gaps.h"
#include "extras/layout/layout_math.h"
#include "tests/support/clean.h"

#define HZ 2.25e9

static struct buffer buffer;
static struct check check;

static void near(double value, double expected, double part)
{
	if (fabs(value - expected) > fabs(expected) * part)
		fail_msg("%.10g is not %.10g", value, expected);
}

static const struct driver *row_of(const char *row)
{
	const struct driver *driver = driver_find(drivers_counting, row);

	if (!driver)
		fail_msg("no row is called %s", row);
	return driver;
}

static void open_row(const struct driver *driver, uint64_t now, uint64_t step)
{
	struct ring_config config = buffer_config(driver, 12, 4);

	points = (struct points){ .hook = NULL };
	virtual_clock.now = now;
	virtual_clock.step = step;
	assert_int_equal(buffer_open(&buffer, driver, &config), 0);
	check_init(&check, driver->desc, driver->stamp_bits);
}

static void record_at(uint64_t now)
{
	virtual_clock.now = now;
	buffer.driver->run(buffer.scheme, &buffer.writer, 1);
}

/* ---- bits and worked examples ---- */

static void bits_of_the_examples(void **state)
{
	assert_int_equal(bits_clear(0x1ff, 5), 0x1e0);
	assert_int_equal(bits_clear(0x1ff, 0), 0x1ff);
	assert_int_equal(bits_clear(UINT64_MAX, 64), 0);
	assert_int_equal(bits_last_set(800), 10);
	assert_int_equal(bits_last_set(0), 0);
	assert_int_equal(bits_last_set(UINT64_MAX), 64);
	assert_int_equal(layout_cut_low(800), 9);
	assert_int_equal(layout_cut_low(1), 0);
	assert_int_equal(layout_cut_low(0), 0);
	assert_int_equal(layout_cut_low(35), 5);
	assert_int_equal(layout_cut_high(120000000), 4);
	assert_int_equal(layout_cut_high(UINT64_MAX), 0);
	assert_int_equal(layout_cut_high(UINT32_MAX / 2), 0);
}

static void times_of_the_examples(void **state)
{
	struct layout_error errors[LAYOUT_ERRORS];
	size_t i;

	near(layout_wrap_seconds(4e9, 27, 0), 33.554432e-3, 1e-12);
	near(layout_wraps_per_second(4e9, 27, 0), 29.802322387695312, 1e-12);
	near(layout_wrap_seconds(4e9, 26, 6), 1.073741824, 1e-12);
	near(layout_wrap_seconds(4e9, 64, 0) / 31557600, 146.1, 1e-3);
	near(layout_granularity_ns(4e9, 9), 128, 1e-12);
	/* 120 ms of wrap, less a granule, less 20 ms of latency. */
	near(layout_least_beat_hz(&layouts[4], HZ, 20000), 1 / (0.1193046 - 228e-9 - 0.02), 1e-5);
	assert_true(layout_least_beat_hz(&layouts[0], 4e9, 40000) == 0);
	layout_seed_errors(errors);
	for (i = 0; i < LAYOUT_ERRORS; i++)
		assert_true(fabs(errors[i].said - errors[i].right) > 0.05 * errors[i].right);
}

/* ---- layouts against their rows ---- */

#define for_each_layout_row(layout, driver) \
	for (size_t each_ = 0; each_ < 2 * layouts_count; each_++) \
		for (const struct layout *layout = &layouts[each_ / 2], *once_ = layout; once_; \
		     once_ = NULL) \
			for (const struct driver *driver = driver_find( \
				     drivers_counting, \
				     each_ & 1 ? layout->extension_row : layout->beat_row); \
			     driver; driver = NULL)

static void rows_are_the_layouts(void **state)
{
	unsigned int rows = 0;

	for_each_layout_row(layout, driver)
	{
		assert_null(layout_fault(layout));
		assert_int_equal(driver->stamp_bits, layout->time_bits + layout->cut_bits);
		assert_int_equal(driver->desc->cut_bits, layout->cut_bits);
		assert_int_equal(!(driver->desc->promises & PROMISE_EXACT), layout->cut_bits > 0);
		assert_int_equal(!(driver->desc->needs & NEED_BEAT), each_ & 1);
		open_row(driver, 12345, 1);
		driver->run(buffer.scheme, &buffer.writer, 10);
		buffer_drain(&buffer, &check);
		assert_true(check_clean(&check));
		assert_int_equal(check.header_bytes, 10 * layout->header_bits / 8);
		buffer_close(&buffer);
		rows++;
	}
	assert_int_equal(rows, 15);
}

/* Of two events `gap` apart, the first at `start`: is the second right, and short? */
static bool told_apart(const struct driver *driver, uint64_t start, uint64_t gap)
{
	bool good;

	open_row(driver, start, 0);
	record_at(start);
	record_at(start + gap);
	buffer_drain(&buffer, &check);
	good = check_clean(&check) && !check.extended;
	if (driver->desc->extension != EXTEND_NEVER && !check_clean(&check))
		fail_msg("%s is wrong at a gap of %llu", driver->row, (unsigned long long)gap);
	buffer_close(&buffer);
	return good;
}

/* The first gap, found by halving, that a short header does not carry from `start`. */
static uint64_t first_lost_gap(const struct driver *driver, uint64_t start)
{
	uint64_t good = 0, bad = UINT64_C(1) << 40, middle;

	assert_true(told_apart(driver, start, good));
	assert_false(told_apart(driver, start, bad));
	while (bad - good > 1) {
		middle = good + (bad - good) / 2;
		if (told_apart(driver, start, middle))
			good = middle;
		else
			bad = middle;
	}
	return bad;
}

/* The wrap period is the first gap that is lost, or needs a whole stamp; late in a granule less. */
static void wrap_is_the_first_gap_lost(void **state)
{
	uint64_t aligned = UINT64_C(3) << 40, granule;

	for_each_layout_row(layout, driver)
	{
		if (layout->time_bits == 64)
			continue;
		granule = UINT64_C(1) << layout->cut_bits;
		near((double)first_lost_gap(driver, aligned),
		     layout_wrap_seconds(HZ, layout->time_bits, layout->cut_bits) * HZ, 1e-15);
		assert_int_equal(first_lost_gap(driver, aligned + granule - 1),
				 scheme_reach_ticks(driver->desc, driver->stamp_bits) + 1);
	}
}

/* ---- granularity ---- */

struct steps {
	uint64_t previous;
	uint64_t least;
	uint64_t count;
};

static void each_step(void *arg, const struct event *event)
{
	struct steps *steps = arg;

	if (steps->count++ && event->time != steps->previous &&
	    event->time - steps->previous < steps->least)
		steps->least = event->time - steps->previous;
	steps->previous = event->time;
}

static void granularity_is_the_least_step(void **state)
{
	struct steps steps;

	for_each_layout_row(layout, driver)
	{
		steps = (struct steps){ .least = UINT64_MAX };
		open_row(driver, 777, 1);
		driver->run(buffer.scheme, &buffer.writer, 1500);
		driver->flush(buffer.scheme);
		driver->walk(buffer.scheme, each_step, &steps);
		buffer_close(&buffer);
		assert_true(steps.count >= 1000);
		near((double)steps.least * 1e9 / HZ, layout_granularity_ns(HZ, layout->cut_bits),
		     1e-12);
	}
}

/* ---- beats ---- */

/* Two events, and beats `every` ticks between them: is the second right? */
static bool beats_suffice(const struct driver *driver, uint64_t every)
{
	uint64_t begin = UINT64_C(5) << 40, now;
	bool good;

	open_row(driver, begin + 511, 0);
	record_at(begin + 511);
	for (now = begin + 511 + every; now < begin + (UINT64_C(9) << driver->stamp_bits);
	     now += every) {
		virtual_clock.now = now;
		driver->beat(buffer.scheme, &buffer.writer);
	}
	record_at(now);
	buffer_drain(&buffer, &check);
	good = check_clean(&check);
	buffer_close(&buffer);
	return good;
}

static void least_beats_lose_nothing(void **state)
{
	double least;

	for_each_layout_row(layout, driver)
	{
		if (each_ & 1)
			continue;
		least = HZ / layout_least_beat_hz(layout, HZ, 0);
		assert_true(beats_suffice(driver, (uint64_t)rint(least)));
		assert_false(beats_suffice(driver, (uint64_t)rint(least) + 1));
	}
}

/* ---- bytes per second ---- */

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	assert_non_null(value);
	return json_number_value(value);
}

static void bytes_are_those_counted(void **state)
{
	double rate, expected;
	json_t *counted;
	size_t i;

	for_each_layout_row(layout, driver)
	{
		counted = counts_by_rate(driver, HZ);
		assert_int_equal(json_array_size(counted), 8);
		for (i = 0; i < 8; i++) {
			rate = number(json_array_get(counted, i), "events_per_second");
			if (each_ & 1)
				expected = layout_extension_bytes_per_second(
					layout, rate, HZ, driver->desc->extension);
			else
				expected = layout_beat_bytes_per_second(
					layout, rate,
					driver->desc->beats_per_wrap *
						layout_wraps_per_second(HZ, layout->time_bits,
									layout->cut_bits),
					layout->header_bits / 8.0 + 8);
			/* Of 64 events the first opens a packet, which has its whole stamp. */
			near(number(json_array_get(counted, i), "header_bytes_per_second"),
			     expected, 0.02);
		}
		json_decref(counted);
	}
}

/* Each event a wrap and a half after the one before: all but the first have the whole stamp. */
static void whole_stamps_cost_their_bytes(void **state)
{
	uint64_t gap, i;

	for_each_layout_row(layout, driver)
	{
		if (!(each_ & 1) || layout->time_bits == 64)
			continue;
		gap = UINT64_C(3) << (driver->stamp_bits - 1);
		open_row(driver, 1000, 0);
		for (i = 0; i < 20; i++)
			record_at(1000 + i * gap);
		buffer_drain(&buffer, &check);
		assert_true(check_clean(&check));
		assert_int_equal(check.extended, 19);
		near((double)check.header_bytes - layout->header_bits / 8.0,
		     layout_extension_bytes_per_second(layout, 1, (double)gap, EXTEND_ON_GAP) * 19,
		     1e-12);
		buffer_close(&buffer);
	}
}

/* Where whole stamps are taken on each carry, none more is needed than the formula has. */
static void carries_are_those_counted(void **state)
{
	const struct driver *driver = row_of("extended_header_msb32");
	double rate, wraps = layout_wraps_per_second(HZ, 27, 0), extra;
	json_t *counted = counts_by_rate(driver, HZ);
	size_t i;

	for (i = 0; i < json_array_size(counted); i++) {
		rate = number(json_array_get(counted, i), "events_per_second");
		/* At high rates the run is too short for many wraps: one more or less. */
		extra = layouts[0].full_bytes * (rate > 1e4 ? rate / 200000 : 1);
		if (fabs(number(json_array_get(counted, i), "header_bytes_per_second") -
			 layout_extension_bytes_per_second(&layouts[0], rate, HZ,
							   EXTEND_ON_CARRY)) >
		    1.001 * extra + 0.02 * layouts[0].full_bytes * wraps)
			fail_msg("at %g/s: %g", rate,
				 number(json_array_get(counted, i), "header_bytes_per_second"));
	}
	json_decref(counted);
}

/* ---- cuts and ties ---- */

static uint64_t ties_at(uint64_t spacing, unsigned int cut)
{
	uint64_t ties = 0, phase;

	for (phase = 0; phase < 4096; phase++)
		ties += phase >> cut == (phase + spacing) >> cut;
	return ties;
}

static void cut_low_is_the_most_without_ties(void **state)
{
	uint64_t spacing;

	for (spacing = 1; spacing < 2048; spacing++) {
		assert_int_equal(ties_at(spacing, layout_cut_low(spacing)), 0);
		assert_true(ties_at(spacing, layout_cut_low(spacing) + 1) > 0);
	}
}

static void each_pair(void *arg, const struct event *event)
{
	struct steps *steps = arg;

	/* least counts ties here */
	steps->least += steps->count++ && event->time == steps->previous;
	steps->previous = event->time;
}

/* And so with a row that cuts 9 bits: events 512 ticks apart never tie in it, 511 they do. */
static void rows_tie_where_the_cut_says(void **state)
{
	const struct driver *driver = row_of("layout_13_19_cut9_ext");
	uint64_t spacing, i;

	for (spacing = 511; spacing <= 512; spacing++) {
		struct steps steps = { .least = 0 };

		open_row(driver, 1000, 0);
		for (i = 0; i < 600; i++)
			record_at(1000 + i * spacing);
		driver->flush(buffer.scheme);
		driver->walk(buffer.scheme, each_pair, &steps);
		buffer_close(&buffer);
		assert_int_equal(steps.count, 600);
		assert_int_equal(steps.least > 0, spacing == 511);
	}
}

/* A wrap of what is left is more than twice the interval, and with one bit less it is not. */
static void cut_high_leaves_one_bit_of_margin(void **state)
{
	uint64_t interval;
	unsigned int cut;

	for (interval = 3; interval < UINT32_MAX / 4; interval += interval / 3 + 1) {
		cut = layout_cut_high(interval);
		assert_true(UINT64_C(1) << (LAYOUT_STAMP_WORD - cut) > 2 * interval);
		assert_true(UINT64_C(1) << (LAYOUT_STAMP_WORD - cut - 2) <= interval);
	}
}

static void faulty_layouts_are_named(void **state)
{
	struct layout layout = layouts[1];

	assert_null(layout_fault(&layout));
	layout.id_bits = 6;
	assert_non_null(strstr(layout_fault(&layout), "do not add up"));
	layout.id_bits = 32;
	layout.time_bits = 0;
	assert_non_null(strstr(layout_fault(&layout), "no bit of time"));
	layout.id_bits = 0;
	layout.time_bits = 32;
	assert_non_null(strstr(layout_fault(&layout), "no bit of id"));
	layout = layouts[1];
	layout.cut_bits = 38;
	assert_non_null(strstr(layout_fault(&layout), "more bits than a stamp"));
	layout.header_bits = 33;
	assert_non_null(strstr(layout_fault(&layout), "32, 64 or 96"));
}

/* ---- the oracle of cut rows ---- */

static void judge(const char *row, uint64_t stamp, uint64_t time)
{
	struct check_payload payload = { .stamp = stamp,
					 .entry = stamp,
					 .exit = stamp + 50,
					 .tag = check_tag(CONTEXT_TASK, false, 0, EVENT_FIXED, 0) };
	struct event event = { .time = time,
			       .payload = (const uint8_t *)&payload,
			       .payload_bytes = sizeof(payload),
			       .header_bytes = 4,
			       .id = EVENT_FIXED };

	check_init(&check, row_of(row)->desc, row_of(row)->stamp_bits);
	check_drain_begin(&check, 0, 0);
	check_event(&check, 0, 0, &event);
}

static void cut_bits_are_the_only_excuse(void **state)
{
	judge("layout_5_27_cut5_ext", 1000, 992);
	assert_true(check_clean(&check));
	assert_int_equal(check_verdict(&check, 0, 0), VERDICT_KEPT);
	judge("layout_5_27_cut5_ext", 1000, 1000);
	assert_int_equal(check.violations[ORACLE_EXACT], 1);
	assert_int_equal(check.violations[ORACLE_WINDOW], 0);
	assert_int_equal(check_verdict(&check, 0, 0), VERDICT_BROKEN);
	assert_int_equal(check_verdict(&check, 0, NEED_BEAT), VERDICT_NEED_NOT_MET);
	judge("layout_5_27_cut5_ext", 1000, 960);
	assert_int_equal(check.violations[ORACLE_EXACT], 1);
	assert_int_equal(check.violations[ORACLE_WINDOW], 1);
	judge("layout_1_27_4_ext", 1000, 992);
	assert_int_equal(check.violations[ORACLE_EXACT], 1);
}

TESTS(bits_of_the_examples, times_of_the_examples, rows_are_the_layouts, wrap_is_the_first_gap_lost,
      granularity_is_the_least_step, least_beats_lose_nothing, bytes_are_those_counted,
      whole_stamps_cost_their_bytes, carries_are_those_counted, cut_low_is_the_most_without_ties,
      rows_tie_where_the_cut_says, cut_high_leaves_one_bit_of_margin, faulty_layouts_are_named,
      cut_bits_are_the_only_excuse)
