/* SPDX-License-Identifier: MIT */
/* Tasks side by side in several processes, and their results in order in this one. */
#pragma once

struct parallel {
	unsigned int count; /* of tasks */
	unsigned int processes;
	void *arg;
	/* In one of the processes; leaves its result in memory of child_share(). */
	void (*run)(void *arg, unsigned int task);
	/* In this one, in order of the tasks. Not 0 ends all, and is returned. */
	int (*take)(void *arg, unsigned int task);
	void (*tick)(void); /* in this one, twice a second */
};

/* 0, what take() said, or an exit code after a line on stderr. Ends early if search_interrupted. */
int parallel_run(const struct parallel *beside);
