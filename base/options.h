/* SPDX-License-Identifier: MIT */
/* Reading what the user typed: numbers with ranges, names with a nearest guess. */
#ifndef STAMPEDE_BASE_OPTIONS_H
#define STAMPEDE_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/exit.h"

/* One line: no `kind` of that name (`length` bytes), and the nearest of `names` (NULL-ended). */
void option_unknown(const char *kind, const char *name, size_t length, const char *const *names);

/* One line: getopt() did not like this argument. Always EXIT_USAGE. For use with opterr = 0. */
int option_refused(const char *argument);

/* Which of `words` (NULL-ended) the text is; -1, and one line naming `option`, if none. */
int option_word(const char *option, const char *text, const char *const *words);

/*
 * A whole number in [least, most]; plain decimal, or with suffix k, M (powers of 1000). False, and
 * one line naming `option`, if it is none.
 */
bool option_number(const char *option, const char *text, uint64_t least, uint64_t most,
		   uint64_t *value);

#endif
