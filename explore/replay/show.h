/* SPDX-License-Identifier: MIT */
/* A schedule as the user sees it: the command that plays it again, and the timeline. */
#pragma once

#include "explore/replay/replay.h"

/* Where and how to show it. */
struct show {
	FILE *out;
	const char *shape;
	const char *object; /* the row's file, if that is how it was named; or NULL */
	const char *foreign; /* or the shim's folder */
	const char *plots; /* the program that draws */
	const char *draw; /* the picture's file; NULL: none */
	json_t *drawing; /* what it will show: a broken schedule, or the one that went furthest */
	struct failure drawn; /* that one */
};

/* Plays the schedule again and prints it to `out`. False: it does not fit the search. */
bool show_schedule(struct show *show, const struct search *search, const struct action *action,
		   unsigned int actions, enum verdict *verdict);

/* Keeps the schedule for the picture, if none that is better was; it is played again. */
void show_keep(struct show *show, const struct search *search, const struct failure *failure);

/* Has build/plots draw what was kept. An exit code, after a line on stderr. */
int show_draw(struct show *show);

/*
 * The first schedule that failed in a search, with its command. If it does not fail when it is
 * played alone, *error is -EPROTO after a line on stderr: the search is wrong, and not the row.
 */
void show_failure(struct show *show, const struct search *search, const struct failure *failure,
		  int *error);
