/* SPDX-License-Identifier: MIT */
/* Names, in place of a row's, for the loops that driver.h's run_empty and run_clock time. */
#ifndef STAMPEDE_JUDGE_PSEUDO_ROWS_H
#define STAMPEDE_JUDGE_PSEUDO_ROWS_H

#define CELL_EMPTY "loop" /* the harness's loop around nothing */
#define CELL_CLOCK "clock" /* and around one clock read */

#endif
