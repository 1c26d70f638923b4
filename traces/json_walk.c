// SPDX-License-Identifier: MIT
#include "traces/json_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MOST 16 /* of a whole part whose thousandths are an int64_t */
#define WHOLE_MOST 9.2e15

const char *json_walk_blank(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t' || *at == ','))
		at++;
	return at;
}

/* Behind the string that begins at `at`; NULL: it does not end. */
static const char *behind_string(const char *at, const char *end)
{
	for (at++; at < end; at++) {
		if (*at == '"')
			return at + 1;
		at += *at == '\\';
	}
	return NULL;
}

/* Behind the object or array that begins at `at`; NULL: it does not end. */
static const char *behind_nest(const char *at, const char *end)
{
	const char open = *at, close = open == '{' ? '}' : ']';
	uint64_t depth = 0;

	/* The other kind of bracket is not counted: one that lacks ends with its object. */
	while (at && at < end) {
		if (*at == '"') {
			at = behind_string(at, end);
			continue;
		}
		depth += *at == open;
		if (*at++ == close && !--depth)
			return at;
	}
	return NULL;
}

bool json_walk_value(const char **at, const char *end, struct json_slice *value)
{
	const char *from = json_walk_blank(*at, end), *to = from;

	if (from == end)
		return false;
	if (*from == '"')
		to = behind_string(from, end);
	else if (*from == '{' || *from == '[')
		to = behind_nest(from, end);
	else
		while (to < end && !strchr(" \n\r\t,:{}[]\"", *to))
			to++;
	if (!to || to == from)
		return false;
	*value = (struct json_slice){ from, to };
	*at = to;
	return true;
}

bool json_walk_member(const char **at, const char *end, struct json_slice *key,
		      struct json_slice *value)
{
	const char *here = json_walk_blank(*at, end), *next = here;

	*at = here;
	if (here < end && *here == '}') {
		*at = here + 1;
		return false;
	}
	if (here == end || *here != '"' || !json_walk_value(&next, end, key))
		return false;
	next = json_walk_blank(next, end);
	if (next == end || *next++ != ':')
		return false;
	if (!json_walk_value(&next, end, value) || !strchr("\"{[-0123456789tfn", *value->at))
		return false;
	*at = next;
	return true;
}

bool json_walk_is(const struct json_slice *string, const char *text)
{
	size_t bytes = strlen(text);

	return (size_t)(string->end - string->at) == bytes + 2 && *string->at == '"' &&
	       !memcmp(string->at + 1, text, bytes);
}

bool json_walk_milli(const struct json_slice *value, int64_t *milli, double *whole)
{
	bool quoted = *value->at == '"';
	const char *at = value->at + quoted, *end = value->end - quoted, *digit = at;
	unsigned int decimals = 0, digits = 0;
	char copy[400], *behind;
	uint64_t exact = 0;

	if (end <= at || end - at >= (long)sizeof(copy) || !strchr("-0123456789", *at) ||
	    memchr(at, 'x', (size_t)(end - at)) || memchr(at, 'X', (size_t)(end - at)))
		return false;
	memcpy(copy, at, (size_t)(end - at));
	copy[end - at] = '\0';
	*whole = strtod(copy, &behind);
	if (behind == copy || *behind || !isfinite(*whole))
		return false;
	/* A double of a date has no nanoseconds: they are taken from the digits. */
	for (digit += *digit == '-'; digit < end && *digit >= '0' && *digit <= '9'; digit++) {
		exact = exact * 10 + (uint64_t)(*digit - '0');
		digits++;
	}
	if (digit < end && *digit == '.')
		for (digit++; digit < end && decimals < 3 && *digit >= '0' && *digit <= '9';
		     digit++)
			exact = exact * 10 + (uint64_t)(*digit - '0'), decimals++;
	for (; decimals < 3; decimals++)
		exact *= 10;
	if (digits > DIGITS_MOST || fabs(*whole) > WHOLE_MOST ||
	    memchr(digit, 'e', (size_t)(end - digit)) ||
	    memchr(digit, 'E', (size_t)(end - digit))) {
		*milli = fabs(*whole) <= WHOLE_MOST ? llround(*whole * 1000) : 0;
		return true;
	}
	exact += digit < end && *digit >= '5' && *digit <= '9';
	*milli = *at == '-' ? -(int64_t)exact : (int64_t)exact;
	return true;
}
