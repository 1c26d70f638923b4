// SPDX-License-Identifier: MIT
/* Cold events, for real and briefly: that evictions evict, and whose figures are left out. */
#include "tests/support/test.h"
#include <math.h>

#include "tests/support/placed.h"
#include "base/histogram.h"
#include "base/json.h"
#include "judge/buffer.h"
#include "schemes/core/clock.h"
#include "workloads/evict.h"
#include "workloads/workload.h"

#define LARGEST (64 << 20) /* bytes of a cache that tests evict whole, as most machines have */

static void step(void *arg, const char *section, const char *what)
{
}

static void done(void *arg, double seconds)
{
}

static void broke(void *arg, int row, const char *why)
{
	fail_msg("row %d is broken: %s", row, why);
}

static json_t *run(const char *const *names, int count)
{
	const struct driver *rows[5];
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
	assert_int_equal(workload_cold.measure(&bench, into), 0);
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

/* A line that another CPU has costs more than one in the L1. */
static void by_another_cpu_costs_more(const json_t *all)
{
	static const char *const kinds[] = { "polled", "shared", "neighbour" };
	unsigned int i;

	for (i = 0; i < 3 && plan.count > 1; i++)
		assert_true(json_number(of(all, "full_tsc", kinds[i], false), "ns") >
			    1.5 * json_number(of(all, "full_tsc", "none", false), "ns"));
}

/* The first event of a round brings what those behind it share. */
static void first_costs_more(const json_t *all)
{
	double floor = json_number(of(all, "floor", "all", false), "ns");
	double full = json_number(of(all, "full_tsc", "all", false), "ns");
	double untimed = json_number(of(all, "untimed", "all", false), "ns");
	double first = json_number(of(all, "floor", "all", false), "first_ns");

	assert_true(first > (floor + full + untimed) / 3);
	assert_float_equal(json_number(of(all, "untimed", "all", false), "first_ns"), first, 0);
	assert_true(json_number(of(all, "floor", "none", false), "first_ns") < first / 2);
}

/* An event takes several times as long after an eviction. A warm row without a clock read takes
 * less than one with it. test_cold_plan has exact prices, also of extended events. */
static void cold_costs_more(void **state)
{
	static const char *const names[] = { "floor", "full_tsc", "untimed" };
	json_t *all;
	double ratio;
	unsigned int i;

	SKIP_EMULATED();
	evict_most = 2 * LARGEST; /* the L3 of 300 MiB that was met took 176 s */
	all = run(names, 3);
	evict_most = SIZE_MAX;
	by_another_cpu_costs_more(all);
	first_costs_more(all);
	for (i = 0; i < 3; i++)
		assert_true(json_number(of(all, names[i], "all", false), "ns") >
			    2 * json_number(of(all, names[i], "none", false), "ns"));
	assert_true(json_number(of(all, "untimed", "none", false), "ns") <
		    0.7 * json_number(of(all, "floor", "none", false), "ns"));
	ratio = json_number(of(all, "floor", "none", true), "ratio");
	assert_true(ratio > 0.5 && ratio < 2);
	json_decref(all);
}

/* 4 KiB of code: 64 lines, which a loop keeps in the L1. */
static __attribute__((noinline)) void long_code(void)
{
	__asm__ volatile(".rept 64\n\tnop\n\t.balign 64\n\t.endr");
}

/* The median of what a load of `line`, or the code, takes after that eviction. */
static uint64_t after(struct evict *evictor, enum evict_kind kind, const volatile uint8_t *line)
{
	static struct histogram ticks;
	uint64_t begin;
	unsigned int i;

	memset(&ticks, 0, sizeof(ticks));
	for (i = 0; i < 101; i++) {
		if (line)
			(void)*line;
		else
			long_code();
		evict(evictor, kind);
		begin = clock_real_fenced();
		if (line)
			(void)*line;
		else
			long_code();
		histogram_add(&ticks, clock_real_fenced() - begin);
	}
	return histogram_percentile(&ticks, 0.5);
}

/* A ring's clock does not go back before its first beat; a field that wraps in each eviction
 * leaves the row its price. */
static void short_fields_are_kept(void **state)
{
	static const char *const names[] = { "floor", "heartbeat", "heartbeat_compact",
					     "dts_xts_8" };
	json_t *all;

	evict_most = LARGEST;
	all = run(names, 4);
	evict_most = SIZE_MAX;
	assert_true(json_number(of(all, "dts_xts_8", "all", false), "ns") > 0);
	json_decref(all);
}

/* What is read or run again takes longer after an eviction than after none, by each kind. */
static void each_evicts(void **state)
{
	static uint8_t line[3 * 4096];
	struct evict evictor;
	enum evict_kind kind;
	uint64_t warm, warm_code;

	SKIP_EMULATED();
	assert_int_equal(evict_open(&evictor, &place, plan.pu[0]), 0);
	warm = after(&evictor, EVICT_NONE, &line[4096]);
	warm_code = after(&evictor, EVICT_NONE, NULL);
	for (kind = EVICT_L2; kind <= EVICT_LLC; kind++)
		if (evictor.bytes[kind])
			assert_true(after(&evictor, kind, &line[4096]) > warm);
	/* A walk through page tables takes longer than the L2, which answers after the L1. */
	if (evictor.bytes[EVICT_L1])
		warm = after(&evictor, EVICT_L1, &line[4096]);
	assert_true(after(&evictor, EVICT_TLB, &line[4096]) > warm);
	assert_true(after(&evictor, EVICT_CODE, NULL) > warm_code);
	assert_true(after(&evictor, EVICT_ALL, &line[4096]) > warm);
	evict_close(&evictor);
}

/*
 * The size that is measured where hwloc knows none evicts as much as the known one: a quarter of it
 * at least, as other guests use the cache, too.
 */
static void last_cache_is_measured(void **state)
{
	struct evict of_here;
	size_t measured, known;
	int tries;

	SKIP_EMULATED();
	/* What is left of a cache depends on the other guests too. */
	for (tries = 0; tries < 3; tries++) {
		assert_int_equal(evict_open(&of_here, &place, plan.pu[0]), 0);
		known = of_here.bytes[EVICT_LLC];
		if (known > 2 * LARGEST || !known) {
			evict_close(&of_here);
			print_message("skipped: the last cache has %zu bytes, and a search of more "
				      "than %d, or of nothing, is none for a test\n",
				      known / 2, LARGEST);
			skip();
		}
		measured = evict_measured(of_here.bytes[EVICT_L2], 8 * known);
		evict_close(&of_here);
		if (measured >= known / 4 && measured <= 2 * known)
			return;
	}
	fail_msg("measured: %zu bytes, known: %zu", measured, known);
}

/* The timed code has its ring's size as constants, and would write behind a smaller one. */
static void timed_code_has_rings_of_its_size(void **state)
{
	const struct driver *timed = driver_find(drivers_timed, "full_tsc");
	struct ring_config config =
		buffer_config(timed, RING_TIMED_SUBBUF_SHIFT, RING_TIMED_COUNT_SHIFT - 1);
	struct buffer buffer;

	assert_int_not_equal(buffer_open(&buffer, timed, &config), 0);
	buffer_close(&buffer);
	config.count_shift++;
	assert_int_equal(buffer_open(&buffer, timed, &config), 0);
	buffer_close(&buffer);
}

TESTS_OF(placed_set_up, placed_tear_down, NULL, NULL, cold_costs_more, short_fields_are_kept,
	 each_evicts, last_cache_is_measured, timed_code_has_rings_of_its_size)
