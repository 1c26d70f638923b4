// SPDX-License-Identifier: MIT
/*
 * What a shard found, into its record and back: all of it, and nothing that no search finds.
 * `test_found --seal FILE...` seals records again, for test_shards.sh, which damages them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/shards_internal.h"

#define STARTS 4

static struct scheme_desc desc;
static struct driver driver = { .desc = &desc };
static const struct family family = { .shape = "page",
				      .stops = STOPS_SHARED,
				      .budget = { .events = 2, .nested = 1 } };

/* A task whose counts are all there, all different, and add up. */
static struct task whole(void)
{
	struct task task = { .driver = &driver, .family = &family, .searches = STARTS };
	struct findings *findings = &task.findings;
	unsigned int i;

	world_row.driver = &driver;
	world_row.config.stamp_bits = 27;
	*findings = (struct findings){
		.schedules = 1000 + 200 + 30 + 4,
		.stops = 5001,
		.states = 5002,
		.verdicts = { 1000, 200, 30, 4 },
		.inexact = 5003,
		.extended = 5004,
		.decoded = 5005,
		.damage = { 71, 72, 73, DAMAGE_SUBBUF },
		.stuck = 74,
		.seconds = 1.25,
	};
	for (i = 0; i < FINDINGS; i++)
		findings->objections[i] = 100 + i;
	findings->first.actions = 2;
	findings->first.action[0] = (struct action){ ACTION_NEST, 12, 0 };
	findings->first.action[1] = (struct action){ ACTION_JUMP, 3, 15 };
	findings->first.verdict = VERDICT_BROKEN;
	findings->first.oracle = ORACLE_STRUCTURE;
	family_search(&family, &task.first);
	task.first.start.phase = 6;
	task.first.start.extra = 8;
	return task;
}

/* As text, as a file would have it. */
static json_t *written(const struct task *task)
{
	json_t *json = shards_found(task), *again;
	char *text = json_dumps(json, JSON_INDENT(1));

	assert_non_null(text);
	again = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	json_decref(json);
	assert_non_null(again);
	return again;
}

static bool is_found(json_t *json, struct task *found)
{
	*found = (struct task){ .driver = &driver, .family = &family };
	return shards_find(json, STARTS, found);
}

static void all_comes_back(void **state)
{
	struct task task = whole(), found;
	json_t *json = written(&task);

	(void)state;
	assert_true(is_found(json, &found));
	assert_int_equal(found.searches, STARTS);
	/* Whatever a member is called, so that none that is new is forgotten. */
	assert_memory_equal(&found.findings, &task.findings, sizeof(task.findings));
	assert_memory_equal(&found.first, &task.first, sizeof(task.first));
	json_decref(json);
}

/* Each number of a record, left out, below zero, and as words. */
static void nothing_is_left_out(void **state)
{
	struct task task = whole(), found;
	json_t *json = written(&task), *value;
	const char *key;
	void *next;
	unsigned int seen = 0;

	(void)state;
	json_object_foreach_safe(json, next, key, value)
	{
		json_t *was = json_deep_copy(value), *all = json_deep_copy(json);

		if (strcmp(key, "first")) {
			json_object_del(all, key);
			assert_false(is_found(all, &found));
		}
		json_object_set_new(all, key, json_string("words"));
		assert_false(is_found(all, &found));
		if (json_is_integer(was)) {
			json_object_set_new(all, key, json_integer(-1));
			assert_false(is_found(all, &found));
		}
		if (json_is_array(was)) {
			json_array_remove(was, 0);
			json_object_set(all, key, was);
			assert_false(is_found(all, &found));
		}
		json_decref(all);
		json_decref(was);
		seen++;
	}
	assert_true(seen >= 16);
	json_decref(json);
}

/* One number that does not go with the others. */
static void nothing_that_no_search_finds(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
	} wrong[] = {
#define WRONG(member, value) { offsetof(struct task, member), value }
		WRONG(findings.schedules, 1233),
		WRONG(findings.schedules, 1235),
		WRONG(findings.verdicts[VERDICT_KEPT], 999),
		WRONG(findings.verdicts[VERDICT_BROKEN], 0),
		WRONG(findings.verdicts[VERDICT_NOT_PROMISED], 5),
		WRONG(findings.objections[FINDING_HANG], 201),
		WRONG(findings.objections[ORACLE_STRUCTURE], 0),
		WRONG(findings.stuck, 1235),
		WRONG(findings.damage.schedules, 1235),
		WRONG(findings.damage.schedules, 0),
		WRONG(findings.damage.wrong, 0),
#undef WRONG
	};
	struct task task, found;
	json_t *json;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		task = whole();
		*(uint64_t *)((uintptr_t)&task + wrong[i].at) = wrong[i].value;
		json = written(&task);
		assert_false(is_found(json, &found));
		json_decref(json);
	}
}

/* Searches are of the starts that were planned; the first failure is one of those counted. */
static void no_search_is_missing(void **state)
{
	static const int searches[] = { STARTS - 1, STARTS + 1, 0, -EINTR };
	struct task task, found;
	json_t *json;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(searches) / sizeof(searches[0]); i++) {
		task = whole();
		task.searches = searches[i];
		json = written(&task);
		assert_false(is_found(json, &found));
		json_decref(json);
	}
	/* What could not be searched was so at any start. */
	task = (struct task){ .searches = -ENOTSUP };
	json = written(&task);
	assert_true(is_found(json, &found));
	assert_int_equal(found.searches, -ENOTSUP);
	json_decref(json);
	task = whole();
	task.findings.first.verdict = VERDICT_NEED_NOT_MET;
	json = written(&task);
	assert_false(is_found(json, &found));
	json_object_del(json, "first");
	assert_false(is_found(json, &found));
	json_decref(json);
	task = whole();
	task.findings.first.oracle = FINDINGS;
	json = written(&task);
	assert_false(is_found(json, &found));
	json_decref(json);
}

/* A writer that crashes before the search begins is one schedule, whatever the search's parts. */
static void a_crash_counts_once(void **state)
{
	struct search options = { .parts = 3 }, first;
	struct findings findings = { .schedules = 0 };
	int searches;

	(void)state;
	whole();
	assert_int_equal(world_map(), 0);
	world_row.clock = NULL;
	for (options.part = 0; options.part < options.parts; options.part++) {
		searches = family_run(&family, &options, NULL, 1, &findings, &first);
		assert_int_equal(searches, 1);
	}
	assert_int_equal(findings.schedules, 1);
	assert_int_equal(findings.verdicts[VERDICT_BROKEN], 1);
	assert_int_equal(findings.objections[FINDING_CRASH], 1);
}

static int seal(char **path)
{
	json_t *record;

	for (; *path; path++) {
		record = json_load_file(*path, 0, NULL);
		if (!record)
			return 1;
		shards_seal(record);
		if (json_dump_file(record, *path, JSON_INDENT(1)))
			return 1;
		json_decref(record);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_comes_back),
		cmocka_unit_test(nothing_is_left_out),
		cmocka_unit_test(nothing_that_no_search_finds),
		cmocka_unit_test(no_search_is_missing),
		cmocka_unit_test(a_crash_counts_once),
	};

	if (argc > 1 && !strcmp(argv[1], "--seal"))
		return seal(argv + 2);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
