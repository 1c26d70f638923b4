/* SPDX-License-Identifier: MIT */
/*
 * Timed cells in a process of their own, one after the other: each process has its own layout of
 * memory, and what it costs to load it is not paid for every cell. A cell is a line of JSON, and
 * so is its answer.
 */
#pragma once

#include <signal.h>
#include <stdio.h>
#include <sys/types.h>

#include "runner/timing/cell.h"

#define CELL_PROCESS_OPTION "--cells"

struct cell_process {
	pid_t pid; /* 0: none */
	FILE *to, *from;
	struct sigaction pipe_was;
};

/* Starts this program again. An exit code, after a line on stderr. */
int cell_process_start(struct cell_process *process);

/*
 * Runs a cell there. An exit code; *result is the answer, or NULL. A process that has ended says
 * why, but not after a SIGINT.
 */
int cell_process_run(struct cell_process *process, const struct cell *cell, json_t **result);

/* Lets it end. An exit code. */
int cell_process_end(struct cell_process *process);

/* What such a process does, until there are no more lines. An exit code. */
int cell_process_main(int argc, char **argv);
