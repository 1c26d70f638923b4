// SPDX-License-Identifier: MIT
#include "explore/eta.h"

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
} eta;

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

double eta_weight(const struct family *family)
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

void eta_begin(double seconds)
{
	static uint64_t done_here;

	eta.done_us = child_share(sizeof(*eta.done_us));
	if (!eta.done_us)
		eta.done_us = &done_here;
	progress_begin(&eta.progress, seconds);
	eta.said_ns = time_ns();
}

void eta_family(const char *row, const struct family *family)
{
	eta.row = row;
	eta.weight = eta_weight(family);
	eta.counted = 0;
	eta.expected = searches_of(family);
	eta.searched = 0;
	family_format(family, eta.what, sizeof(eta.what));
}

static void count_to(double part)
{
	double reached = eta.weight * (part < 1 ? part : 1);

	if (reached <= eta.counted)
		return;
	__atomic_fetch_add(eta.done_us, (uint64_t)((reached - eta.counted) * 1e6),
			   __ATOMIC_RELAXED);
	eta.counted = reached;
}

static void say(const char *row, const char *what)
{
	eta.progress.done = (double)__atomic_load_n(eta.done_us, __ATOMIC_RELAXED) / 1e6;
	progress_step(&eta.progress, row, what);
	eta.said_ns = time_ns();
}

void eta_progress(double done)
{
	eta.searched += done >= 1;
	count_to((eta.searched + (done < 1 ? done : 0)) / eta.expected);
	if (!eta.quiet && time_ns() - eta.said_ns > SAID_EVERY_NS)
		say(eta.row, eta.what);
}

void eta_done(void)
{
	count_to(1);
	eta_clear();
}

void eta_quiet(void)
{
	eta.quiet = true;
}

void eta_say_all(void)
{
	say("explored", "rows side by side");
}

void eta_clear(void)
{
	if (!eta.quiet)
		progress_end(&eta.progress);
}
