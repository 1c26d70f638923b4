// SPDX-License-Identifier: MIT
/* A repetition's time: what counts as undisturbed, and that a plan's share is in it. */
#include "tests/support/test.h"

#include <dirent.h>
#include <math.h>

#include "tests/support/placed.h"
#include "runner/timing/cell.h"
#include "workloads/engine/interrupts.h"
#include "runner/place/ticks.h"
#include "runner/timing/undisturbed.h"

#define BATCHES 64

#define CALM 0.75
#define BUSY 1.5
#define LIMIT (CALM * 1.2)

static bool always(size_t window)
{
	return true;
}

/* `windows` of batches of 25 ticks where calm(window), else of 40. */
static struct undisturbed made(size_t window, size_t windows, bool (*calm)(size_t))
{
	struct undisturbed times;
	size_t i;

	assert_true(undisturbed_open(&times, window, windows * window));
	for (i = 0; i < windows * window; i++)
		times.batch[times.batches++] = calm(i / window) ? 25 : 40;
	for (i = 0; i <= windows; i++)
		times.probe[times.probes++] = calm(i) && (!i || calm(i - 1)) ? CALM : BUSY;
	return times;
}

static bool at_times(size_t window)
{
	return window % 20 < 4;
}

static bool never(size_t window)
{
	return false;
}

/* Those that seem fast where a probe at one end was slow. */
static void windows_are_chosen_by_their_probes_alone(void **state)
{
	struct undisturbed times = made(1, 80, at_times);
	struct undisturbed_time time;
	size_t i;

	for (i = 0; i < 80; i += 20)
		times.batch[i ? i : 10] = times.batch[i + 3] = 24;
	times.batch[50] = 1;
	times.batch[21] = 34;
	assert_true(undisturbed_enough(&times, LIMIT));
	time = undisturbed_time(&times, LIMIT);
	assert_true(fabs(time.ticks - 25) < 1e-9);
	/* The mean is of the same nine windows, and has what the quantile leaves out. */
	assert_true(fabs(time.mean - (8 * 25 + 34) / 9.0) < 1e-9);
	assert_true(fabs(time.probe - CALM) < 1e-9);
	undisturbed_close(&times);
}

/* Windows of 4: two of them are as many batches as 8 windows of one. */
static void enough_is_told_in_batches(void **state)
{
	struct undisturbed single = made(1, 7, always), four = made(4, 1, always);

	assert_false(undisturbed_enough(&single, LIMIT));
	assert_false(undisturbed_enough(&four, LIMIT));
	undisturbed_close(&single);
	undisturbed_close(&four);
	single = made(1, 8, always);
	four = made(4, 2, always);
	assert_true(undisturbed_enough(&single, LIMIT));
	assert_true(undisturbed_enough(&four, LIMIT));
	assert_false(undisturbed_enough(&four, CALM * 0.99));
	undisturbed_close(&single);
	undisturbed_close(&four);
}

static void what_was_never_undisturbed_says_so(void **state)
{
	struct undisturbed times = made(1, 80, never);
	struct undisturbed_time time = undisturbed_time(&times, LIMIT);

	assert_true(fabs(time.ticks - 40) < 1e-9);
	assert_true(fabs(time.probe - BUSY) < 1e-9);
	undisturbed_close(&times);
}

/* Three batches in four are cheap by plan: the whole window's mean counts. */
static void planned_costs_are_not_left_out(void **state)
{
	struct undisturbed times = made(4, 20, always);
	size_t i;

	for (i = 0; i < times.batches; i++)
		times.batch[i] = i % 4 ? 20 : 60;
	assert_true(fabs(undisturbed_time(&times, LIMIT).ticks - 30) < 1e-9);
	undisturbed_close(&times);
}

/* The last window may lack some of its batches. */
static void a_window_cut_short_is_its_own_mean(void **state)
{
	struct undisturbed times = made(4, 3, always);

	times.batches -= 3;
	times.batch[8] = 10;
	assert_true(undisturbed_time(&times, LIMIT).ticks < 25);
	undisturbed_close(&times);
}

/* The last probe is replaced, so that the n-th stays that before the n-th window. */
static void waiting_is_for_a_short_probe_or_the_end(void **state)
{
	struct undisturbed times = made(1, 4, never);
	uint64_t end = time_ns() + 2000000;

	assert_false(undisturbed_wait(&times, 1e-9, end));
	assert_true(time_ns() >= end);
	assert_int_equal(times.probes, 5);
	assert_true(undisturbed_wait(&times, INFINITY, 0));
	assert_int_equal(times.probes, 5);
	assert_true(times.probe[4] != BUSY);
	undisturbed_close(&times);
}

/* A probe at the limit is within it; behind the last window there may be none. */
static void limits_belong_to_what_they_limit(void **state)
{
	static const double probes[8] = { 0.2, 0.2, 0.9, 0.3, 0.3, 0.9, 0.9, 0.9 };
	struct undisturbed times = made(1, 8, always);
	struct undisturbed_time time;

	assert_true(undisturbed_enough(&times, CALM));
	assert_true(undisturbed_wait(&times, CALM, 0));
	times.batch[7] = 33;
	times.probe[7] = times.probe[8] = BUSY;
	assert_false(undisturbed_enough(&times, LIMIT));
	times.probe[7] = CALM;
	times.probes = 8;
	assert_true(undisturbed_enough(&times, LIMIT));
	/* All of them count, and of each the longer one of its two probes. */
	memcpy(times.probe, probes, sizeof(probes));
	time = undisturbed_time(&times, 0.9);
	assert_true(fabs(time.mean - (7 * 25 + 33) / 8.0) < 1e-9);
	assert_true(fabs(time.probe - 0.27) < 1e-9);
	undisturbed_close(&times);
	assert_null(times.batch);
}

/* Room for all probes, touched; a step of a probe is a few ticks, or parts of one. */
static void probes_are_per_step(void **state)
{
	struct undisturbed times;
	size_t i;

	assert_true(undisturbed_open(&times, 4, 80));
	for (i = 0; i < 80; i++)
		assert_true(times.batch[i] == 0);
	for (i = 0; i < 21; i++) {
		assert_int_equal(times.probes, i);
		undisturbed_probe(&times);
		assert_true(times.probe[i] > 0.05 && times.probe[i] < 1000);
	}
	undisturbed_close(&times);
}

static void nothing_timed_is_no_time(void **state)
{
	struct undisturbed times;

	assert_true(undisturbed_open(&times, 1, 0));
	assert_true(isnan(undisturbed_time(&times, 0).ticks));
	undisturbed_close(&times);
}

/* What it waited is told, and is no more than it was allowed. */
static void a_cell_waits_no_longer_than_it_may(void **state)
{
	struct cell cell = {
		.driver = driver_find(drivers_timed, "floor"),
		.iterations = CELL_BATCH,
		.place = &place,
		.pu = plan.pu,
		.threads = 1,
		.probe_limit = 1e-9,
		.wait_ns = 20e6,
	};
	json_t *result = cell_run(&cell);
	double waited = json_number_value(json_object_get(result, "waited_ns"));

	/* However long the last of its probes took. */
	assert_true(waited >= 20e6 && waited < 200e6);
	assert_true(json_number_value(json_object_get(result, "ticks")) > 0);
	json_decref(result);
	cell.wait_ns = 0;
	result = cell_run(&cell);
	assert_true(json_number_value(json_object_get(result, "waited_ns")) < waited);
	json_decref(result);
	cell.probe_limit = 1e9;
	cell.wait_ns = 5e9;
	result = cell_run(&cell);
	assert_true(json_number_value(json_object_get(result, "waited_ns")) < 5e8);
	json_decref(result);
}

static void run(const struct driver *const *drivers, uint64_t wrap_every, double *ns, double *cpu)
{
	struct cell cell = {
		.driver = driver_find(drivers, "packed_word"),
		.injected = { .on = wrap_every, .wrap_every = wrap_every },
		.iterations = BATCHES * CELL_BATCH,
		.place = &place,
		.pu = plan.pu,
		.threads = 1,
	};
	json_t *result = cell_run(&cell);

	assert_non_null(result);
	assert_true(json_is_null(json_object_get(result, "violation")));
	*ns = json_number_value(json_object_get(result, "ns"));
	*cpu = json_number_value(json_object_get(result, "cpu_time"));
	assert_true(
		fabs(*ns * ticks_hz() / 1e9 / json_number_value(json_object_get(result, "ticks")) -
		     1) < 1e-9);
	json_decref(result);
}

static unsigned int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* A process runs hundreds of them. */
static void a_cell_leaves_nothing_open(void **state)
{
	unsigned int before;
	double ns, cpu;

	run(drivers_timed, 0, &ns, &cpu);
	before = open_files();
	run(drivers_timed, 0, &ns, &cpu);
	run(drivers_injected, 2, &ns, &cpu);
	assert_int_equal(open_files(), before);
}

/* CPU time has what an interrupt took, and what the library does between batches. */
static void undisturbed_is_within_the_whole(void **state)
{
	double ns, cpu;

	if (getenv("STAMPEDE_EMULATED")) {
		print_message("skipped: times of an emulated machine mean nothing\n");
		skip();
	}
	run(drivers_timed, 0, &ns, &cpu);
	assert_true(ns > 0);
	assert_true(ns < cpu * 1.02);
}

/* The library's clock runs while a probe does; what is reported is of the events alone. */
static void probes_are_no_part_of_a_repetition(void **state)
{
	struct cell cell = {
		/* Whose batches are so short that a probe is a fifth of them. */
		.driver = driver_find(drivers_cheap, "floor"),
		.iterations = 4 * BATCHES * CELL_BATCH,
		.place = &place,
		.pu = plan.pu,
		.threads = 1,
	};
	double least = INFINITY, least_cpu = INFINITY, real;
	int i;

	/*
	 * Both are by the wall, so that neighbours are in both; CPU time is no more than that. What
	 * a read of the CPU's clock takes is known to some percent of such a batch.
	 */
	for (i = 0; i < 8; i++) {
		json_t *result = cell_run(&cell);

		real = json_number_value(json_object_get(result, "real_time"));
		least = fmin(least, real / json_number_value(json_object_get(result, "mean_ns")));
		least_cpu = fmin(least_cpu,
				 json_number_value(json_object_get(result, "cpu_time")) / real);
		json_decref(result);
	}
	if (least > 1.08 || least < 0.95)
		fail_msg("real time is %.3f times what the batches took", least);
	if (least_cpu > 1.08)
		fail_msg("CPU time is %.3f times the real time, or more", least_cpu);
}

/* The cheap build's ring holds what was asked for, and its clock hides nothing. */
static void a_cheap_clock_is_cheap_and_right(void **state)
{
	struct cell cell = { .iterations = BATCHES * CELL_BATCH,
			     .place = &place,
			     .pu = plan.pu,
			     .threads = 1,
			     .cheap = true };
	const struct driver *const *row;
	double real, cpu, ns;
	json_t *result;

	for (row = drivers_cheap; *row; row++) {
		if ((*row)->unsupported())
			continue;
		cell.driver = *row;
		result = cell_run(&cell);
		assert_non_null(result);
		if (json_is_string(json_object_get(result, "violation")))
			fail_msg("%s: %s", (*row)->row,
				 json_string_value(json_object_get(result, "violation")));
		json_decref(result);
	}
	cell.driver = driver_find(drivers_cheap, "packed_word");
	result = cell_run(&cell);
	ns = json_number_value(json_object_get(result, "ns"));
	json_decref(result);
	run(drivers_timed, 0, &real, &cpu);
	assert_true(ns > 0 && ns < 0.8 * real);
}

/* Half of the events come after a wrap: that has to be in it. */
static void a_plan_is_in_it(void **state)
{
	double calm = INFINITY, after = INFINITY, wall = INFINITY, ns, cpu;
	int i;

	if (getenv("STAMPEDE_EMULATED")) {
		print_message("skipped: times of an emulated machine mean nothing\n");
		skip();
	}
	for (i = 0; i < 3; i++) {
		run(drivers_injected, 1000000000, &ns, &cpu);
		calm = fmin(calm, ns);
		run(drivers_injected, 2, &ns, &cpu);
		after = fmin(after, ns);
		wall = fmin(wall, ns / cpu); /* neighbours are in the one and not in the other */
	}
	if (wall > 1.02)
		fail_msg("an event took %.3f times its CPU time", wall);
	if (after < calm * 1.04)
		fail_msg("%.2f ns, and %.2f with half of them behind a wrap", calm, after);
}

TESTS_OF(placed_set_up, placed_tear_down, NULL, NULL, windows_are_chosen_by_their_probes_alone,
	 enough_is_told_in_batches, what_was_never_undisturbed_says_so,
	 planned_costs_are_not_left_out, a_window_cut_short_is_its_own_mean,
	 waiting_is_for_a_short_probe_or_the_end, a_cell_waits_no_longer_than_it_may,
	 limits_belong_to_what_they_limit, probes_are_per_step, nothing_timed_is_no_time,
	 a_cell_leaves_nothing_open, undisturbed_is_within_the_whole,
	 probes_are_no_part_of_a_repetition, a_cheap_clock_is_cheap_and_right, a_plan_is_in_it)
