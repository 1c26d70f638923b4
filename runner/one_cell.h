/* SPDX-License-Identifier: MIT */
/* One repetition of one cell as a process: what it is told, in words, and what it does. */
#ifndef STAMPEDE_RUNNER_ONE_CELL_H
#define STAMPEDE_RUNNER_ONE_CELL_H

#include <stdint.h>

#include "cell.h"

#define ONE_CELL_OPTION "--one-cell"
#define ONE_CELL_ARGUMENTS 16
#define ONE_CELL_TEXT_BYTES 8192

/* The command line of one repetition; text lives inside. */
struct one_cell {
	char *argv[ONE_CELL_ARGUMENTS];
	char text[ONE_CELL_TEXT_BYTES];
};

/*
 * Writes "bench --one-cell key=value ..." for the cell, whose driver and place are told by `row`
 * and `topology`. False if it does not fit, which only an absurdly long path can do.
 */
bool one_cell_write(struct one_cell *one, const char *row, const char *topology,
		    const struct cell *cell);

/* What such a process does: prints its result as one line of JSON. An exit code. */
int one_cell_main(int argc, char **argv);

#endif
