// SPDX-License-Identifier: MIT
/*
 * Programs are shared out by their first operations, so counts do not depend on how many search.
 * Whether a program has a right one inside is asked of the quick budgets alone: each program inside
 * is one of the language, and is judged by all budgets when its turn comes.
 */
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/fail.h"
#include "base/rng.h"
#include "base/time.h"
#include "explore/every_scheme/every_scheme.h"

#define SPLIT 4 /* operations of a beginning */
#define VERDICTS 65536 /* programs that are inside others */

static struct {
	const struct search_task *task;
	struct search_result *result; /* shared */
	unsigned int part, parts;
	uint64_t begin; /* number of this beginning */
	uint64_t weight; /* programs that this one stands for: 1, but in an estimate */
	uint64_t random; /* state of an estimate */
	double steps; /* of an estimate */
	bool list;
	struct {
		uint64_t key;
		bool right;
	} verdict[VERDICTS];
} search;

/* All that holds where nothing disturbs, and can be asked; then records are short most rarely. */
static void strongest(struct program *program)
{
	const struct judge_task *task = &search.task->judge;

	program->test = program->late = 0;
	if (task->groups & HAS(LONG) || program->trigger == SLOW_FAR)
		program->test = (uint8_t)(judge_plain(program, task) & program_relations(program));
	if (program->length > program->mains && program->trigger == SLOW_LOST)
		program->late = (uint8_t)program_late(program);
}

/* By the quick budgets; without a test there is no slow path to take. */
static bool is_right(const struct program *program)
{
	bool tests = program->trigger == SLOW_FAR || program->trigger == SLOW_LONG;

	return (program->test || !tests) &&
	       !judge_all(program, &search.task->judge, JUDGE_QUICK, NULL);
}

/*
 * The test with the fewest relations that a right program is still right with: subsets by how many
 * relations they have. A weaker test makes more records short, so it is the one to be judged in
 * full.
 */
static void weakest(struct program *program)
{
	unsigned int mask = program->test, late = program->late, subset, i;
	bool found = false;
	int size;

	for (size = 0; !found && size < RELATIONS; size++)
		for (subset = 0; !found && subset <= mask; subset++) {
			program->test = (uint8_t)subset;
			found = !(subset & ~mask) && __builtin_popcount(subset) == size &&
				is_right(program);
		}
	for (i = 0; i < RELATIONS; i++) {
		program->late = (uint8_t)(late & ~(1u << i));
		if (late >> i & 1 && is_right(program))
			late = program->late;
	}
	program->late = (uint8_t)late;
}

/* Is the program right without the operations of a set of places? Forgets old verdicts. */
static bool is_right_without(const struct program *program, unsigned int places,
			     enum program_form form)
{
	struct program less = { .form = (uint8_t)form, .trigger = program->trigger };
	uint64_t key = UINT64_C(0xcbf29ce484222325);
	unsigned int i;

	for (i = 0; i < program->length; i++)
		if (!(places >> i & 1)) {
			less.op[less.length++] = program->op[i];
			less.mains += i < program->mains;
		}
	if (less.length == less.mains && less.trigger != SLOW_LOST)
		less.trigger = SLOW_NONE;
	if (!program_is_formed(&less))
		return false;
	for (i = 0; i < offsetof(struct program, test); i++)
		key = (key ^ ((const uint8_t *)&less)[i]) * UINT64_C(0x100000001b3);
	i = (unsigned int)(rng_mix(key) % VERDICTS);
	if (search.verdict[i].key != key) {
		search.verdict[i].key = key;
		strongest(&less);
		search.verdict[i].right = is_right(&less);
	}
	return search.verdict[i].right;
}

/* Is there an operation, a pair, or a far slow path that a right program can do without? */
static bool has_spare(const struct program *program)
{
	unsigned int i, j;

	for (i = 0; i < program->length; i++)
		for (j = i; j < program->length; j++) /* j == i: one alone */
			if (is_right_without(program, 1u << i | 1u << j, program->form))
				return true;
	return program->trigger == SLOW_FAR &&
	       is_right_without(program, ~0u << program->mains, program->form);
}

/*
 * Claim, clock and tail alone, of a program that goes no other way: if these stamps are out of
 * order, no word that is stored as well can help.
 */
static bool order_is_broken(const struct program *program)
{
	const unsigned int keep = CLAIMS | SET(LT) | SET(CK) | SET(MK) | SET(UM);
	unsigned int i, places = ~0u << program->mains;

	for (i = 0; i < program->mains; i++)
		places |= keep >> program->op[i] & 1 ? 0 : 1u << i;
	return (program->trigger == SLOW_NONE || program->trigger == SLOW_LONG) &&
	       search.task->judge.promises & OWES(ORDER) &&
	       !is_right_without(program, places, FORM_WHOLE);
}

static enum search_class class_of(struct program *program)
{
	const struct judge_task *task = &search.task->judge;
	bool broken;

	if (!search.list && order_is_broken(program))
		return CUT;
	strongest(program);
	broken = judge_all(program, task, JUDGE_FIRST, NULL);
	if (search.list) {
		fputs(broken ? "broken: " : "perhaps: ", stdout);
		program_print(program, stdout);
		putchar('\n');
	}
	if (broken || search.list)
		return WRONG;
	if (has_spare(program))
		return SPARE;
	if (!is_right(program))
		return WRONG;
	weakest(program);
	return judge_all(program, task, JUDGE_ALL, NULL) ? LATE : RIGHT;
}

static void weigh(struct program program)
{
	struct search_result *result = search.result;
	uint64_t before = judge_steps;
	enum search_class class = class_of(&program);
	unsigned int at;

	__atomic_fetch_add(&result->count[ALL][program.length], search.weight, __ATOMIC_RELAXED);
	__atomic_fetch_add(&result->count[class][program.length], search.weight, __ATOMIC_RELAXED);
	if (search.random) {
		search.steps += (double)search.weight * (double)(judge_steps - before);
	} else if (class == RIGHT) {
		at = __atomic_fetch_add(&result->found_count, 1, __ATOMIC_RELAXED);
		if (at < SEARCH_FOUND_MOST)
			result->found[at] = program;
	}
}

/* A program, and those that go on from it, in the main part or in the slow one; or one of them. */
static void go_on(const struct program *program)
{
	bool slows = program->length > program->mains;
	struct program next, may[2 * OPERATIONS];
	unsigned int i, count = 0;

	if (program->mains == SPLIT && !slows && search.begin++ % search.parts != search.part)
		return;
	if ((program->mains >= SPLIT || !search.part) && program_is_formed(program))
		weigh(*program);
	for (i = 0; i < 2 * OPERATIONS && program->length < search.task->length; i++) {
		if (i < OPERATIONS ? slows :
				     !program->trigger || program_claim(program) == program->mains)
			continue;
		next = *program;
		next.op[next.length++] = (uint8_t)(i % OPERATIONS);
		next.mains += i < OPERATIONS;
		if (program_may_go_on(&next, search.task->judge.groups) &&
		    program_cost(&next).of[COST_WORDS] <= search.task->words)
			may[count++] = next;
	}
	if (search.random && count) {
		may[0] = may[rng_split(&search.random) % count];
		search.weight *= count;
		count = 1;
	}
	for (i = 0; i < count; i++)
		go_on(&may[i]);
}

/* Each form of a record that there can be, with each slow path. */
static void search_forms(void)
{
	unsigned int has = search.task->judge.groups, form, trigger;
	bool lost = !(search.task->judge.promises & OWES(EXACT));

	for (form = 0; form < FORMS; form++)
		for (trigger = 0; trigger < SLOWS; trigger++) {
			if (form == FORM_WHOLE || form == FORM_PACKED ?
				    trigger || !(has & (form ? HAS(PACKED) : HAS(WHOLE))) :
			    trigger == SLOW_FAR	 ? !(has & HAS(EVENT)) :
			    trigger == SLOW_LONG ? !(has & HAS(LONG)) :
						   trigger && (!lost || form != FORM_DELTA))
				continue;
			search.weight = 1;
			go_on(&(struct program){ .form = (uint8_t)form,
						 .trigger = (uint8_t)trigger });
		}
}

static void begin(const struct search_task *task, struct search_result *result, unsigned int part,
		  unsigned int parts)
{
	search.task = task;
	search.result = result;
	search.part = part;
	search.parts = parts;
}

void search_list(const struct search_task *task, struct search_result *result)
{
	begin(task, result, task->part, task->parts);
	search.list = true;
	search_forms();
}

/* Knuth's: a path stands for as many as there were ways to go on where it chose one at random. */
struct search_estimate search_estimate(const struct search_task *task, struct search_result *result,
				       double limit)
{
	struct search_estimate estimate = { .programs = 0 };
	double sum = 0, squares = 0, paths = 0, spent = 0;
	uint64_t began = cpu_time_ns(), before = judge_steps;
	unsigned int i;

	begin(task, result, 0, 1);
	for (search.random = 1; spent < limit; paths++) {
		search.steps = 0;
		search_forms();
		sum += search.steps;
		squares += search.steps * search.steps;
		spent = (double)(cpu_time_ns() - began) / 1e9;
	}
	search.random = 0;
	for (i = 0; i <= task->length; i++)
		estimate.programs += (double)result->count[ALL][i] / paths;
	estimate.seconds = sum / paths * spent / (double)(judge_steps - before);
	estimate.error = sqrt(fmax(squares / sum * paths / sum - 1, 0) / paths);
	memset(result, 0, sizeof(*result));
	return estimate;
}

static int compare_found(const void *a, const void *b)
{
	struct program_cost one = program_cost(a), other = program_cost(b);
	int i, difference = 0;

	for (i = COST_OPERATIONS; !difference && i <= COST_ACCESSES; i++)
		difference = (int)one.of[i] - (int)other.of[i];
	return difference ? difference : memcmp(a, b, sizeof(struct program));
}

int search_every(const struct search_task *task, struct search_result *result)
{
	unsigned int i, processes = (unsigned int)task->processes;
	int status = EXIT_FINE, code;
	pid_t pid[64];

	for (i = 0; i < processes; i++) {
		pid[i] = child_fork(SIGKILL);
		if (pid[i] < 0)
			return EXIT_RESOURCE;
		if (pid[i])
			continue;
		begin(task, result, task->part * processes + i, task->parts * processes);
		search_forms();
		__atomic_fetch_add(&result->nanoseconds, cpu_time_ns(), __ATOMIC_RELAXED);
		end_now(EXIT_FINE);
	}
	for (i = 0; i < processes; i++) {
		code = child_wait(pid[i]);
		if (code) {
			child_ended_early("a part of the search", code);
			status = EXIT_RESOURCE;
		}
	}
	if (result->found_count > SEARCH_FOUND_MOST)
		result->found_count = SEARCH_FOUND_MOST;
	qsort(result->found, result->found_count, sizeof(result->found[0]), compare_found);
	return status;
}
