/* SPDX-License-Identifier: MIT */
/* Writes what a schedule recorded as a trace in a format that others read; see export.h. */
#pragma once

#include "explore/engine/search.h"

/*
 * Plays the schedule again and writes what it recorded, what readers took in the middle included,
 * as a trace in `dir`, which must not exist yet; says so on stdout. An exit code, after a line on
 * stderr; nothing is left then.
 */
int replay_export(const char *dir, bool ctf2, const struct search *search,
		  const struct action *action, unsigned int actions);

/*
 * Leaves out those of the `count` rows whose records are in no such format, each with a line on
 * stderr; how many stay.
 */
int replay_export_omit(const struct driver **rows, int count, bool ctf2);
