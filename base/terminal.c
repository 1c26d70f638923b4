// SPDX-License-Identifier: MIT
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_colour(FILE *out)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && !(none && *none) && term && strcmp(term, "dumb") != 0;
}

void terminal_print(FILE *out, enum terminal_colour colour, int width, const char *text)
{
	static const char *const codes[] = { "", "\033[32m", "\033[1;31m", "\033[33m" };
	bool coloured = colour != TERMINAL_PLAIN && has_colour(out);

	fprintf(out, "%s%*s%s", coloured ? codes[colour] : "", width, text,
		coloured ? "\033[0m" : "");
}
