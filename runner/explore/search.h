/* SPDX-License-Identifier: MIT */
/*
 * Every schedule within a budget, once: at each stop each interrupt that the budget allows is made
 * first, and then none. A copy of the world is kept for each interrupt that the current schedule
 * holds; whoever comes to the end is judged, and the newest copy put back. When nothing more can
 * happen to a writer it goes on in the copy of its code that has no stops.
 */
#ifndef STAMPEDE_RUNNER_EXPLORE_SEARCH_H
#define STAMPEDE_RUNNER_EXPLORE_SEARCH_H

#include <signal.h>

#include "world.h"

#define SEARCH_JUMPS_MAX 600

/* What is searched. */
struct search {
	struct world_start start;
	struct budget budget;
	enum explore_stops stops;
	unsigned int jumps; /* sizes below */
	uint64_t jump[SEARCH_JUMPS_MAX];
	bool outcomes; /* count distinct final states too; one process only */
	bool first_only; /* end at the first broken schedule */
	unsigned int without_oracle; /* mask of oracles that are not asked */
};

/* One schedule that was not kept. */
struct failure {
	struct action action[WORLD_ACTIONS_MAX];
	uint8_t actions;
	uint8_t verdict;
	uint8_t oracle; /* the first that objected; ORACLES: it crashed, ORACLES + 1: it hung */
};

struct findings {
	uint64_t schedules;
	uint64_t stops; /* visited with something left to happen */
	uint64_t verdicts[4]; /* schedules by enum verdict */
	uint64_t objections[ORACLES + 3]; /* broken schedules by oracle; crashes; hangs; stuck */
	uint64_t inexact; /* stamps declared so, over all schedules */
	uint64_t extended;
	uint64_t decoded;
	uint64_t stuck; /* schedules in which a writer gave up: it could not finish */
	uint64_t outcomes;
	uint64_t outcomes_hash; /* order-free, of the distinct ones */
	double seconds;
	struct failure first;
	bool interrupted;
	double done; /* 0..1, while it runs */
};

/*
 * All jumps of 1 .. 2 wraps + 1, or those around a wrap where there are too many; of a tick and
 * two for a coarse clock, which has no other way to go on.
 */
void search_jumps(struct search *search, bool coarse);

/*
 * Searches the `part`th of `parts` equal shares, split at the first action of each schedule.
 * `findings` may be in shared memory: it is kept up to date.
 */
void search_run(const struct search *search, unsigned int part, unsigned int parts,
		struct findings *findings);

/*
 * The same in `processes` processes, of which this is none. Negative errno after a line on stderr;
 * -EINTR without one.
 */
int search_parallel(const struct search *search, unsigned int processes,
		    struct findings *findings);

/* Set by a handler of SIGINT: the search ends. */
extern volatile sig_atomic_t search_interrupted;

/* What the n-th thing to do at this stop is; false if there are fewer. `idle`: between events. */
bool search_alternative(const struct search *search, bool idle, unsigned int n,
			struct action *action);

/* Does it. True if a writer was launched. */
bool search_take(const struct search *search, const struct action *action);

/* Between events: starts the next one, on this CPU or another. False: all have ended. */
bool search_next(const struct search *search);

/* Can anything still happen to the uppermost writer? */
bool search_open(void);

#endif
