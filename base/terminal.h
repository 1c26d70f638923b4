/* SPDX-License-Identifier: MIT */
/* Colour on terminals, unless NO_COLOR (https://no-color.org) is set or TERM is dumb. */
#ifndef STAMPEDE_BASE_TERMINAL_H
#define STAMPEDE_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

enum terminal_colour {
	TERMINAL_PLAIN,
	TERMINAL_GOOD,
	TERMINAL_BAD,
	TERMINAL_DOUBT,
};

/* Prints the text in `colour`, padded with blanks to `width` columns (negative: to the left). */
void terminal_print(FILE *out, enum terminal_colour colour, int width, const char *text);

#endif
