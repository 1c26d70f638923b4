// SPDX-License-Identifier: MIT
#include "base/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 63

/* Levenshtein distance; names are short. */
static unsigned int distance(const char *a, size_t a_bytes, const char *b)
{
	unsigned int row[NAME_MAX_BYTES + 1], diagonal, above, change;
	size_t i, j, b_bytes = strlen(b);

	if (b_bytes > NAME_MAX_BYTES)
		return NAME_MAX_BYTES;
	for (j = 0; j <= b_bytes; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= a_bytes; i++) {
		diagonal = row[0];
		row[0] = (unsigned int)i;
		for (j = 1; j <= b_bytes; j++) {
			above = row[j];
			change = diagonal + (a[i - 1] != b[j - 1]);
			row[j] = above + 1 < row[j - 1] + 1 ? above + 1 : row[j - 1] + 1;
			if (change < row[j])
				row[j] = change;
			diagonal = above;
		}
	}
	return row[b_bytes];
}

void option_unknown(const char *kind, const char *name, size_t length, const char *const *names)
{
	const char *nearest = NULL;
	unsigned int best = NAME_MAX_BYTES, one;

	for (; *names; names++) {
		one = distance(name, length, *names);
		if (!nearest || one < best) {
			best = one;
			nearest = *names;
		}
	}
	fprintf(stderr, "stampede: no %s is called '%.*s'", kind, (int)length, name);
	if (nearest)
		fprintf(stderr, "; the nearest is '%s' (--list shows all)", nearest);
	fputc('\n', stderr);
}

int option_refused(const char *argument)
{
	fprintf(stderr, "stampede: '%s' is not an option, or lacks its value (--help shows them)\n",
		argument);
	return EXIT_USAGE;
}

int option_word(const char *option, const char *text, const char *const *words)
{
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	fprintf(stderr, "stampede: %s %s: not one of", option, text);
	for (i = 0; words[i]; i++)
		fprintf(stderr, "%s %s", i ? "," : "", words[i]);
	fputc('\n', stderr);
	return -1;
}

bool option_number(const char *option, const char *text, uint64_t least, uint64_t most,
		   uint64_t *value)
{
	unsigned long long number = 0, scale = 1;
	char *end = NULL;

	errno = 0;
	if (text && isdigit((unsigned char)*text))
		number = strtoull(text, &end, 10);
	if (end && (*end == 'k' || *end == 'M'))
		scale = *end++ == 'k' ? 1000 : 1000000;
	if (!end || *end || errno || number > UINT64_MAX / scale || number * scale < least ||
	    number * scale > most) {
		fprintf(stderr, "stampede: %s takes a whole number from %llu to %llu, not '%s'\n",
			option, (unsigned long long)least, (unsigned long long)most,
			text ? text : "");
		return false;
	}
	*value = number * scale;
	return true;
}
