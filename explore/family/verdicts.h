/* SPDX-License-Identifier: MIT */
/* What was searched and found, as a document for the record (results/SCHEMA.md, explored). */
#pragma once

#include "explore/replay/show.h"
#include "explore/family/tiers.h"

/*
 * From now on searches are kept for verdicts_write(), of this command line. 0, or an exit code
 * after a line on stderr.
 */
int verdicts_begin(int argc, char **argv);

/* Does the loaded row promise anything about times in this family? NULL: in a whole tier. */
bool verdicts_owed(const struct family *family);

/*
 * `searches` searches of `family` on the loaded row, and what they found; with the first schedule
 * that was not kept, of search `first`, as a timeline. `object` is the file that was loaded.
 * Nothing without verdicts_begin().
 */
void verdicts_add(const char *object, const struct family *family, int searches,
		  const struct findings *findings, const struct search *first,
		  const struct show *show);

/* A row that its trial broke, before any search. Nothing without verdicts_begin(). */
void verdicts_add_trial(const struct driver *driver, const char *why);

/*
 * Writes them to `path`, "-" is stdout; `status` is what the program ends with. 0, or an exit code
 * after a line on stderr.
 */
int verdicts_write(const char *path, int status);
