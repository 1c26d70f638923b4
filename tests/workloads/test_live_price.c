// SPDX-License-Identifier: MIT
/* The price of a reader: what is counted of it, by the ring's own books. Needs two CPUs. */
#include "tests/support/test.h"

#include <dirent.h>
#include <sched.h>

#include "judge/live.h"
#include "runner/place/place.h"
#include "workloads/live_price.h"

#define RUNS_MOST 5

static unsigned int reader_pu;

/* Threads of this process that may run on `pu` alone. */
static unsigned int threads_on(unsigned int pu)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	unsigned int bound = 0;
	cpu_set_t set;

	assert_non_null(tasks);
	while ((task = readdir(tasks)))
		bound += atoi(task->d_name) &&
			 !sched_getaffinity(atoi(task->d_name), sizeof(set), &set) &&
			 CPU_COUNT(&set) == 1 && CPU_ISSET(pu, &set);
	closedir(tasks);
	return bound;
}

static void step(void *arg, const char *section, const char *what)
{
	assert_string_equal(section, "reading");
	assert_non_null(what);
	assert_int_equal(threads_on(reader_pu), 1);
}

static void done(void *arg, double seconds)
{
	*(double *)arg += seconds;
}

static double field(const json_t *line, const char *name)
{
	const json_t *value = json_object_get(line, name);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

static void look_at(const json_t *line)
{
	assert_true(field(line, "alone_ns") > 0 && field(line, "read_ns") > 0);
	assert_true(field(line, "ratio") > 0.2);
	assert_true(field(line, "ratio_95_low") <= field(line, "ratio") &&
		    field(line, "ratio") <= field(line, "ratio_95_high"));
	/* No more than were written beside it; whole sub-buffers of records of known size.
	 */
	assert_true(field(line, "taken") > 0 && field(line, "taken") <= field(line, "written"));
	assert_true(field(line, "written") == LIVE_PRICE_PAIRS * LIVE_PRICE_EVENTS);
	/* No sub-buffer of 4 KiB has more than 336 records of 12 bytes. */
	assert_true(field(line, "taken") <= 336 * field(line, "subbufs"));
	/* Both together are no quicker than the writer alone, by far. */
	assert_true(field(line, "per_second_95_low") <= field(line, "per_second") &&
		    field(line, "per_second") <= field(line, "per_second_95_high"));
	assert_true(field(line, "per_second") > 1e5 &&
		    field(line, "per_second") < 2e9 / field(line, "alone_ns"));
}

/* Medians of pairs, and the pair of medians: others' work may part them, and not each time. */
static bool are_of_one_direction(const json_t *line)
{
	double read = field(line, "ratio") * field(line, "alone_ns") / field(line, "read_ns");

	return read > 0.7 && read < 1.4;
}

static void measure(const struct workload_bench *bench, json_t *into)
{
	const json_t *line;
	bool good;
	size_t i;
	int runs;

	for (runs = 0, good = false; runs < RUNS_MOST && !good; runs++) {
		json_array_clear(into);
		*(double *)bench->arg = 0;
		assert_int_equal(live_price_measure(bench, into), 0);
		/* A row that takes no stamp has no time to be read. */
		assert_int_equal(json_array_size(into), 2);
		good = true;
		json_array_foreach(into, i, line) {
			assert_string_equal(json_string_value(json_object_get(line, "row")),
					    bench->rows[i + 1]->row);
			look_at(line);
			good &= are_of_one_direction(line);
		}
	}
	assert_true(good);
}

static void a_reader_takes_what_is_written(void **state)
{
	const struct driver *rows[] = { driver_find(drivers_checked, "untimed"),
					driver_find(drivers_checked, "packed_word"),
					driver_find(drivers_checked, "full_tsc") };
	struct place place;
	unsigned int pu[2] = { 0, 0 };
	double seconds = 0;
	struct workload_bench bench = { .rows = rows,
					.count = 3,
					.place = &place,
					.pu = pu,
					.cpus = 2,
					.seed = 7,
					.arg = &seconds,
					.step = step,
					.done = done };
	json_t *into = json_array();

	assert_int_equal(place_open(&place), 0);
	/* Threads that share a CPU do as well, but on one alone they wait for each other. */
	if (hwloc_bitmap_weight(place.allowed) < 2 || !LIVE_STORES_IN_ORDER) {
		print_message("one CPU, or an order of stores that a copy cannot trust\n");
		place_close(&place);
		json_decref(into);
		skip();
	}
	pu[0] = (unsigned int)hwloc_bitmap_first(place.allowed);
	pu[1] = (unsigned int)hwloc_bitmap_next(place.allowed, (int)pu[0]);
	reader_pu = pu[1];
	measure(&bench, into);
	assert_true(seconds > 0 && live_price_seconds(&bench) > seconds / 2);
	/* A reader that has no CPU measures nothing. */
	pu[1] = 60000;
	json_array_clear(into);
	assert_int_not_equal(live_price_measure(&bench, into), 0);
	assert_int_equal(json_array_size(into), 0);
	bench.cpus = 1;
	json_array_clear(into);
	assert_int_equal(live_price_measure(&bench, into), 0);
	assert_int_equal(json_array_size(into), 0);
	assert_true(live_price_seconds(&bench) == 0);
	json_decref(into);
	place_close(&place);
}

TESTS(a_reader_takes_what_is_written)
