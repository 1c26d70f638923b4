/* SPDX-License-Identifier: MIT */
/* Rows explored side by side, each in a process of its own, and shown in order. */
#ifndef STAMPEDE_EXPLORE_JOBS_H
#define STAMPEDE_EXPLORE_JOBS_H

#include <stdbool.h>
#include <stdio.h>

struct jobs {
	unsigned int count;
	unsigned int processes;
	const unsigned int *order; /* in which they are started; NULL: as they are shown */
	void *arg;
	/* In the process of one: returns an exit code; what is not to be shown goes to `aside`. */
	int (*run)(void *arg, unsigned int job, FILE *aside);
	/* In this one, in order, with what that job wrote aside. 0, or an exit code. */
	int (*take)(void *arg, unsigned int job, int status, FILE *aside);
};

/* Returns the first code of take() that is not 0, and then ends what still runs. */
int jobs_run(const struct jobs *jobs);

/* Is this the process of one of them? */
bool jobs_beside(void);

#endif
