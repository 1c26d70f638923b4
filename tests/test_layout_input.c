// SPDX-License-Identifier: MIT
/* Layouts that are none, gap files that are none, and the inputs that layout --measure finds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "gap_file.h"
#include "layout_math.h"
#include "layout_measure.h"
#include "said.h"
#include "ticks.h"

static void near(double value, double expected, double part)
{
	if (fabs(value - expected) > fabs(expected) * part)
		fail_msg("%.10g is not %.10g", value, expected);
}

/* ---- bad input ---- */

static void faulty_layouts_are_named(void **state)
{
	struct layout layout = layouts[1];

	(void)state;
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

static void bad_gaps(const char *text, const char *said)
{
	char path[] = "/tmp/stampede-gaps-XXXXXX";
	int fd = mkstemp(path), status;
	struct gap_file file;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	listen_to_stderr();
	status = gap_file_read(path, &file);
	assert_said(said);
	unlink(path);
	assert_int_equal(status, 1);
}

static void bad_gap_files_are_refused(void **state)
{
	struct gap_file file;

	(void)state;
	bad_gaps("log2_bucket,lo_ns,hi_ns,count\n8,128,255,x\n", ":2: four whole numbers");
	bad_gaps("8,128,255\n", ":1: four whole numbers");
	bad_gaps("8,128,255,1,2\n", ":1: four whole numbers");
	bad_gaps("8,128,255,1\n9,256,511,-4\n", ":2: a negative number");
	bad_gaps("8,128,255,99999999999999999999\n", ":1: a number too large");
	bad_gaps("8,128,255,18446744073709551615\n9,256,511,1\n", ":2: counts overflow");
	bad_gaps("8,255,128,1\n", ":1: lo_ns above hi_ns");
	bad_gaps("9,256,511,1\n8,128,255,1\n", ":2: buckets overlap");
	bad_gaps("8,128,9223372036854775807,1\n", ":1: a gap of more than");
	bad_gaps("log2_bucket,lo_ns,hi_ns,count\n8,128,255,0\n", "no gaps in it");
	listen_to_stderr();
	assert_int_equal(gap_file_read("/nonexistent/gaps.csv", &file), 1);
	assert_said("cannot read /nonexistent/gaps.csv");
}

static void gaps_are_drawn_as_recorded(void **state)
{
	struct gap_file file;
	uint64_t random = 1, gap, low = 0, i;

	(void)state;
	assert_int_equal(gap_file_read("workloads/gaps/sched_irq_timer_calm.csv", &file), 0);
	assert_int_equal(file.buckets, 17);
	assert_int_equal(file.gaps, 250399);
	for (i = 0; i < 200000; i++) {
		gap = gap_file_draw(&file, &random);
		assert_true(!gap || (gap >= 128 && gap <= 8388607));
		low += gap < 1024;
	}
	/* 2 + 1195 + 29430 + 22363 of them are below 1024 ns. */
	near((double)low / 200000, 52990.0 / 250399, 0.02);
}

/* ---- measuring ---- */

static void measured_inputs_fit_together(void **state)
{
	struct layout_measured measured;

	(void)state;
	assert_int_equal(layout_measure(&measured), 0);
	near(measured.clock_hz, ticks_hz(), 1e-9);
	assert_true(measured.spacing_median_ticks > 0);
	assert_true(measured.spacing_least_ticks <= measured.spacing_median_ticks);
	assert_true(measured.probe_median_ticks <= measured.probe_p999_ticks);
	assert_true(measured.probe_longest_ticks <= measured.probe_worst_ticks);
	if (!measured.two_cpus)
		skip();
	assert_true(measured.cpu[0] != measured.cpu[1]);
	assert_true(measured.round_trips > 0);
	assert_true(measured.round_trip_least_ticks > 0);
	assert_true(measured.round_trip_least_ticks <= measured.round_trip_median_ticks);
	/* All trips together bound it at least as well as the shortest does. */
	assert_true(measured.offset_high_ticks - measured.offset_low_ticks <=
		    (int64_t)measured.round_trip_least_ticks);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(faulty_layouts_are_named),
		cmocka_unit_test(bad_gap_files_are_refused),
		cmocka_unit_test(gaps_are_drawn_as_recorded),
		cmocka_unit_test(measured_inputs_fit_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
