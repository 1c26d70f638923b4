// SPDX-License-Identifier: MIT
#include "explore/pace.h"

#include <math.h>
#include <string.h>

#include "base/child.h"
#include "base/progress.h"
#include "base/time.h"

#define SAID_EVERY_NS 400000000u
#define SCHEDULE_SECONDS 3e-7 /* about; what was seen corrects it */

static struct {
	struct progress progress;
	const char *row;
	char what[128];
	double weight; /* expected seconds of the family */
	double counted; /* of that, in done_us already */
	unsigned int expected, searched; /* searches of the family */
	uint64_t said_ns;
	uint64_t *done_us; /* expected time that is done; of all processes */
	bool quiet;
} pace;

/* Searches that a family takes; every fourth byte of a small sub-buffer is an offset. */
static unsigned int searches_of(const struct family *family)
{
	unsigned int count = 1;

	if (family->phases != RANGE_ONE)
		count *= !strcmp(family->shape, "wrap3") ? 8 : 16;
	if (family->offsets != RANGE_ONE)
		count *= 12;
	return count;
}

double pace_weight(const struct family *family)
{
	static const double stops_per_event[] = {
		[STOPS_ALL] = 100,
		[STOPS_SHARED] = 14,
		[STOPS_NONE] = 1,
		[STOPS_POINTS] = 9,
	};
	const struct budget *budget = &family->budget;
	double stops = stops_per_event[family->stops], places, weight = 1;
	unsigned int i, writers = budget->nested + budget->beats;
	double jumps = !strcmp(family->shape, "page") ? 11 : 33;

	for (i = 0; i < writers; i++)
		weight *= 1 + stops * (budget->events + i) / (i + 1.0);
	places = stops * (budget->events + writers);
	for (i = 0; i < budget->reads; i++)
		weight *= 1 + places / (i + 1.0);
	for (i = 0; i < (unsigned int)budget->jumps + budget->backs; i++)
		weight *= 1 + places * jumps / (i + 1.0);
	for (i = 0; world_cpus(budget) > 1 && i < budget->preemptions; i++)
		weight *= 1 + places * world_cpus(budget) / (i + 1.0);
	/* Schedules share states (search_parallel.c). */
	if (family->stops == STOPS_ALL)
		weight = 6 * pow(weight, 0.77);
	/* A search has its price even if there is nothing in it. */
	return (weight + 5000) * searches_of(family) * SCHEDULE_SECONDS;
}

void pace_begin(double seconds)
{
	static uint64_t done_here;

	pace.done_us = child_share(sizeof(*pace.done_us));
	if (!pace.done_us)
		pace.done_us = &done_here;
	progress_begin(&pace.progress, seconds);
	pace.said_ns = time_ns();
}

void pace_family(const char *row, const struct family *family)
{
	pace.row = row;
	pace.weight = pace_weight(family);
	pace.counted = 0;
	pace.expected = searches_of(family);
	pace.searched = 0;
	family_format(family, pace.what, sizeof(pace.what));
}

static void count_to(double part)
{
	double reached = pace.weight * (part < 1 ? part : 1);

	if (reached <= pace.counted)
		return;
	__atomic_fetch_add(pace.done_us, (uint64_t)((reached - pace.counted) * 1e6),
			   __ATOMIC_RELAXED);
	pace.counted = reached;
}

static void say(const char *row, const char *what)
{
	pace.progress.done = (double)__atomic_load_n(pace.done_us, __ATOMIC_RELAXED) / 1e6;
	progress_step(&pace.progress, row, what);
	pace.said_ns = time_ns();
}

void pace_progress(double done)
{
	pace.searched += done >= 1;
	count_to((pace.searched + (done < 1 ? done : 0)) / pace.expected);
	if (!pace.quiet && time_ns() - pace.said_ns > SAID_EVERY_NS)
		say(pace.row, pace.what);
}

void pace_done(void)
{
	count_to(1);
	pace_clear();
}

void pace_quiet(void)
{
	pace.quiet = true;
}

void pace_say_all(void)
{
	say("explored", "rows side by side");
}

void pace_clear(void)
{
	if (!pace.quiet)
		progress_end(&pace.progress);
}
