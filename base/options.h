/* SPDX-License-Identifier: MIT */
/* Reading what the user typed: numbers with ranges, names with a nearest guess. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/exit.h"

/* One line: no `kind` of that name (`length` bytes), and the nearest of `names` (NULL-ended). */
void option_unknown(const char *kind, const char *name, size_t length, const char *const *names);

/*
 * A program's options: one table for what is parsed and what --help and --help-all print.
 * getopt_long(3) does the parsing; argp(3) would too, but lays out its own help and says a mistake
 * in two lines.
 */
enum option_kind {
	OPTION_FLAG, /* bool: true if given */
	OPTION_TEXT, /* const char *: what is given; not empty */
	OPTION_OUT, /* the same: a file that can be written, or "-"; EXIT_RESOURCE if it cannot */
	OPTION_NUMBER, /* uint64_t, in [least, most]: option_number() */
	OPTION_REAL, /* double, in [low, high] */
	OPTION_WORD, /* int: which of `words`: option_word() */
	OPTION_TAKEN, /* take() has it; false, after a line on stderr, if it refuses the text */
};

struct option_entry {
	const char *name; /* without dashes; NULL ends the table */
	const char *argument; /* as --help names it; NULL: takes none */
	const char *help; /* lines as they are printed, without their indentation */
	enum option_kind kind;
	void *into;
	uint64_t least, most;
	double low, high;
	const char *const *words;
	bool (*take)(const char *argument, void *into);
	char letter; /* its short form; 0: none */
	bool rare; /* only --help-all shows it */
};

struct option_program {
	const char *usage; /* "usage: bench [options]\n", and lines of what the arguments are */
	const struct option_entry *entries; /* --help, --version come by themselves */
	const char *after; /* exit codes and examples */
	const char *rest; /* what the arguments that are no options are; NULL: there may be none */
};

/*
 * Parses all options. True: go on, optind is at the first of the rest. False: the program is to end
 * with *status; --help was printed, or a line on stderr.
 */
bool options_parse(const struct option_program *program, int argc, char **argv, int *status);

/* Which of `words` (NULL-ended) the text is; -1, and one line naming `option`, if none. */
int option_word(const char *option, const char *text, const char *const *words);

/* Reads "3/7": two plain decimal numbers, the second at most `most`. False if the text is not. */
bool option_pair(const char *text, char between, uint64_t most, uint64_t pair[2]);

/*
 * A whole number in [least, most]; plain decimal, or with suffix k, M (powers of 1000). False, and
 * one line naming `option`, if it is none.
 */
bool option_number(const char *option, const char *text, uint64_t least, uint64_t most,
		   uint64_t *value);

/* A line of --list: a name, and from column 32 on its text, in lines of 80 columns. */
void options_item(FILE *out, const char *name, const char *text);
