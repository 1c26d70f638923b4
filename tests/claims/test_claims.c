// SPDX-License-Identifier: MIT
/* The claims: each has a place, a test and a figure, and what is measured decides. */
#include "tests/support/test.h"

#include <sys/stat.h>

#include "extras/claims/claims.h"
#include "judge/driver.h"
#include "tests/support/scratch.h"

#define NO_BUILD "/nonexistent" /* nothing is explored there */

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
	static const char *const places[] = { NOTE_2006, NOTE_2007,   LKML_2008,
					      LTT_2008,	 KERNEL_2020, LKML_2024 };
	unsigned int by_place[6] = { 0 }, ours = 0, untested = 0, unexplored = 0, place;
	json_t *empty = json_object(), *claims = claims_test(empty, NO_BUILD);
	const json_t *claim;
	size_t i;

	json_array_foreach(claims, i, claim) {
		assert_true(strlen(text(claim, "claim")) > 10 && strlen(text(claim, "how")) > 9);
		/* The figure has a digit in it, and was not cut. */
		if (strcmp(text(claim, "verdict"), "not tested in this run")) {
			assert_non_null(strpbrk(text(claim, "figure"), "0123456789"));
			assert_true(strlen(text(claim, "figure")) < 598);
		} else if (strstr(text(claim, "figure"), "no explored form of ")) {
			unexplored++;
		} else {
			untested++;
		}
		for (place = 0; place < 6; place++)
			by_place[place] += !strcmp(text(claim, "where"), places[place]);
		ours += !strcmp(text(claim, "where"), STAMPEDE_2026) ||
			!strcmp(text(claim, "where"), TRACY_MANUAL);
	}
	assert_true(json_array_size(claims) >= 25);
	for (place = 0; place < 6; place++)
		assert_true(by_place[place] >= 4);
	assert_int_equal(by_place[0] + by_place[1] + by_place[2] + by_place[3] + by_place[4] +
				 by_place[5] + ours,
			 json_array_size(claims));
	/* Without a run only those that ask one, and without objects those that are explored. */
	assert_int_equal(untested, 12);
	assert_int_equal(unexplored, 8);
	json_decref(claims);
	json_decref(empty);
}

/* Nine repetitions of a cell, each later one longer by `more`. */
static void add(json_t *run, const char *row, const char *workload, const char *key, double value,
		double more)
{
	int i;

	for (i = 0; i < 9; i++)
		json_array_append_new(json_object_get(run, "benchmarks"),
				      json_pack("{s:s, s:s, s:i, s:f}", "row", row, "workload",
						workload, "repetition_index", i, key,
						value + i * more));
}

/* A run with so many extended records of a row in its storm. */
static json_t *run_of(const char *row, int extended)
{
	return json_pack("{s:[], s:[{s:s, s:s, s:i, s:i, s:i}]}", "benchmarks", "stress", "row",
			 row, "workload", "storm", "events", 1000, "extended", extended, "needed",
			 1);
}

/* A made-up run of two rows; the verdicts follow it. */
static json_t *run_with(double full_tsc_ns, double cmpxchg_ticks, int extended)
{
	json_t *run = run_of("extended_header", extended);

	add(run, "full_tsc", "steady", "ns", full_tsc_ns, 0);
	add(run, "nested_stamps", "steady", "ticks", 30, 0);
	add(run, "nested_stamps_cmpxchg", "steady", "ticks", cmpxchg_ticks, 0);
	return run;
}

#define VERDICT(of, name) text(named(of, name), "verdict")

/* The verdicts of two runs, which are freed; the table ends with NULL. */
static void assert_decided(json_t *run, json_t *other, const char *const (*verdicts)[3])
{
	json_t *claims = claims_test(run, NO_BUILD), *others = claims_test(other, NO_BUILD);

	for (; (*verdicts)[0]; verdicts++) {
		assert_string_equal(VERDICT(claims, (*verdicts)[0]), (*verdicts)[1]);
		assert_string_equal(VERDICT(others, (*verdicts)[0]), (*verdicts)[2]);
	}
	json_decref(claims);
	json_decref(others);
	json_decref(run);
	json_decref(other);
}

static void assert_figure(const json_t *claim, const char *says)
{
	if (!strstr(text(claim, "figure"), says))
		fail_msg("'%s' does not say '%s'", text(claim, "figure"), says);
}

static void the_record_decides(void **state)
{
	static const char *const verdicts[][3] = {
		{ "20070312_200_ns", "refuted", "holds" },
		{ "20200629_cmpxchg_slow", "refuted", "holds" },
		{ "20080925_unlikely_race", "holds", "refuted" },
		{ NULL },
	};

	assert_decided(run_with(12, 30.1, 1), run_with(190, 33, 100), verdicts);
}

/* Runs of the row that masks interrupts, with NMIs and without, and two prices, in one kernel. */
static json_t *run_in_kernel(const char *masked, const char *through, const char *unit, double off)
{
	json_t *rows =
		json_pack("[{s:s, s:s, s:b, s:i}, {s:s, s:s, s:b, s:i}]", "row", "delta_sync_hard",
			  "verdict", masked, "with_nmi", 0, "interrupting", 700, "row",
			  "packed_word", "verdict", "broken", "with_nmi", 0, "interrupting", 9);

	if (through)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:b, s:i}", "row",
						      "delta_sync_hard", "verdict", through,
						      "with_nmi", 1, "interrupting", 50));
	return json_pack("{s:{s:[{s:s, s:o, s:[{s:s, s:s, s:f}, {s:s, s:s, s:f}]}]}}", "in_kernel",
			 "kernels", "release", "6.1.0", "rows", rows, "prices", "price",
			 "local_irq_save, local_irq_restore", "unit", unit, "batch", off, "price",
			 "cmpxchg", "unit", unit, "batch", 4.0);
}

static void a_kernel_decides(void **state)
{
	static const struct {
		const char *masked, *through, *unit;
		double off;
		const char *disabled, *lighter, *says;
	} runs[] = {
		{ "kept", "broken", "ns", 12, "holds with a condition", "holds", "1 of 1 broken" },
		{ "kept", "kept", "ns", 3, "holds", "refuted", "0 of 1 broken" },
		{ "kept", NULL, "instructions", 12, "holds", "not tested in this run", "not sent" },
		{ "broken", "broken", "ns", 12, "refuted", "holds", "0 of 1 runs kept" },
		{ "left out", "broken", "ns", 12, "not tested in this run", "holds", "" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		json_t *run =
			run_in_kernel(runs[i].masked, runs[i].through, runs[i].unit, runs[i].off);
		json_t *claims = claims_test(run, NO_BUILD);
		const json_t *disabled = named(claims, "20080925_interrupts_off");

		assert_string_equal(text(disabled, "verdict"), runs[i].disabled);
		assert_string_equal(VERDICT(claims, "20080925_lighter_locking"), runs[i].lighter);
		assert_figure(disabled, runs[i].says);
		json_decref(claims);
		json_decref(run);
	}
}

/* The same cells with the cheap clock. */
static json_t *with_cheap(json_t *run, double cmpxchg_ticks)
{
	add(run, "nested_stamps", "cheap", "ticks", 8, 0);
	add(run, "nested_stamps_cmpxchg", "cheap", "ticks", cmpxchg_ticks, 0);
	return run;
}

/* What a clock hides is not refuted: two clocks that part are a condition, and both are said. */
static void both_clocks_judge(void **state)
{
	static const struct {
		double real, cheap;
		const char *verdict, *says;
	} runs[] = {
		{ 29, 11.3, "holds with a condition", "0.967 times" },
		{ 29, 11.3, "holds with a condition", "1.413 (1.413 to 1.413): it holds where" },
		{ 33, 11.3, "holds", "1.413" },
		{ 29, 8, "refuted", "1.000 (1.000 to 1.000)" },
		{ 33, 8, "holds with a condition", "one of the two disagrees" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		json_t *run = with_cheap(run_with(12, runs[i].real, 1), runs[i].cheap);
		json_t *claims = claims_test(run, NO_BUILD);
		const json_t *claim = named(claims, "20200629_cmpxchg_slow");

		assert_string_equal(text(claim, "verdict"), runs[i].verdict);
		assert_figure(claim, runs[i].says);
		json_decref(claims);
		json_decref(run);
	}
}

/* A run of packed_word and one more row of that name, nesting and atomics. */
static json_t *run_beside(const char *row, const char *nesting, double atomics, double ticks)
{
	const char *const rows[] = { "packed_word", row };
	json_t *run = json_pack("{s:[], s:[], s:[]}", "benchmarks", "table", "schemes");
	unsigned int i;

	for (i = 0; i < 2; i++) {
		json_array_append_new(json_object_get(run, "table"),
				      json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "row", rows[i],
						"workload", "steady", "verdict", "kept", "atomics",
						i ? atomics : 2.0, "header_bytes", 4.0, "bytes",
						12.2));
		json_array_append_new(json_object_get(run, "schemes"),
				      json_pack("{s:s, s:[s, s, s, s, s], s:[], s:s}", "row",
						rows[i], "promises", "monotonic", "exact", "window",
						"wrap_proof", "bounded", "needs", "nesting",
						i ? nesting : "at once"));
		add(run, rows[i], "steady", "ticks", i ? ticks : 30, 0.01);
	}
	return run;
}

static void assert_none_better(json_t *run, const char *verdict, const char *says)
{
	json_t *claims = claims_test(run, NO_BUILD);
	const json_t *claim = named(claims, "20261121_none_better");

	assert_string_equal(text(claim, "verdict"), verdict);
	assert_figure(claim, says);
	json_decref(claims);
	json_decref(run);
}

static void who_is_better_is_named(void **state)
{
	json_t *run;

	assert_none_better(run_beside("three_read", "at once", 2.0, 30.1), "holds",
			   "1 published rows promise as much, 0 have");
	assert_none_better(run_beside("delta_sync_soft", "later", 1.0, 30.1), "refuted",
			   "delta_sync_soft 1.00 atomics for 2.00 (an interrupt has to wait)");
	assert_none_better(run_beside("three_read", "at once", 2.0, 27.0), "refuted",
			   "three_read 0.900 of the time");
	/* What a clock that goes back does, where it was played. */
	run = run_beside("three_read", "at once", 2.0, 30.1);
	json_object_set_new(run, "backstep",
			    json_pack("[{s:s, s:s, s:i}, {s:s, s:s, s:i}, {s:s, s:s, s:i}]", "row",
				      "packed_word", "clock", "between", "worst_ticks", 134217728,
				      "row", "three_read", "clock", "between", "worst_ticks", 7,
				      "row", "three_read", "clock", "older", "worst_ticks", 500));
	assert_none_better(run, "refuted",
			   "three_read 7 ticks of error for 134217728 when the clock goes back");
	/* Who is not published, or promises less, is no match. */
	assert_none_better(run_beside("dwcas", "at once", 1.0, 20), "not tested in this run",
			   "needs a run");
	run = run_beside("heartbeat", "at once", 1.0, 20);
	json_array_append_new(
		json_object_get(json_array_get(json_object_get(run, "schemes"), 1), "needs"),
		json_string("beat"));
	assert_none_better(run, "not tested in this run", "needs a run");
}

/* A build directory whose explorer prints `text` of any object, and ends with this code. */
static void fake_build(const char *dir, const char *text, int code)
{
	static const char *const objects[] = { "seed_001.page", "seed_001_flag.wrap4",
					       "seed_004.page", "nested_stamps.page",
					       "extended_header_locked.page" };
	char script[512];
	unsigned int i;

	for (i = 0; i < COUNT(objects); i++)
		scratch_put(dir, path_in("explored", "%s.so", objects[i]), "", 0);
	snprintf(script, sizeof(script), "#!/bin/sh\necho '%s'\nexit %d\n", text, code);
	scratch_put(dir, "explore", script, strlen(script));
	assert_int_equal(chmod(path_in(dir, "explore"), 0755), 0);
}

#define FOUND(schedules, broken, objections) \
	"{\"schema\": 1, \"rows\": [{\"row\": \"seed\", \"families\": " \
	"[{\"schedules\": " #schedules ", \"broken\": " #broken ", \"objections\": {" objections \
	"}}]}]}"

static void the_explorer_decides(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *race;
		const char *backward;
	} cases[] = {
		{ FOUND(122, 0, ""), 0, "holds", "holds" },
		{ FOUND(122, 27, "\"exact\": 27, \"window\": 13"), 2, "holds with a condition",
		  "holds" },
		{ FOUND(122, 9, "\"monotonic\": 9"), 2, "holds with a condition", "refuted" },
		{ "no object", 0, "not tested in this run", "not tested in this run" },
		{ FOUND(0, 0, ""), 0, "not tested in this run", "not tested in this run" },
		{ FOUND(122, 0, ""), 5, "not tested in this run", "not tested in this run" },
		{ "{\"rows\": []}", 0, "not tested in this run", "not tested in this run" },
	};
	json_t *empty = json_object(), *claims;
	char dir[PATH_MAX];
	unsigned int i;

	scratch_make(dir);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_build(dir, cases[i].text, cases[i].code);
		claims = claims_test(empty, dir);
		assert_string_equal(VERDICT(claims, "20080925_correct_race"), cases[i].race);
		assert_string_equal(VERDICT(claims, "20080925_never_backward"), cases[i].backward);
		json_decref(claims);
	}
	scratch_remove(dir);
	json_decref(empty);
}

/* With the objects of today: what was printed is found wrong. */
static void what_was_printed_is_explored(void **state)
{
	char build[PATH_MAX];
	json_t *empty = json_object(), *claims;
	ssize_t length = readlink("/proc/self/exe", build, sizeof(build) - 1);

#ifndef __x86_64__
	print_message("skipped: stops are put into x86-64 assembly\n");
	skip();
#endif
	assert_true(length > 0);
	build[length] = '\0';
	*strrchr(build, '/') = '\0'; /* BUILD/tests/claims/test_claims */
	*strrchr(build, '/') = '\0';
	*strrchr(build, '/') = '\0';
	claims = claims_test(empty, build);
	assert_string_equal(VERDICT(claims, "20080925_correct_race"), "holds with a condition");
	assert_string_equal(VERDICT(claims, "20080925_never_backward"), "holds");
	assert_string_equal(VERDICT(claims, "20200629_write_stamp"), "refuted");
	assert_string_equal(VERDICT(claims, "20240125_migration"), "holds");
	json_decref(claims);
	json_decref(empty);
}

/* An explorer that says of everything what `objections` is. */
static json_t *claims_by(const char *objections)
{
	json_t *empty = json_object(), *claims;
	char dir[PATH_MAX], says[256];

	scratch_make(dir);
	snprintf(says, sizeof(says),
		 "{\"rows\": [{\"families\": [{\"schedules\": 9, \"broken\": %d, "
		 "\"objections\": {%s}}]}]}",
		 *objections ? 4 : 0, objections);
	fake_build(dir, says, 0);
	claims = claims_test(empty, dir);
	scratch_remove(dir);
	json_decref(empty);
	return claims;
}

/* A writer that dies has shown nothing, and whoever counts wrong times finds none of it. */
static void who_dies_is_not_judged(void **state)
{
	json_t *kept = claims_by(""), *wrong = claims_by("\"exact\": 4"),
	       *dead = claims_by("\"crash\": 4");

	assert_string_equal(VERDICT(kept, "20240125_migration"), "holds");
	assert_string_equal(VERDICT(wrong, "20240125_migration"), "refuted");
	assert_string_equal(VERDICT(dead, "20240125_migration"), "not tested in this run");
	assert_string_equal(VERDICT(kept, "20200629_write_stamp"), "holds");
	assert_string_equal(VERDICT(dead, "20200629_write_stamp"), "not tested in this run");
	json_decref(kept);
	json_decref(wrong);
	json_decref(dead);
}

/* A run in which a clock read takes so long, and the rows of 2024 are as said. */
static json_t *run_of_2024(double clock_ns, double retry_ticks, double instructions, int extended)
{
	json_t *run = run_of("low_bits_2024", extended);

	add(run, CELL_CLOCK, "steady", "ns", clock_ns, 0);
	add(run, "nested_stamps", "steady", "ticks", 30, 0);
	add(run, "nested_retry", "steady", "ticks", retry_ticks, 0);
	json_object_set_new(run, "table",
			    json_pack("[{s:s, s:s, s:f}, {s:s, s:s, s:f}]", "row", "nested_stamps",
				      "workload", "steady", "instructions", 50.0, "row",
				      "low_bits_2024", "workload", "steady", "instructions",
				      instructions));
	return run;
}

static void the_record_decides_of_2024(void **state)
{
	static const char *const verdicts[][3] = {
		{ "20260822_zone", "holds", "refuted" },
		{ "20240219_no_regressions", "holds", "refuted" },
		{ "20240120_fewer_instructions", "holds", "refuted" },
		{ "20240119_rare_race", "holds", "refuted" },
		{ NULL },
	};

	assert_decided(run_of_2024(1, 29, 40, 1), run_of_2024(12, 33, 51, 100), verdicts);
}

/* The lab's eyes: it has to see what is wrong where a row is used against its needs. */
static void the_lab_sees_what_is_wrong(void **state)
{
	struct scene scene = { .row = "heartbeat",
			       .bits = 12,
			       .gap = 5000,
			       .beat_every = SCENE_NO_BEAT,
			       .events = 500 };
	struct played played;

	assert_true(lab_play(&scene, &played));
	assert_true(played_wrong(&played) > 400);
	assert_int_equal(played.beats, 0);
	scene = (struct scene){
		.row = "floor", .interrupts = SCENE_INTERRUPTED, .jump = 50, .events = 500
	};
	assert_true(lab_play(&scene, &played));
	assert_true(played.nested > 20);
	assert_true(played.check.violations[ORACLE_EXACT] +
			    played.check.violations[ORACLE_STRUCTURE] +
			    played.check.violations[ORACLE_CONSERVATION] +
			    played.check.violations[ORACLE_MONOTONIC] >
		    0);
	scene.row = "no such row";
	assert_false(lab_play(&scene, &played));
}

TESTS(every_claim_is_complete, the_record_decides, a_kernel_decides, both_clocks_judge,
      who_is_better_is_named, the_explorer_decides, what_was_printed_is_explored,
      who_dies_is_not_judged, the_record_decides_of_2024, the_lab_sees_what_is_wrong)
