// SPDX-License-Identifier: MIT
/* The planner of runner/place/place.h, on machines that are not here. */
#include "tests/support/test.h"
#include "runner/place/place.h"
#include "tests/support/made_up.h"
#include "tests/support/scratch.h"

#define SMT_MACHINE "package:2 core:4 pu:2"

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
	unsigned cores;
};

static void plans_are_as_expected(void **unused)
{
	static const struct planned cases[] = {
		/* Cores first, then siblings. */
		{ SMT_MACHINE, NULL, NULL, 16, "0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15", 8 },
		{ SMT_MACHINE, NULL, NULL, 8, "0 2 4 6 8 10 12 14", 8 },
		{ SMT_MACHINE, NULL, NULL, 9, "0 2 4 6 8 10 12 14 1", 8 },
		{ SMT_MACHINE, NULL, NULL, 1, "0", 1 },
		{ "package:1 core:4 pu:1", NULL, NULL, 4, "0 1 2 3", 4 },
		{ "package:1 core:1 pu:1", NULL, NULL, 1, "0", 1 },
		{ "package:1 core:1 pu:4", NULL, NULL, 4, "0 1 2 3", 1 },
		/* No cores known: each CPU counts as one. */
		{ "package:1 pu:3", NULL, NULL, 3, "0 1 2", 3 },
		/* OS indexes that alternate between packages, and siblings at the end. */
		{ "package:2 core:2 pu:1(indexes=0,2,1,3)", NULL, NULL, 4, "0 2 1 3", 4 },
		{ "package:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", NULL, NULL, 6, "0 1 2 3 4 5",
		  4 },
		/* Not all allowed; the first thread of a core may be the one that is not. */
		{ SMT_MACHINE, "1,3,6-7", NULL, 4, "1 3 6 7", 3 },
		{ SMT_MACHINE, "0-1,14-15", NULL, 3, "0 14 1", 2 },
		/* The user's choice, in the user's order. */
		{ SMT_MACHINE, NULL, "0,2-3", 3, "0 2 3", 2 },
		{ SMT_MACHINE, NULL, "9,3-5,1", 5, "9 3 4 5 1", 4 },
		{ SMT_MACHINE, NULL, "9,3-5,1", 2, "9 3", 2 },
		{ SMT_MACHINE, "4-7", "7,4", 2, "7 4", 2 },
	};
	struct place_plan plan;
	struct place place;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(open_made_up(&place, cases[i].machine), EXIT_FINE);
		if (cases[i].allowed)
			restrict_to(&place, cases[i].allowed);
		assert_int_equal(place_plan(&place, cases[i].list, cases[i].threads, &plan),
				 EXIT_FINE);
		assert_string_equal(plan_text(&plan), cases[i].expected);
		assert_int_equal(plan.count, cases[i].threads);
		assert_int_equal(plan.cores, cases[i].cores);
		assert_string_equal(plan.allowed_text, place_allowed_text(&place));
		assert_int_equal(plan.kind, -1);
		assert_false(plan.kinds_mixed);
		place_plan_free(&plan);
		place_close(&place);
	}
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
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
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

/* Two fast cores with SMT (CPUs 0-3) and six efficient ones, written as cores of one PU each. */
static void open_hybrid(struct place *place)
{
	assert_int_equal(open_made_up(place, "package:1 core:12 pu:1"), EXIT_FINE);
	add_kind(place, "4-9", 10);
	add_kind(place, "0-3", 20);
	/* 10 and 11: of no known kind. */
}

static void hybrid_plans_keep_to_one_kind(void **unused)
{
	static const struct {
		const char *list;
		unsigned threads;
		const char *expected;
		int kind;
		bool mixed;
	} cases[] = {
		{ NULL, 1, "0", 1, false },
		{ NULL, 4, "0 1 2 3", 1, false },
		{ NULL, 5, "4 5 6 7 8", 0, false },
		{ NULL, 8, "0 1 2 3 4 5 6 7", -1, true },
		{ NULL, 12, "0 1 2 3 4 5 6 7 8 9 10 11", -1, true },
		{ "9,4", 2, "9 4", 0, false },
		{ "0,4", 2, "0 4", -1, true },
		{ "10", 1, "10", -1, false },
	};
	struct place_plan plan;
	struct place place;
	size_t i;

	open_hybrid(&place);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(place_plan(&place, cases[i].list, cases[i].threads, &plan),
				 EXIT_FINE);
		assert_string_equal(plan_text(&plan), cases[i].expected);
		assert_int_equal(plan.kind, cases[i].kind);
		assert_int_equal(plan.kinds_mixed, cases[i].mixed);
		place_plan_free(&plan);
	}
	restrict_to(&place, "2-6");
	assert_int_equal(place_plan(&place, NULL, 3, &plan), EXIT_FINE);
	assert_string_equal(plan_text(&plan), "4 5 6");
	place_plan_free(&plan);
	place_close(&place);
}

TESTS(plans_are_as_expected, wrong_requests_are_refused, hybrid_plans_keep_to_one_kind)
