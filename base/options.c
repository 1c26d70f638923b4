// SPDX-License-Identifier: MIT
#include "base/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

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
	if (nearest)
		fail_line("no %s is called '%.*s'; the nearest is '%s' (--list shows all)", kind,
			  (int)length, name, nearest);
	else
		fail_line("no %s is called '%.*s'", kind, (int)length, name);
}

int option_refused(const char *argument)
{
	return fail_with(EXIT_USAGE, "'%s' is not an option, or lacks its value (--help shows them)",
		argument);
}

int option_word(const char *option, const char *text, const char *const *words)
{
	char all[1024];
	size_t length = 0;
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	all[0] = '\0';
	for (i = 0; words[i] && length < sizeof(all); i++)
		length += (size_t)snprintf(all + length, sizeof(all) - length, "%s %s", i ? "," : "",
					   words[i]);
	fail_line("%s %s: not one of%s", option, text, all);
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
		fail_line("%s takes a whole number from %llu to %llu, not '%s'",
			option, (unsigned long long)least, (unsigned long long)most,
			text ? text : "");
		return false;
	}
	*value = number * scale;
	return true;
}
