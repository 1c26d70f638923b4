/* SPDX-License-Identifier: MIT */
/*
 * Cycles of the core without its counters. An addition that waits for the one before takes one
 * cycle, so that ticks of the clock divided by what a link of such a chain takes are cycles,
 * whichever step the host has put the core's frequency to; another thread on the same core does not
 * change it. A loop around nothing takes one cycle an iteration as well, but about two where
 * another thread has its turns between: what the loop takes beside the chain says whether the core
 * was shared.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/* Times that one reading takes of the clock: ticks of a cycle, and of an iteration of the loop. */
struct cycles_reading {
	double cycle, loop;
};
struct cycles_reading cycles_read(void);

/*
 * Ticks of a cycle by many readings, which it sorts. The clock may count in steps of some dozen
 * ticks, so it is the mean of the lower half; what comes between only makes a reading longer.
 */
double cycles_of(double *cycle, size_t count);

/*
 * That a link is a cycle is shown on each machine and not assumed: by the CPU's counter where it
 * can be read, and by a chain of multiplications, each of which takes a whole number of cycles.
 */
struct cycles_shown {
	double counted; /* cycles of a link; NAN: the counter cannot be read */
	double multiply; /* links that a multiplication takes */
};
struct cycles_shown cycles_show(void);

/* Is a link a cycle, by what was shown? */
bool cycles_are_shown(const struct cycles_shown *shown);
json_t *cycles_json(const struct cycles_shown *shown);
