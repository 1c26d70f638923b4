/* SPDX-License-Identifier: MIT */
/*
 * Child processes: programs, and copies of this process. None outlives this one. Whatever cannot be
 * started says so in one line on stderr.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A program that is to be run. */
struct child_program {
	const char *const *argv; /* the first by PATH, unless it has a '/'; NULL ends */
	const char *log; /* file that its stdout and stderr are appended to; NULL: they are ours */
	const char *errors; /* the same for stderr alone */
	bool quiet; /* no line if it cannot be started */
	void (*prepare)(void *arg); /* in the child, before the program; may end_now(); or NULL */
	void *arg;
};

/*
 * As fork(), after what is buffered was written. The child gets `death` when its parent ends. -1
 * after a line on stderr.
 */
pid_t child_fork(int death);

/* Starts the program. -1, after a line on stderr, if there is no such program. */
pid_t child_start(const struct child_program *program);

/* Waits for its end: its exit code, or 128 + the signal that ended it. */
int child_wait(pid_t pid);

/* One line: what ended early, and how, by a code as of child_wait(). */
void child_ended_early(const char *what, int code);

/*
 * Runs the program to its end: its exit code as of child_wait(), or -1 after a line on stderr. What
 * it wrote to stdout is in *text, to be freed; NULL: it is ours.
 */
int child_run(const struct child_program *program, char **text);

/* Zeroed memory that this process shares with children forked from now on. NULL: as above. */
void *child_share(size_t bytes);
void child_unshare(void *memory, size_t bytes);
