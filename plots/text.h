/* SPDX-License-Identifier: MIT */
/*
 * Numbers and foreign text made fit for a page, a Markdown table or a gnuplot label. Row names and
 * machine names come from a file that anybody may have written.
 */
#ifndef STAMPEDE_PLOTS_TEXT_H
#define STAMPEDE_PLOTS_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Longest name in a plot, '\0' included; longer ones are cut and end in "...". */
#define TEXT_NAME_BYTES 32
/* A name, and " (27 bits)". */
#define TEXT_LABEL_BYTES (TEXT_NAME_BYTES + 16)
#define TEXT_FIGURE_BYTES 48

/* What a sentence is written in; the same sentences go into the page and into Markdown. */
struct markup {
	FILE *out;
	void (*text)(FILE *out, const char *text);
	void (*code)(FILE *out, const char *text); /* a name as it is in the data */
};

/* Markup and quotes escaped; control characters become spaces. For text and for attributes. */
void text_html(FILE *out, const char *text);
void text_html_code(FILE *out, const char *text);
/* Several lines, each as text_html() has it: for <pre>. */
void text_html_lines(FILE *out, const char *text);

/* Stays on its line and inside its table cell. */
void text_markdown(FILE *out, const char *text);
void text_markdown_code(FILE *out, const char *text);

/*
 * Keeps letters, digits, space and ._-+/(),:= and turns any other character into one '?', so that
 * neither gnuplot's strings, its data files nor its formats can take it for their own:
 * "a%s\"b" gives "a?s?b". Cut to size.
 */
void text_label(char *to, size_t size, const char *text);

/* The label of a row, with its width unless that is NAN: "extended_header (27 bits)". */
void text_row_label(char to[TEXT_LABEL_BYTES], const char *row, double bits);

/* Three significant digits or all before the point: 0.07, 1.03, 36.5, 1551; "n/a" for a NaN. */
const char *text_figure(char to[TEXT_FIGURE_BYTES], double value);

/* With separators: 1234567 gives "1,234,567"; "n/a" for a NaN. */
const char *text_count(char to[TEXT_FIGURE_BYTES], double value);

/* 1234567 gives "1.23 M". */
const char *text_short(char to[TEXT_FIGURE_BYTES], double value);

/* A time, from ticks: 134217728 at 2.25e9 gives "59.7 ms"; "" if hz is not known. */
const char *text_time(char to[TEXT_FIGURE_BYTES], double ticks, double hz);

/* An error: "exact", "n/a", or "1,234 ticks (548 ns)". */
const char *text_error(char to[2 * TEXT_FIGURE_BYTES], double ticks, double hz);

#endif
