// SPDX-License-Identifier: MIT
#include "explore/pace.h"

#include <math.h>
#include <string.h>

#include "base/progress.h"
#include "place/ticks.h"

#define SAID_EVERY_NS 500000000u
#define SCHEDULE_SECONDS 3e-7 /* about; what was seen corrects it */

static struct {
	struct progress progress;
	const char *row;
	char what[128];
	double weight; /* expected seconds of the family */
	double counted; /* of that, in progress already */
	unsigned int expected, searched; /* searches of the family */
	uint64_t said_ns;
	volatile double *seconds; /* of another process, which speaks for all */
	double counted_all;
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
		[STOPS_ALL] = 100, [STOPS_SHARED] = 14, [STOPS_NONE] = 1, [STOPS_POINTS] = 9,
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
	for (i = 0; i < budget->jumps; i++)
		weight *= 1 + places * jumps / (i + 1.0);
	for (i = 0; budget->writers > 1 && i < budget->preemptions; i++)
		weight *= 1 + places * budget->writers / (i + 1.0);
	/* Schedules share states (search_parallel.c). */
	if (family->stops == STOPS_ALL)
		weight = 6 * pow(weight, 0.77);
	/* A search has its price even if there is nothing in it. */
	return (weight + 5000) * searches_of(family) * SCHEDULE_SECONDS;
}

void pace_begin(double seconds)
{
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
	if (pace.seconds)
		*pace.seconds += reached - pace.counted;
	else
		progress_done(&pace.progress, reached - pace.counted);
	pace.counted = reached;
}

void pace_tick(double done)
{
	count_to((pace.searched + done) / pace.expected);
	if (pace.seconds)
		return;
	progress_step(&pace.progress, pace.row, pace.what);
	pace.said_ns = time_ns();
}

void pace_searched(void)
{
	pace.searched++;
	if (time_ns() - pace.said_ns > SAID_EVERY_NS)
		pace_tick(0);
	else
		count_to((double)pace.searched / pace.expected);
}

void pace_done(void)
{
	count_to(1);
	pace_clear();
}

void pace_in(volatile double *seconds)
{
	pace.seconds = seconds;
}

void pace_seconds(double seconds)
{
	if (seconds > pace.counted_all)
		progress_done(&pace.progress, seconds - pace.counted_all);
	pace.counted_all = seconds > pace.counted_all ? seconds : pace.counted_all;
	progress_step(&pace.progress, "explored", "rows side by side");
}

void pace_clear(void)
{
	if (!pace.seconds)
		progress_end(&pace.progress);
}
