// SPDX-License-Identifier: MIT
#include "plots/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void text_html(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, out);
		}
	}
}

void text_html_lines(FILE *out, const char *text)
{
	size_t length;
	char *line;

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		line = strndup(text, length);
		text_html(out, line ? line : "");
		fputc('\n', out);
		free(line);
	}
}

void text_html_code(FILE *out, const char *text)
{
	fputs("<code>", out);
	text_html(out, text);
	fputs("</code>", out);
}

void text_markdown(FILE *out, const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f) {
			fputc(' ', out);
			continue;
		}
		if (strchr("\\`*_[]<>|&~#!", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

void text_markdown_code(FILE *out, const char *text)
{
	fputc('`', out);
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			fputc(' ', out);
		else if (*text == '`')
			/* Nothing escapes it inside a code span. */
			fputc('\'', out);
		else if (*text == '|')
			fputs("\\|", out);
		else
			fputc(*text, out);
	}
	fputc('`', out);
}

void text_label(char *to, size_t size, const char *text)
{
	static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789 ._-+/(),:=";
	size_t length = 0;

	for (; *text; text++) {
		/* The tail of a character of several bytes. */
		if (((unsigned char)*text & 0xc0) == 0x80)
			continue;
		if (length + 1 == size) {
			memcpy(to + length - 3, "...", 3);
			break;
		}
		to[length++] = strchr(kept, *text) ? *text : '?';
	}
	to[length] = '\0';
}

void text_row_label(char to[TEXT_LABEL_BYTES], const char *row, double bits)
{
	size_t length;

	text_label(to, TEXT_NAME_BYTES, row);
	length = strlen(to);
	if (!isnan(bits))
		snprintf(to + length, TEXT_LABEL_BYTES - length, " (%.0f bits)", fmin(bits, 9999));
}

const char *text_figure(char to[TEXT_FIGURE_BYTES], double value)
{
	/* As printed: 9.999 must become 10.0, not 10.00. */
	if (isnan(value))
		snprintf(to, TEXT_FIGURE_BYTES, "n/a");
	else if (value < 9.995)
		snprintf(to, TEXT_FIGURE_BYTES, "%.2f", value);
	else if (value < 99.95)
		snprintf(to, TEXT_FIGURE_BYTES, "%.1f", value);
	else
		text_count(to, value);
	return to;
}

const char *text_count(char to[TEXT_FIGURE_BYTES], double value)
{
	char digits[TEXT_FIGURE_BYTES];
	size_t length, i, used = 0;

	/* Beyond that doubles have no units left, and the digits would be made up. */
	if (!(fabs(value) < 1e15)) {
		snprintf(to, TEXT_FIGURE_BYTES, isnan(value) ? "n/a" : "%.3g", value);
		return to;
	}
	length = (size_t)snprintf(digits, sizeof(digits), "%.0f", value);
	for (i = 0; i < length; i++) {
		to[used++] = digits[i];
		if ((length - i) % 3 == 1 && i + 1 < length && digits[i] != '-')
			to[used++] = ',';
	}
	to[used] = '\0';
	return to;
}

/* value in the largest unit that leaves something before the point. */
static const char *scaled(char *to, double value, const char *const *units, unsigned int count)
{
	unsigned int unit = 0;

	for (; value >= 999.5 && unit + 1 < count; unit++)
		value /= 1000;
	snprintf(to, TEXT_FIGURE_BYTES, "%.3g%s%s", value, *units[unit] ? " " : "", units[unit]);
	return to;
}

const char *text_short(char to[TEXT_FIGURE_BYTES], double value)
{
	static const char *const units[] = { "", "k", "M", "G", "T" };

	if (isnan(value))
		return text_count(to, value);
	return scaled(to, value, units, 5);
}

const char *text_time(char to[TEXT_FIGURE_BYTES], double ticks, double hz)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };

	if (!(hz > 0) || isnan(ticks)) {
		to[0] = '\0';
		return to;
	}
	return scaled(to, ticks / hz * 1e9, units, 4);
}

const char *text_error(char to[2 * TEXT_FIGURE_BYTES], double ticks, double hz)
{
	char count[TEXT_FIGURE_BYTES], time[TEXT_FIGURE_BYTES];

	if (ticks == 0)
		snprintf(to, 2 * TEXT_FIGURE_BYTES, "exact");
	else if (isnan(ticks) || !(hz > 0))
		snprintf(to, 2 * TEXT_FIGURE_BYTES, "%s%s", text_count(count, ticks),
			 isnan(ticks) ? "" : " ticks");
	else
		snprintf(to, 2 * TEXT_FIGURE_BYTES, "%s ticks (%s)", text_count(count, ticks),
			 text_time(time, ticks, hz));
	return to;
}
