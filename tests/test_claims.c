// SPDX-License-Identifier: MIT
/* The claims: each has a place, a test and a figure, and what is measured decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../runner/claims/claims.h"

static const char *text(const json_t *claim, const char *key)
{
	return json_string_value(json_object_get(claim, key));
}

static const json_t *named(const json_t *claims, const char *name)
{
	const json_t *claim;
	size_t i;

	json_array_foreach(claims, i, claim)
		if (!strcmp(text(claim, "name"), name))
			return claim;
	fail_msg("no claim %s", name);
	return NULL;
}

static void every_claim_is_complete(void **state)
{
	static const char *const places[] = { NOTE_2006, NOTE_2007, LKML_2008, LTT_2008,
					      KERNEL_2020 };
	unsigned int by_place[5] = { 0 }, untested = 0, place;
	json_t *empty = json_object(), *claims = claims_test(empty);
	const json_t *claim;
	size_t i;

	(void)state;
	json_array_foreach(claims, i, claim) {
		assert_true(strlen(text(claim, "claim")) > 10 && strlen(text(claim, "how")) > 9);
		/* The figure has a digit in it, and was not cut. */
		if (strcmp(text(claim, "verdict"), "not tested in this run")) {
			assert_non_null(strpbrk(text(claim, "figure"), "0123456789"));
			assert_true(strlen(text(claim, "figure")) < 198);
		} else {
			untested++;
		}
		for (place = 0; place < 5; place++)
			by_place[place] += !strcmp(text(claim, "where"), places[place]);
	}
	assert_true(json_array_size(claims) >= 25);
	for (place = 0; place < 5; place++)
		assert_true(by_place[place] >= 4);
	assert_int_equal(by_place[0] + by_place[1] + by_place[2] + by_place[3] + by_place[4],
			 json_array_size(claims));
	/* Without a run only those that ask one. */
	assert_int_equal(untested, 5);
	json_decref(claims);
	json_decref(empty);
}

/* A made-up run of two rows; the verdicts follow it. */
static json_t *run_with(double full_tsc_ns, double cmpxchg_ticks, int extended)
{
	json_t *rows = json_array();
	int i;

	for (i = 0; i < 9; i++) {
		json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f, s:f}", "row", "full_tsc",
						      "workload", "steady", "repetition_index", i,
						      "ns", full_tsc_ns, "ticks", 30.0));
		json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f}", "row",
						      "nested_stamps", "workload", "steady",
						      "repetition_index", i, "ticks", 30.0));
		json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f}", "row",
						      "nested_stamps_cmpxchg", "workload", "steady",
						      "repetition_index", i, "ticks",
						      cmpxchg_ticks));
	}
	return json_pack("{s:o, s:[{s:s, s:s, s:i, s:i, s:i}]}", "benchmarks", rows, "stress",
			 "row", "extended_header", "workload", "storm", "events", 1000, "extended",
			 extended, "needed", 1);
}

static void the_record_decides(void **state)
{
	json_t *run = run_with(12, 30.1, 1), *other = run_with(190, 33, 100);
	json_t *claims = claims_test(run), *others = claims_test(other);

	(void)state;
#define VERDICT(of, name) text(named(of, name), "verdict")
	assert_string_equal(VERDICT(claims, "20070312_200_ns"), "refuted");
	assert_string_equal(VERDICT(others, "20070312_200_ns"), "holds");
	assert_string_equal(VERDICT(claims, "20200629_cmpxchg_slow"), "refuted");
	assert_string_equal(VERDICT(others, "20200629_cmpxchg_slow"), "holds");
	assert_string_equal(VERDICT(claims, "20080925_unlikely_race"), "holds");
	assert_string_equal(VERDICT(others, "20080925_unlikely_race"), "refuted");
	json_decref(claims);
	json_decref(others);
	json_decref(run);
	json_decref(other);
}

/* The lab's eyes: it has to see what is wrong where a row is used against its needs. */
static void the_lab_sees_what_is_wrong(void **state)
{
	struct scene scene = { .row = "heartbeat", .bits = 12, .gap = 5000,
			       .beat_every = SCENE_NO_BEAT, .events = 500 };
	struct seen seen;

	(void)state;
	assert_true(lab_play(&scene, &seen));
	assert_true(seen_wrong(&seen) > 400);
	assert_int_equal(seen.beats, 0);
	scene = (struct scene){ .row = "floor", .interrupts = SCENE_INTERRUPTED, .jump = 50,
				.events = 500 };
	assert_true(lab_play(&scene, &seen));
	assert_true(seen.nested > 20);
	assert_true(seen.check.violations[ORACLE_EXACT] + seen.check.violations[ORACLE_STRUCTURE] +
		    seen.check.violations[ORACLE_CONSERVATION] +
		    seen.check.violations[ORACLE_MONOTONIC] > 0);
	scene.row = "no such row";
	assert_false(lab_play(&scene, &seen));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_claim_is_complete),
		cmocka_unit_test(the_record_decides),
		cmocka_unit_test(the_lab_sees_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
