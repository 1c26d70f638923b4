// SPDX-License-Identifier: MIT
/* Counts of workloads on the virtual clock: the same on every machine. */
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>

#include "runner/counted.h"
#include "runner/place/ticks.h"
#include "workloads/misclock.h"
#include "workloads/workload.h"

#define HZ 2e9
#define PLAYED 4 /* rows under workloads, too */

static void step(void *arg, const char *section, const char *what)
{
	assert_string_equal(section, "backstep");
}

/* All lines of backstep, of replay, and of what is counted in a row, as they were recorded. */
static void lines_are_as_recorded(void **state)
{
	static const char *const names[] = { "packed_word",	 "nested_stamps",
					     "heartbeat",	 "full_tsc",
					     "floor_large",	 "heartbeat_compact",
					     "full_tsc_aligned", "nested_stamps_aligned" };
	const struct driver *rows[COUNT(names)];
	struct workload_bench bench = {
		.rows = rows, .count = PLAYED, .seed = 1, .size = SIZE_QUICK, .step = step
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

TESTS(lines_are_as_recorded)
