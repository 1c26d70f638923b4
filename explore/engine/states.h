/* SPDX-License-Identifier: MIT */
/*
 * Every schedule within a budget, each state once. What a writer does to the shared memory depends
 * on that memory, the clock and the budget that is left, and not on the writer that it interrupts
 * (guard.h checks that). So all states of a writer at one stop are expanded together, each
 * with the number of ways that lead there; and a writer that is launched in a state where one was
 * launched before has the same ends. Counts are those of search_run(), which runs every schedule;
 * states are compared byte by byte.
 *
 * An example: a writer that loads x, adds 1 and stores it again, with a stop before each, and a
 * budget of two interrupts that add 1 to x. A state is [x, the writer's r | interrupts left], with
 * its ways before it. At each stop states are expanded in the order of what is left: an interrupt
 * leads to a state at the same stop (downwards), and then the writer goes on to the next (to the
 * right), where states that have become equal are one.
 *
 *      stop 1: r = x     stop 2: r = r + 1     stop 3: x = r     ended
 *
 *       1 [0,-|2]  ----->  1 [0,0|2]  ----->  1 [0,1|2]  ----->  1 [1|2]
 *           |                  |                  |
 *           |              1 [1,0|1]  ----->  2 [1,1|1]  ----->  2 [1|1]     2 = 1 + 1 from above
 *           |                  |                  |
 *           |              1 [2,0|0]  ----->  3 [2,1|0]  ----->  3 [1|0]     3 = 1 + 2 from above
 *           |
 *       1 [1,-|1]  ----->  1 [1,1|1]  ----->  1 [1,2|1]  ----->  1 [2|1]
 *           |                  |                  |
 *           |              1 [2,1|0]  ----->  2 [2,2|0]  ----->  2 [2|0]     2 = 1 + 1 from above
 *           |
 *       1 [2,-|0]  ----->  1 [2,2|0]  ----->  1 [2,3|0]  ----->  1 [3|0]
 *
 * Ten schedules end in six states: three of the six with both interrupts lose both. The interrupt
 * itself is followed from [x = 0], [x = 1], each with so many left, once, and not from each arrow.
 */
#pragma once

#include "explore/engine/search.h"

/* One writer at a time: the budget has no others on CPUs of their own. `findings`: search_run() */
void states_run(const struct search *search, struct findings *findings);
