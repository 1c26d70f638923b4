// SPDX-License-Identifier: MIT
/* Cold events, for real and briefly: that evictions evict, and whose figures are left out. */
#include "tests/support/test.h"
#include "tests/support/placed.h"
#include "tests/support/said.h"
#include "base/json.h"
#include "workloads/evict.h"
#include "workloads/workload.h"

static void step(void *arg, const char *section, const char *what)
{
	assert_string_equal(section, "cold");
	assert_true(!strcmp(what, "none") || !strcmp(what, "all"));
}

static void done(void *arg, double seconds)
{
	assert_true(seconds > 0);
}

static void broke(void *arg, int row, const char *why)
{
	fail_msg("row %d is broken: %s", row, why);
}

static json_t *run(const char *const *names, int count)
{
	const struct driver *rows[4];
	struct workload_bench bench = { .rows = rows,
					.count = count,
					.place = &place,
					.pu = plan.pu,
					.cpus = plan.count,
					.seed = 1,
					.size = SIZE_QUICK,
					.step = step,
					.done = done,
					.broke = broke };
	json_t *into = json_array();
	int i;

	for (i = 0; i < count; i++)
		rows[i] = driver_find(drivers_checked, names[i]);
	assert_int_equal(workload_cold.sections[0].measure(&bench, into), 0);
	return into;
}

static const json_t *of(const json_t *all, const char *row, const char *evicted, bool again)
{
	const json_t *one;
	size_t at;

	json_array_foreach(all, at, one)
		if (!strcmp(json_text(one, "row"), row) &&
		    !strcmp(json_text(one, "evicted"), evicted) &&
		    json_is_true(json_object_get(one, "again")) == again)
			return one;
	return NULL;
}

/*
 * More is evicted, more is paid; masking by system calls costs more than any miss; a floor is once
 * itself; and a ring of its own for the second floor, which has half of the events.
 */
static void cold_costs_more(void **state)
{
	static const char *const names[] = { "floor", "full_tsc", "delta_sync_hard" };
	json_t *all;
	double samples, ratio;
	unsigned int i;

	if (getenv("STAMPEDE_EMULATED")) {
		print_message("skipped: times of an emulated machine mean nothing\n");
		skip();
	}
	all = run(names, 3);
	samples = json_number(of(all, "full_tsc", "all", false), "samples");
	assert_int_equal(json_array_size(all), 2 * 4);
	for (i = 0; i < 3; i++)
		assert_true(json_number(of(all, names[i], "all", false), "ns") >
			    2 * json_number(of(all, names[i], "none", false), "ns"));
	assert_true(json_number(of(all, "delta_sync_hard", "all", false), "ratio") > 2);
	assert_float_equal(json_number(of(all, "floor", "all", false), "ratio"), 1, 0);
	assert_true(samples >= 4 * 96);
	assert_float_equal(json_number(of(all, "floor", "all", false), "samples") +
				   json_number(of(all, "floor", "all", true), "samples"),
			   samples, 0);
	ratio = json_number(of(all, "floor", "none", true), "ratio");
	assert_true(ratio > 0.5 && ratio < 2);
	json_decref(all);
}

/* Of caches, each that hwloc knows; a line that was read is not there after any eviction. */
static void evictions(void **state)
{
	struct evict of_here;

	assert_int_equal(evict_open(&of_here, &place, plan.pu[0]), 0);
	assert_true(of_here.bytes[EVICT_L1] <= of_here.bytes[EVICT_L2]);
	assert_true(of_here.bytes[EVICT_L2] <= of_here.bytes[EVICT_LLC]);
	assert_int_equal(of_here.bytes[EVICT_ALL], of_here.bytes[EVICT_LLC]);
	assert_int_equal(of_here.bytes[EVICT_TLB], 0);
	assert_false(evict_unknown(&of_here, EVICT_TLB));
	of_here.bytes[EVICT_L2] = 0;
	listen_to_stderr();
	assert_true(evict_unknown(&of_here, EVICT_L2));
	assert_said("no cold events after l2: hwloc does not know how large that cache is");
	evict_close(&of_here);
}

TESTS_OF(placed_set_up, placed_tear_down, NULL, NULL, cold_costs_more, evictions)
