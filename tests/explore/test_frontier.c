// SPDX-License-Identifier: MIT
/*
 * States with the ways that lead to them (frontier.h), stamps in their order (stamps.h), what
 * tells two sets of outcomes apart (outcomes.h), and an object that cannot be read (guard.h).
 */
#include "tests/support/test.h"

#include <errno.h>

#include "explore/engine/findings.h"
#include "explore/engine/frontier.h"
#include "explore/engine/guard.h"
#include "explore/engine/outcomes.h"
#include "explore/engine/stamps.h"
#include "tests/support/said.h"

static struct frontier frontier;

static const struct state *add(uint32_t shared, uint32_t frame, uint32_t left, uint64_t ways,
			       const struct path *path, const struct steps *then)
{
	const struct state_key key = { shared, frame };
	uint32_t i;

	frontier_add(&frontier, &key, left, ways, path, then);
	for (i = 0; memcmp(&frontier.state[i].key, &key, sizeof(key)) != 0; i++)
		assert_true(i + 1 < frontier.count);
	return &frontier.state[i];
}

static void paths_are_joined(void **state)
{
	const struct action more[] = { { .kind = ACTION_JUMP, .stops = 2, .jump = 9 },
				       { .kind = ACTION_READ, .stops = 5 } };
	const struct path path = { 1, 7, { { .kind = ACTION_BEAT, .stops = 3 } } };
	const struct path longer = { 2, 1, { { .kind = ACTION_FLUSH } } }, none = { .stops = 4 };
	const struct steps waits = { .stops = 10 }, acts = { 6, 2, more };
	const struct state *its;

	(void)state;
	its = add(1, 1, 0, 3, &path, NULL);
	assert_true(its->path.actions == 1 && its->path.stops == 7 &&
		    its->path.action[0].stops == 3);
	its = add(1, 2, 0, 3, &path, &waits);
	assert_true(its->path.actions == 1 && its->path.stops == 17);
	its = add(2, 1, 5, 4, &path, &acts);
	assert_true(its->path.actions == 3 && its->path.stops == 6);
	assert_true(its->path.action[0].stops == 3 && its->path.action[1].stops == 2 + 7 &&
		    its->path.action[2].stops == 5);
	assert_true(its->path.action[1].kind == ACTION_JUMP && its->path.action[1].jump == 9 &&
		    its->path.action[2].kind == ACTION_READ);
	/* One state: its ways are added, and the path with fewer actions stays. */
	its = add(2, 1, 5, 40, &longer, NULL);
	assert_true(its->ways == 44 && its->path.actions == 2);
	its = add(2, 1, 5, 1, &longer, &acts);
	assert_true(its->path.actions == 2);
	its = add(2, 1, 5, 1, &none, &acts);
	assert_true(its->path.actions == 2 && its->path.action[0].kind == ACTION_FLUSH);
	its = add(2, 1, 5, 1, &none, NULL);
	assert_true(its->ways == 47 && its->path.actions == 0 && its->path.stops == 4);
	assert_int_equal(frontier.count, 3);
	/* By what is left: 0 has two, the newest first. */
	assert_true(frontier.lefts == 6 && frontier.first[0] == 1 && frontier.state[1].next == 0);
	assert_true(frontier.state[0].next == FRONTIER_NONE && frontier.first[4] == FRONTIER_NONE);
	assert_true(frontier.first[5] == 2 && its->left == 5);
	frontier_free(&frontier);
	assert_true(!frontier.state && !frontier.keys.count && !frontier.count);
}

static void many_states(void **state)
{
	const struct path none = { .actions = 0 }, most = { .actions = WORLD_ACTIONS_MAX - 1 };
	const struct action action = { .kind = ACTION_BEAT };
	const struct steps one = { .actions = 1, .action = &action };
	uint32_t i, round;

	(void)state;
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 1000; i++) {
			assert_int_equal(frontier.count, i);
			add(i / 10, i % 10, i & 1, 1, &none, NULL);
		}
		for (i = 0; i < 1000; i++)
			assert_int_equal(add(i / 10, i % 10, i & 1, 1, &none, NULL)->ways, 2);
		assert_int_equal(frontier.count, 1000);
		table_number(&frontier.frames, "x", 1);
		frontier_clear(&frontier);
		assert_true(!frontier.count && !frontier.lefts && !frontier.frames.count);
		assert_true(!frontier.keys.count && frontier.first[0] == FRONTIER_NONE);
		assert_true(frontier.first[1] == FRONTIER_NONE);
	}
	/* As many left as a budget can have, by as many actions as a path has room for. */
	assert_int_equal(add(7, 7, FRONTIER_LEFT_MAX - 1, 1, &most, &one)->path.actions,
			 WORLD_ACTIONS_MAX);
	frontier_clear(&frontier);
	frontier_free(&frontier);
}

static void stamps(void **state)
{
	static const uint64_t come[] = { 50, 10, 40, 10, 99 }, order[] = { 10, 10, 40, 50, 99 };
	uint64_t stamp[7] = { [5] = 7, [6] = 8 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++)
		stamps_add(stamp, i, come[i]);
	assert_memory_equal(stamp, order, sizeof(order));
	assert_int_equal(stamp[5], 7);
	assert_int_equal(stamps_widest(stamp, 5), 49);
	assert_int_equal(stamps_widest(stamp, 4), 30);
	assert_int_equal(stamps_widest(stamp, 1), 0);
	assert_int_equal(stamps_widest(stamp, 0), 0);
	stamps_remove(stamp, 5, 40);
	assert_true(stamp[1] == 10 && stamp[2] == 50 && stamp[3] == 99 && stamp[5] == 7);
	stamps_remove(stamp, 4, 99);
	stamps_remove(stamp, 3, 10);
	assert_true(stamp[0] == 10 && stamp[1] == 50 && stamps_widest(stamp, 2) == 40);
	stamps_remove(stamp, 2, 10);
	assert_int_equal(stamp[0], 50);
}

/* In any order, and each once; no few of them add up to others. */
static void outcomes(void **state)
{
	static const uint64_t sets[][5] = {
		{ 1, 2, 3 }, { 3, 1, 2, 1, 3 },	   { 1, 2 }, { 1, 5 }, { 2, 4 },
		{ 6 },	     { UINT64_C(6) << 40 }
	};
	uint64_t count[7], hash[7];
	unsigned int i, k;

	(void)state;
	for (i = 0; i < 7; i++) {
		outcomes_begin();
		outcomes_add(99);
		outcomes_begin();
		for (k = 0; k < 5 && sets[i][k]; k++)
			outcomes_add(sets[i][k]);
		outcomes_end(&count[i], &hash[i]);
		for (k = 0; k < i; k++)
			assert_int_equal(hash[k] == hash[i], i == 1);
	}
	assert_true(count[0] == 3 && count[1] == 3 && count[2] == 2 && count[6] == 1);
}

/* Broken before not met, the shorter of two alike, and of equals the one that was there. */
static void sums_of_findings(void **state)
{
	static const struct {
		struct failure sum, one;
		bool taken;
	} cases[] = {
		{ { .actions = 0 }, { .verdict = VERDICT_NEED_NOT_MET, .actions = 9 }, true },
		{ { .verdict = VERDICT_BROKEN, .actions = 9 }, { .actions = 0 }, false },
		{ { .verdict = VERDICT_NEED_NOT_MET }, { .verdict = VERDICT_BROKEN }, true },
		{ { .verdict = VERDICT_BROKEN }, { .verdict = VERDICT_NEED_NOT_MET }, false },
		{ { .verdict = VERDICT_BROKEN, .actions = 3 },
		  { .verdict = VERDICT_BROKEN, .actions = 2 },
		  true },
		{ { .verdict = VERDICT_BROKEN, .actions = 3 },
		  { .verdict = VERDICT_BROKEN, .actions = 3 },
		  false },
	};
	struct findings sum, one;
	unsigned int i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		sum = (struct findings){ .first = cases[i].sum };
		one = (struct findings){ .first = cases[i].one };
		sum.first.action[0].stops = 1;
		one.first.action[0].stops = 2;
		findings_add(&sum, &one);
		assert_int_equal(sum.first.action[0].stops, cases[i].taken ? 2 : 1);
	}
	one.schedules = one.states = one.stuck = one.outcomes = one.decoded = one.extended = 5;
	one.verdicts[3] = one.objections[FINDINGS - 1] = one.verdicts[0] = one.stops = 7;
	one.damage = (struct findings_damage){ 1, 4, 9, DAMAGE_STAMP };
	sum.damage = (struct findings_damage){ 1, 8, 2, DAMAGE_EVENT };
	findings_add(&sum, &one);
	assert_true(sum.damage.schedules == 2 && sum.damage.wrong == 8 && sum.damage.worst == 9 &&
		    sum.damage.until == DAMAGE_STAMP);
	sum.damage.until = DAMAGE_NEVER;
	findings_add(&sum, &one);
	assert_int_equal(sum.damage.until, DAMAGE_NEVER);
	assert_true(sum.schedules == 10 && sum.states == 10 && sum.stuck == 10 &&
		    sum.outcomes == 10 && sum.decoded == 10 && sum.extended == 10);
	assert_true(sum.verdicts[3] == 14 && sum.objections[FINDINGS - 1] == 14 &&
		    sum.verdicts[0] == 14 && sum.stops == 14);
}

static void an_object_that_is_not_there(void **state)
{
	int error;

	(void)state;
	listen_to_stderr();
	error = object_check("/no/object");
	assert_string_equal(what_was_said(),
			    "stampede: cannot read /no/object: No such file or directory\n");
	assert_int_equal(error, -EIO);
}

TESTS(paths_are_joined, many_states, stamps, outcomes, sums_of_findings,
      an_object_that_is_not_there)
