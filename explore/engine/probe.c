// SPDX-License-Identifier: MIT
#include "explore/engine/probe.h"

#include <limits.h>

#include "base/rng.h"
#include "explore/engine/faults.h"

/* A schedule in the making: by number among what could come behind the one before. */
struct probe {
	const struct search *search;
	uint64_t *random;
	uint64_t firsts;
	unsigned int actions;
	uint64_t action[WORLD_ACTIONS_MAX];
	/* Of the run that goes on. */
	unsigned int taken;
	uint64_t count; /* actions that could come behind the last one, so far */
	uint64_t weight; /* of all of them */
	uint64_t drawn; /* one of these */
	uint64_t drawn_weight;
};

/*
 * A jump is one of many at the same place, with not much behind any; drawn as often as all of those
 * together something else is not missed: of a heartbeat's sub-buffer ends most schedules are behind
 * an interrupt.
 */
static uint64_t weight_of(const struct probe *probe, const struct action *action)
{
	bool of_time = action->kind == ACTION_JUMP || action->kind == ACTION_BACK;

	return of_time || !probe->search->jumps ? 1 : probe->search->jumps;
}

/* Draws it with the chance that its weight has among all that there were. */
static void draw(struct probe *probe, const struct action *action)
{
	uint64_t weight = weight_of(probe, action);

	probe->weight += weight;
	if (rng_split(probe->random) % probe->weight < weight) {
		probe->drawn = probe->count;
		probe->drawn_weight = weight;
	}
	probe->count++;
}

/* A stop, or the time between events. True if a writer was launched. */
static bool pass(struct probe *probe)
{
	const struct search *search = probe->search;
	struct action action;
	unsigned int n;

	for (n = 0; search_alternative(search, !world->book.depth, n, &action); n++) {
		if (probe->taken < probe->actions) {
			if (probe->count++ != probe->action[probe->taken])
				continue;
			probe->taken++;
			probe->count = probe->weight = 0;
			if (search_take(search, &action))
				return true;
			n = UINT_MAX; /* time passed: all that can happen here still can */
		} else {
			draw(probe, &action);
		}
	}
	return false;
}

/* Runs the schedule to its end: how many actions could come behind it, of which one is drawn. */
static uint64_t follow(struct probe *probe)
{
	bool chosen = false;

	probe->taken = 0;
	probe->count = probe->weight = 0;
	world_begin(&probe->search->start, &probe->search->budget);
	for (;;) {
		if (!chosen && !pass(probe) && world->book.depth && !search_open())
			world_without_stops();
		chosen = false;
		if (world->book.depth) {
			if (world_resume() == SWITCH_DONE)
				world_finished();
		} else if (search_next(probe->search)) {
			chosen = true;
		} else {
			return probe->count;
		}
	}
}

/* What this one stands for. A writer that crashes or does not end is the end of its schedule. */
static double probe_one(struct probe *probe, uint64_t *runs)
{
	static volatile double product, sum; /* survive siglongjmp() */
	uint64_t next;

	probe->actions = 0;
	product = sum = 1;
	if (sigsetjmp(faults_escape, 0))
		return sum;
	faults_arm(true);
	while ((next = follow(probe))) {
		if (!probe->actions)
			probe->firsts = next;
		++*runs;
		sum += product * (double)next;
		product *= (double)probe->weight / (double)probe->drawn_weight;
		probe->action[probe->actions++] = probe->drawn;
	}
	return sum;
}

struct probed probe_schedules(const struct search *search, unsigned int probes, uint64_t *random)
{
	static struct probe probe;
	static uint64_t runs;
	struct probed probed = { 0 };
	unsigned int i;

	probe = (struct probe){ .search = search, .random = random };
	faults_catch(&runs);
	for (i = 0; i < probes; i++)
		probed.schedules += probe_one(&probe, &runs) / probes;
	faults_end();
	probed.firsts = probe.firsts;
	return probed;
}
