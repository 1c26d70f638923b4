// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/child.h"
#include "explore/engine/guard.h"
#include "explore/engine/search.h"
#include "explore/engine/states.h"

#define PROCESSES_MAX 64
#define TICK_US 500000
#define PILOT_NESTED 3

volatile sig_atomic_t search_interrupted;

/*
 * Between two shared accesses are several instructions, at each of which an interrupt does the
 * same: their schedules share states; and so do those of a clock that stands still, of two jumps
 * that could be one, of a reader that comes sooner or later, and of a row that puts interrupts off:
 * all that one does then is to leave a mark. A jump before and after an interrupt is often the same
 * to the next one; with more events those would be too many to keep.
 */
static bool has_few_states(const struct search *search)
{
	const struct budget *budget = &search->budget;
	unsigned int jumps = (unsigned int)budget->jumps + budget->backs;

	return search->stops == STOPS_ALL || world_has_sections() || !search->start.step ||
	       jumps > 1 || (jumps && budget->nested > 1 && budget->events <= 2) || budget->reads ||
	       world_row.defers;
}

/* That engine knows one writer at a time, and of the log no more than that one's part. */
static bool can_have_states(const struct search *search)
{
	return world_cpus(&search->budget) == 1 && !world_row.timed;
}

bool search_by_states(const struct search *search)
{
	if (!can_have_states(search) || search->engine == ENGINE_SCHEDULES)
		return false;
	return search->engine == ENGINE_STATES || has_few_states(search);
}

/* A process' share of this search's own. */
static void run_share(const struct search *search, unsigned int process, unsigned int processes,
		      struct findings *findings)
{
	unsigned int parts = search->parts ? search->parts : 1;

	search_run(search, search->part * processes + process, parts * processes, findings);
}

static int start_children(const struct search *search, bool by_states, unsigned int processes,
			  struct findings *parts, pid_t *children)
{
	unsigned int i;

	for (i = 0; i < processes; i++) {
		children[i] = child_fork(SIGKILL);
		if (children[i] < 0)
			return -EAGAIN;
		if (!children[i]) {
			if (by_states || search->stops != STOPS_ALL)
				guard_begin(parts[i].refused, sizeof(parts[i].refused));
			if (by_states)
				states_run(search, &parts[i]);
			else
				run_share(search, i, processes, &parts[i]);
			end_now(EXIT_FINE);
		}
	}
	return 0;
}

static void on_tick(int signal)
{
	(void)signal;
}

/* While it waits, and only then: a signal in the middle of a write would lose output. */
static void ticks(bool on)
{
	struct sigaction action = { .sa_handler = on ? on_tick : SIG_IGN };
	struct itimerval timer = { { 0, on ? TICK_US : 0 }, { 0, on ? TICK_US : 0 } };

	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &timer, NULL))
		END_FAULT("no timer");
}

static void end_all(const pid_t *children, unsigned int processes)
{
	unsigned int i;

	for (i = 0; i < processes; i++)
		if (children[i] > 0)
			kill(children[i], SIGKILL);
}

/* The first of them that refuses the row; NULL: none does. */
static const struct findings *refusing(const struct findings *parts, unsigned int processes)
{
	unsigned int i;

	for (i = 0; i < processes; i++)
		if (parts[i].refused[0])
			return &parts[i];
	return NULL;
}

/* Waits for one of them, and says meanwhile how far all are. */
static int wait_for(const struct search *search, unsigned int child, pid_t *children,
		    unsigned int processes, const struct findings *parts)
{
	double done = 0;
	unsigned int i;
	int status;

	while (waitpid(children[child], &status, 0) < 0 && errno == EINTR) {
		if (search_interrupted)
			end_all(children, processes);
		for (i = 0, done = 0; i < processes; i++)
			done += parts[i].done / processes;
		if (!search_interrupted && search->progress && done < 1)
			search->progress(done);
	}
	children[child] = 0;
	if (search_interrupted)
		return -EINTR;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (refusing(parts, processes)) {
		end_all(children, processes);
		return -ENOTSUP;
	}
	/* It has said so itself. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_RESOURCE)
		return -ENOMEM;
	child_ended_early("a process of the search",
			  WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	return -ECHILD;
}

static int run(const struct search *search, bool by_states, unsigned int processes,
	       struct findings *findings)
{
	pid_t children[PROCESSES_MAX] = { 0 };
	struct findings *parts;
	unsigned int i;
	int error, one;

	parts = child_share(processes * sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	error = start_children(search, by_states, processes, parts, children);
	if (error)
		end_all(children, processes);
	ticks(true);
	*findings = (struct findings){ .schedules = 0 };
	for (i = 0; i < processes; i++) {
		if (children[i] <= 0)
			continue;
		one = wait_for(search, i, children, processes, parts);
		error = error ? error : one;
		findings_add(findings, &parts[i]);
		findings->done += parts[i].done;
	}
	ticks(false);
	if (error == -ENOTSUP)
		fail_line("%s: %s; run --stops all --engine schedules", world_row.row,
			  refusing(parts, processes)->refused);
	findings->done /= processes;
	child_unshare(parts, processes * sizeof(*parts));
	return error;
}

/*
 * Each more interrupt makes the difference larger: a few of them tell. A yes or no, or a negative
 * errno after a line on stderr.
 */
static int pilot_has_few_states(const struct search *search)
{
	struct search pilot = *search;
	struct findings findings;
	int error;

	if (search->budget.nested <= PILOT_NESTED)
		return false;
	pilot.budget.nested = PILOT_NESTED;
	/* Of all parts: one that chose another engine than the rest would share out otherwise. */
	pilot.part = pilot.parts = 0;
	pilot.outcomes = false;
	pilot.progress = NULL;
	error = run(&pilot, true, 1, &findings);
	return error ? error : findings.states < findings.schedules;
}

int search_parallel(const struct search *search, unsigned int processes, struct findings *findings)
{
	int by_states = search_by_states(search), error;

	if (!by_states && search->engine == ENGINE_BY_STOPS && can_have_states(search))
		by_states = pilot_has_few_states(search);
	if (by_states < 0)
		return by_states;
	if (processes > PROCESSES_MAX)
		processes = PROCESSES_MAX;
	if (!processes || search->outcomes || by_states)
		processes = 1;
	error = run(search, by_states, processes, findings);
	if (search->progress)
		search->progress(1);
	return error;
}
