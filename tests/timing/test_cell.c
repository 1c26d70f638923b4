// SPDX-License-Identifier: MIT
/* A slot: what its figures are of, that a slow-down shows, and that nothing is left behind. */
#include "tests/support/test.h"

#include <dirent.h>
#include <math.h>

#include "base/json.h"
#include "base/stats.h"
#include "runner/place/ticks.h"
#include "runner/timing/cell.h"
#include "runner/timing/cycles.h"
#include "tests/support/placed.h"

static json_t *run(struct cell cell)
{
	json_t *result;

	cell.place = &place;
	cell.pu = plan.pu;
	cell.threads = cell.threads ? cell.threads : 1;
	cell.instructions = cell.instructions ? cell.instructions : -1;
	result = cell_run(&cell);
	assert_non_null(result);
	if (json_is_string(json_object_get(result, "violation")))
		fail_msg("%s: %s", cell.row, json_text(result, "violation"));
	return result;
}

/* The least of some slots, since other work only adds; of a ratio, their middle. */
static double middle(const struct cell *cell, const char *key)
{
	double value[7];
	unsigned int i;
	json_t *result;

	for (i = 0; i < 7; i++) {
		result = run(*cell);
		value[i] = json_known(result, key);
		json_decref(result);
	}
	stats_sort(value, 7);
	return value[3];
}

/* The mean of the lower half: a clock of coarse steps has no quantile between two of them. */
static void cycles_are_of_the_lower_half(void **state)
{
	double value[] = { 9, 1, 2, 1, 2, 50, 70 }, one = 3;

	assert_float_equal(cycles_of(value, 7), 1.5, 1e-12);
	assert_float_equal(cycles_of(&one, 1), 3, 0);
}

/* Of what a CPU is known for: whole cycles for a multiplication; by its counter, if there is one.
 */
static void a_cycle_is_shown_and_not_assumed(void **state)
{
	static const struct {
		struct cycles_shown shown;
		bool are;
	} cases[] = {
		{ { NAN, 3.001 }, true }, { { NAN, 4 }, true },	 { { NAN, 3.5 }, false },
		{ { NAN, 1.5 }, false },  { { NAN, 6 }, false }, { { 1.002, 3 }, true },
		{ { 0.5, 3 }, false },	  { { 1, 3.2 }, false },
	};
	struct cycles_reading now = cycles_read();
	size_t i;

	for (i = 0; i < COUNT(cases); i++)
		assert_true(cycles_are_shown(&cases[i].shown) == cases[i].are);
	assert_true(now.cycle > 0 && now.loop > 0);
}

/* Keys, in units that fit each other. */
static void a_slot_says_all_of_this(void **state)
{
	json_t *result = run((struct cell){ .row = "packed_word", .instructions = 33 });
	double ticks = json_known(result, "ticks");

	assert_int_equal(json_number(result, "iterations"), CELL_PAIRS * CELL_BATCH);
	assert_float_equal(json_known(result, "real_time") * ticks_hz() / 1e9 / ticks, 1, 1e-6);
	assert_float_equal(json_known(result, "cycles") * json_known(result, "probe") / ticks, 1,
			   1e-6);
	assert_float_equal(json_known(result, "instructions"), 33, 1e-9);
	assert_float_equal(json_known(result, "atomics"), 0, 1e-9);
	assert_float_equal(json_known(result, "header_bytes"), 4, 0.1);
	assert_true(json_known(result, "bytes") > 12 && json_known(result, "bytes") < 12.5);
	assert_true(json_known(result, "ratio") > 0 && json_known(result, "ratio_own") > 0);
	assert_true(json_known(result, "shared") == 0 || json_known(result, "shared") == 1);
	json_decref(result);
	/* The lowest floor has none to be compared with, and what records nothing has no bytes. */
	result = run((struct cell){ .row = "floor_published", .pairs = 8 });
	assert_null(json_object_get(result, "ratio"));
	assert_int_equal(json_number(result, "iterations"), 8 * CELL_BATCH);
	json_decref(result);
	result = run((struct cell){ .row = CELL_EMPTY, .pairs = 8 });
	assert_null(json_object_get(result, "bytes"));
	assert_true(json_known(result, "cycles") > 0);
	json_decref(result);
}

/* 5 % more events in a batch are 5 % more time: by what it is, and not by chance. */
static void a_planted_slow_down_is_found(void **state)
{
	struct cell cell = { .row = "full_tsc" };
	double plain, more;
	unsigned int tries = 0;

	SKIP_EMULATED();
	do { /* a busy host may disturb all samples of one */
		cell.more = 0;
		plain = middle(&cell, "ratio");
		cell.more = CELL_BATCH / 20;
		more = middle(&cell, "ratio");
	} while (fabs(more / plain - 1.05) > 0.02 && ++tries < 5);
	if (tries == 5)
		fail_msg("planted 5 %%, found %.2f %%", 100 * (more / plain - 1));
}

/* Half of the events come after a wrap: it costs the row more than itself without. */
static void a_plan_is_in_it(void **state)
{
	struct cell cell = { .row = "packed_word", .pairs = 16, .injected = { .on = true } };
	unsigned int tries = 0;
	double wraps, calm;

	SKIP_EMULATED();
	do {
		cell.injected.wrap_every = 2;
		wraps = middle(&cell, "ratio_calm");
		cell.injected.wrap_every = 1000000000;
		calm = middle(&cell, "ratio_calm");
	} while ((wraps <= 1.04 || fabs(calm - 1) > 0.03) && ++tries < 5);
	assert_true(wraps > 1.04);
	assert_float_equal(calm, 1, 0.03);
}

/* The cheap build's ring holds what was asked for, and its clock hides nothing. */
static void a_cheap_clock_is_cheap_and_right(void **state)
{
	struct cell cell = { .cheap = true, .pairs = 8 };
	const struct driver *const *row;
	double cheap, usual;
	unsigned int tries = 0;

	for (row = drivers_cheap; *row; row++) {
		if ((*row)->unsupported())
			continue;
		cell.row = (*row)->row;
		json_decref(run(cell));
	}
	cell.row = "packed_word";
	/* Others may have the CPU in all of one cell's samples. */
	do {
		cell.cheap = true;
		cheap = middle(&cell, "real_time");
		cell.cheap = false;
		usual = middle(&cell, "real_time");
	} while (cheap >= 0.8 * usual && ++tries < 8);
	assert_true(cheap > 0 && cheap < 0.8 * usual);
}

/* All threads run, each with a ring of its own, which is judged. */
static void threads_record_together(void **state)
{
	json_t *result;

	SKIP_IF(plan.count < 2, "one CPU");
	result = run((struct cell){ .row = "packed_word", .threads = 2, .pairs = 16 });
	assert_int_equal(json_number(result, "iterations"), 2 * 16 * CELL_BATCH);
	assert_float_equal(json_known(result, "header_bytes"), 4, 0.1);
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
	static const char *const rows[] = { "heartbeat", "packed_word", CELL_CLOCK };
	unsigned int before, i;

	json_decref(run((struct cell){ .row = "heartbeat", .pairs = 8 }));
	before = open_files();
	for (i = 0; i < 3; i++)
		json_decref(run((struct cell){ .row = rows[i], .pairs = 8 }));
	assert_int_equal(open_files(), before);
}

TESTS_OF(placed_set_up, placed_tear_down, NULL, NULL, cycles_are_of_the_lower_half,
	 a_cycle_is_shown_and_not_assumed, a_slot_says_all_of_this, a_planted_slow_down_is_found,
	 a_plan_is_in_it, a_cheap_clock_is_cheap_and_right, threads_record_together,
	 a_cell_leaves_nothing_open)
