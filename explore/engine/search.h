/* SPDX-License-Identifier: MIT */
/*
 * Every schedule within a budget, once: at each stop each interrupt that the budget allows is made
 * first, and then none. A copy of the world is kept for each interrupt that the current schedule
 * holds; a schedule at its end is judged, and the newest copy put back. A writer that nothing can
 * interrupt any more continues in the copy of its code that has no stops.
 */
#pragma once

#include <signal.h>

#include "explore/engine/findings.h"

#define SEARCH_UNITS_MAX 300
#define SEARCH_UNITS_PAIRS 40 /* where two jumps come: each may be any */
#define SEARCH_PARTS_MAX 4096
#define SEARCH_JUMPS_MAX (3 * SEARCH_UNITS_MAX + 1)

/* How: both count the same schedules. */
enum search_engine {
	ENGINE_BY_STOPS, /* the one that is quicker, by stops, row and a small search before */
	ENGINE_SCHEDULES, /* every schedule is run (search_run()) */
	ENGINE_STATES, /* the search continues once from every state (states_run()) */
};

/* What is searched. */
struct search {
	struct world_start start;
	struct budget budget;
	enum explore_stops stops;
	unsigned int jumps; /* sizes below */
	uint64_t jump[SEARCH_JUMPS_MAX]; /* and the clock goes back by as many */
	bool outcomes; /* count distinct final states too; one process only */
	enum search_engine engine;
	uint64_t memory; /* bytes that states may take; 0: a quarter of the machine's */
	bool worst; /* count each event's instructions, with stops everywhere */
	bool first_only; /* end at the first broken schedule */
	/* Which of `parts` shares of the schedules, split by their first action; 0 parts: all. */
	uint32_t part, parts;
	unsigned int without_oracle; /* mask of oracles that are not asked */
	/* How much of this search is done, now and then, and 1 at its end; may be NULL. */
	void (*progress)(double done);
};

/*
 * Of a clock that goes forward and back: all jumps of 1 .. 2 wraps + 1, for a row that cuts low
 * bits those that it can tell apart, or those around a wrap where there are too many, and around
 * where a narrow field needs one byte of seven bits more; of a tick and two for a coarse clock,
 * which has no other way to go on.
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
int search_parallel(const struct search *search, unsigned int processes, struct findings *findings);

/*
 * Is each state gone on from once, where the engine is chosen by stops, or named? A search of more
 * interrupts than tell it may do so, too.
 */
bool search_by_states(const struct search *search);

/* Most actions in one schedule of this budget: WORLD_ACTIONS_MAX is the limit. */
unsigned int search_actions(const struct budget *budget);

/* Set by a handler of SIGINT: the search ends. */
extern volatile sig_atomic_t search_interrupted;

/* The world at its start. */
void search_begin(const struct search *search);

/* What the n-th thing to do at this stop is; false if there are fewer. `idle`: between events. */
bool search_alternative(const struct search *search, bool idle, unsigned int n,
			struct action *action);

/* Does it. True if a writer was launched. */
bool search_take(const struct search *search, const struct action *action);

/* Between events: starts the next one, on this CPU or another. False: all have ended. */
bool search_next(const struct search *search);

/* Can anything still happen to the uppermost writer? */
bool search_open(void);
