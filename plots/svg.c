// SPDX-License-Identifier: MIT
#include "plots/svg.h"

#include <stdbool.h>
#include <string.h>

#include "plots/text.h"

static bool starts(const char *text, const char *with, size_t *length)
{
	*length = strlen(with);
	return !strncmp(text, with, *length);
}

/* The scripts' colours (style.gp), by the names that the page's style gives them. */
static const struct {
	int red, green, blue;
	const char *name;
} colours[] = {
	{ 0, 0, 0, "ink" },		{ 95, 95, 95, "grey" },
	{ 168, 168, 168, "dots" },	{ 189, 189, 189, "payload" },
	{ 196, 196, 196, "stairs" },	{ 217, 217, 217, "grid" },
	{ 228, 239, 246, "exact" },	{ 0, 114, 178, "blue" },
	{ 213, 94, 0, "vermillion" },	{ 0, 158, 115, "green" },
	{ 204, 121, 167, "purple" },	{ 230, 159, 0, "orange" },
	{ 86, 180, 233, "sky" },	{ 138, 95, 0, "inexact" },
};

/*
 * Writes a colour as a variable of the page, which is another in the dark. Returns the length of
 * what it stands for, 0 if this is no colour that is known.
 */
static size_t put_colour(FILE *out, const char *at)
{
	int red, green, blue, length = 0;
	size_t i;

	if (!strncmp(at, "black", 5)) {
		fputs("var(--plot-ink)", out);
		return 5;
	}
	if (!strncmp(at, "#ffffff", 7)) {
		fputs("var(--paper)", out);
		return 7;
	}
	if (sscanf(at, "rgb(%d,%d,%d)%n", &red, &green, &blue, &length) != 3 || !length)
		return 0;
	for (i = 0; i < sizeof(colours) / sizeof(colours[0]); i++) {
		if (colours[i].red != red || colours[i].green != green || colours[i].blue != blue)
			continue;
		fprintf(out, "var(--plot-%s)", colours[i].name);
		return (size_t)length;
	}
	return 0;
}

void svg_inline(FILE *out, const char *svg, const char *prefix, const char *label)
{
	static const char *const before_id[] = { " id=\"", " id='", "href='#", "href=\"#",
						 "url(#" };
	static const char *const dropped[][2] = { { "<title>", "</title>" },
						  { "<desc>", "</desc>" } };
	const char *at = strstr(svg, "<svg");
	size_t length, i;

	if (!at)
		return;
	fputs("<svg role=\"img\" aria-label=\"", out);
	text_html(out, label);
	fputc('"', out);
	for (at += strlen("<svg"); *at; at += length) {
		const char *end = NULL;

		for (i = 0; i < 2 && !end; i++)
			if (starts(at, dropped[i][0], &length))
				end = strstr(at, dropped[i][1]);
		if (end) {
			length = (size_t)(end - at) + strlen(dropped[i - 1][1]);
			continue;
		}
		for (i = 0; i < 5 && !starts(at, before_id[i], &length); i++)
			;
		if (i == 5)
			length = 1;
		fwrite(at, 1, length, out);
		if (i < 5)
			fputs(prefix, out);
		/* A quote opens an attribute: the labels in between have none (text_label()). */
		else if (*at == '"' || *at == '\'')
			length += put_colour(out, at + 1);
	}
}
