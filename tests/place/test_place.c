// SPDX-License-Identifier: MIT
/*
 * runner/place/place.h: the planner on machines that are not here; on this one pinning, read back
 * without hwloc.
 */
#define _GNU_SOURCE
#include "tests/support/test.h"

#include <sched.h>

#include "runner/place/place.h"
#include "runner/place/ticks.h"
#include "schemes/core/clock.h"
#include "tests/support/made_up.h"
#include "tests/support/scratch.h"

#define SMT_MACHINE "package:2 core:4 pu:2"

static cpu_set_t original_affinity;

static void restrict_to(struct place *place, const char *list)
{
	assert_int_equal(hwloc_bitmap_list_sscanf(place->allowed, list), 0);
	free(place->allowed_text);
	place->allowed_text = strdup(list);
}

/* The plan's CPUs as text: "0 2 4". */
static const char *plan_text(const struct place_plan *plan)
{
	static char text[512];
	size_t used = 0;
	unsigned i;

	text[0] = '\0';
	for (i = 0; i < plan->count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u", i ? " " : "",
					 plan->pu[i]);
	return text;
}

struct planned {
	const char *machine;
	const char *allowed; /* NULL: all */
	const char *list;
	unsigned threads;
	const char *expected;
};

static void plans(struct place *place, const struct planned *one)
{
	struct place_plan plan;

	if (one->allowed)
		restrict_to(place, one->allowed);
	assert_int_equal(place_plan(place, one->list, one->threads, &plan), EXIT_FINE);
	assert_string_equal(plan_text(&plan), one->expected);
	assert_int_equal(plan.count, one->threads);
	place_plan_free(&plan);
}

static void plans_are_as_expected(void **unused)
{
	FILE *file = fopen("tests/data/place_plans.txt", "r");
	char line[200], machine[80], allowed[40], list[40], expected[80];
	struct planned one = { machine, NULL, NULL, 0, expected };
	struct place place;
	unsigned int tried = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#' || sscanf(line, "%79[^|]|%39[^|]|%39[^|]|%u|%79[^\n]", machine,
					   allowed, list, &one.threads, expected) != 5)
			continue;
		one.allowed = *allowed == '-' ? NULL : allowed;
		one.list = *list == '-' ? NULL : list;
		assert_int_equal(open_made_up(&place, machine), EXIT_FINE);
		plans(&place, &one);
		place_close(&place);
		tried++;
	}
	assert_int_equal(tried, 16);
	fclose(file);
}

static void wrong_requests_are_refused(void **unused)
{
	static const struct {
		const char *list;
		unsigned threads;
		int status;
		const char *said;
	} cases[] = {
		{ NULL, 0, EXIT_USAGE, "no thread to place" },
		{ "4", 0, EXIT_USAGE, "no thread to place" },
		{ NULL, 5, EXIT_RESOURCE, "only 4 are allowed (4-7)" },
		{ "4-7", 5, EXIT_RESOURCE, "only 4 are allowed (4-7)" },
		{ "4", 2, EXIT_USAGE, "list '4' has 1" },
		{ "3", 1, EXIT_USAGE, "CPU 3 of list '3' is not among the allowed CPUs 4-7" },
		{ "4,5,8", 1, EXIT_USAGE, "CPU 8 of list '4,5,8' is not among the allowed" },
		{ "5-9", 1, EXIT_USAGE, "CPU 8 of list '5-9' is not among the allowed CPUs 4-7" },
		{ "70", 1, EXIT_USAGE, "CPU 70 of list '70' is not among" },
		{ "4,5,4", 2, EXIT_USAGE, "CPU 4 is twice in list '4,5,4'" },
		{ "4-6,5", 2, EXIT_USAGE, "CPU 5 is twice" },
		{ "", 1, EXIT_USAGE, "cannot parse CPU list ''" },
		{ "4,", 1, EXIT_USAGE, "at ','" },
		{ ",4", 1, EXIT_USAGE, "at ',4'" },
		{ "4,,5", 1, EXIT_USAGE, "at ',5'" },
		{ "4-", 1, EXIT_USAGE, "cannot parse" },
		{ "6-4", 1, EXIT_USAGE, "cannot parse" },
		{ "4,7-5", 1, EXIT_USAGE, "cannot parse" },
		{ "4-5-6", 1, EXIT_USAGE, "at '-6'" },
		{ "-4", 1, EXIT_USAGE, "at '-4'" },
		{ "4 5", 1, EXIT_USAGE, "at ' 5'" },
		{ " 4", 1, EXIT_USAGE, "at ' 4'" },
		{ "4x", 1, EXIT_USAGE, "at 'x'" },
		{ "all", 1, EXIT_USAGE, "at 'all'" },
		{ "4294967300", 1, EXIT_USAGE, "cannot parse" },
		{ "99999999999999999999", 1, EXIT_USAGE, "cannot parse" },
	};
	struct place_plan plan;
	struct place place;
	size_t i;

	assert_int_equal(open_made_up(&place, SMT_MACHINE), EXIT_FINE);
	restrict_to(&place, "4-7");
	for (i = 0; i < COUNT(cases); i++) {
		assert_fails(place_plan(&place, cases[i].list, cases[i].threads, &plan),
			     cases[i].status, cases[i].said);
		assert_null(plan.pu);
	}
	place_close(&place);
}

static void add_kind(struct place *place, const char *list, int efficiency)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	hwloc_bitmap_list_sscanf(set, list);
	assert_int_equal(hwloc_cpukinds_register(place->topology, set, efficiency, 0, NULL, 0), 0);
	hwloc_bitmap_free(set);
}

/* Four fast cores (CPUs 0-3; not first in hwloc's list) and six efficient ones. */
static void open_hybrid(struct place *place)
{
	assert_int_equal(open_made_up(place, "package:1 core:12 pu:1"), EXIT_FINE);
	add_kind(place, "4-9", 10);
	add_kind(place, "0-3", 20);
	/* 10 and 11: of no known kind. */
}

static void fast_cpus_come_first(void **unused)
{
	static const struct planned cases[] = {
		{ NULL, "0-11", NULL, 1, "0" },
		{ NULL, "0-11", NULL, 12, "0 1 2 3 4 5 6 7 8 9 10 11" },
		{ NULL, "0-11", "9,4", 2, "9 4" },
		{ NULL, "2-6,11", NULL, 6, "2 3 4 5 6 11" },
	};
	struct place place;

	open_hybrid(&place);
	for (size_t i = 0; i < COUNT(cases); i++)
		plans(&place, &cases[i]);
	place_close(&place);
}

/* ---- binding ---- */

static int restore_affinity(void **unused)
{
	return sched_setaffinity(0, sizeof(original_affinity), &original_affinity);
}

/* The allowed CPUs of this process, without hwloc: returns how many, the numbers in `cpus`. */
static int own_cpus(int cpus[CPU_SETSIZE])
{
	int cpu, count = 0;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &original_affinity))
			cpus[count++] = cpu;
	return count;
}

static void set_affinity(int first, int second)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(first, &set);
	CPU_SET(second, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void assert_bound_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET(cpu, &set));
	assert_int_equal(sched_getcpu(), cpu);
}

static void binds_to_each_allowed_cpu(void **unused)
{
	int cpus[CPU_SETSIZE], count = own_cpus(cpus), i;
	struct place place;

	assert_int_equal(place_open(&place), EXIT_FINE);
	assert_int_equal(hwloc_bitmap_weight(place.allowed), count);
	for (i = count - 1; i >= 0; i--) {
		assert_int_equal(place_bind_self(&place, (unsigned)cpus[i]), EXIT_FINE);
		assert_bound_to(cpus[i]);
		assert_int_equal(place_verify_self(&place, (unsigned)cpus[i]), EXIT_FINE);
	}
	place_close(&place);
}

static void a_moved_thread_is_noticed(void **unused)
{
	int cpus[CPU_SETSIZE];
	struct place place;

	SKIP_IF(own_cpus(cpus) < 2, "one CPU, nowhere to move to");
	assert_int_equal(place_open(&place), EXIT_FINE);
	assert_int_equal(place_bind_self(&place, (unsigned)cpus[0]), EXIT_FINE);
	set_affinity(cpus[1], cpus[1]);
	assert_fails(place_verify_self(&place, (unsigned)cpus[0]), EXIT_RESOURCE,
		     "what it measured is void");
	/* Back on its CPU, but free to leave it. */
	set_affinity(cpus[0], cpus[0]);
	set_affinity(cpus[0], cpus[1]);
	assert_fails(place_verify_self(&place, (unsigned)cpus[0]), EXIT_RESOURCE, "is bound to");
	place_close(&place);
}

static void other_cpus_are_refused(void **unused)
{
	static const unsigned absent = 60000;
	struct place place;

	assert_int_equal(place_open(&place), EXIT_FINE);
	assert_fails(place_bind_self(&place, absent), EXIT_RESOURCE,
		     "cannot pin to CPU 60000: the allowed CPUs are");
	/* A CPU that went away after the topology was read: the system refuses. */
	hwloc_bitmap_set(place.allowed, absent);
	assert_fails(place_bind_self(&place, absent), EXIT_RESOURCE, "cannot pin to CPU 60000: ");
	place_close(&place);
}

static void an_affinity_mask_is_respected(void **unused)
{
	int cpus[CPU_SETSIZE], last;
	char expected[16];
	struct place_plan plan;
	struct place place;

	last = cpus[own_cpus(cpus) - 1];
	set_affinity(last, last);
	assert_int_equal(place_open(&place), EXIT_FINE);
	snprintf(expected, sizeof(expected), "%d", last);
	assert_string_equal(place.allowed_text, expected);
	assert_int_equal(place_plan(&place, NULL, 1, &plan), EXIT_FINE);
	assert_int_equal(plan.pu[0], last);
	place_plan_free(&plan);
	assert_fails(place_plan(&place, NULL, 2, &plan), EXIT_RESOURCE, "only 1 are allowed");
	place_close(&place);
}

static void binder_refuses_other_machines(void **unused)
{
	struct place place;

	assert_int_equal(open_made_up(&place, SMT_MACHINE), EXIT_FINE);
	assert_fails(place_bind_self(&place, 0), EXIT_RESOURCE,
		     "cannot pin to CPU 0: the topology is not this system's");
	place_close(&place);
}

/* Both clocks at one moment: of 200 tries that in which reading them took least. */
static void both(double *ns, double *ticks)
{
	uint64_t least = UINT64_MAX, before, after;
	struct timespec time;
	int i;

	for (i = 0; i < 200; i++) {
		before = clock_real();
		clock_gettime(CLOCK_MONOTONIC, &time);
		after = clock_real();
		if (after - before >= least)
			continue;
		least = after - before;
		*ticks = (double)before + (double)(after - before) / 2;
		*ns = (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
	}
}

static void the_rate_of_the_clock_is_that_of_another(void **unused)
{
	const struct timespec while_nothing = { .tv_nsec = 200000000 };
	double ns[2], ticks[2];

	both(&ns[0], &ticks[0]);
	nanosleep(&while_nothing, NULL);
	both(&ns[1], &ticks[1]);
	assert_float_equal((ticks[1] - ticks[0]) * 1e9 / (ns[1] - ns[0]) / ticks_hz(), 1, 1e-3);
}

static int set_up(void **unused)
{
	return sched_getaffinity(0, sizeof(original_affinity), &original_affinity);
}

TESTS_OF(set_up, NULL, NULL, restore_affinity, plans_are_as_expected, wrong_requests_are_refused,
	 fast_cpus_come_first, binds_to_each_allowed_cpu, a_moved_thread_is_noticed,
	 other_cpus_are_refused, an_affinity_mask_is_respected, binder_refuses_other_machines,
	 the_rate_of_the_clock_is_that_of_another)
