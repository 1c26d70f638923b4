/* SPDX-License-Identifier: MIT */
/*
 * A JSON text value by value, without a tree of it: for texts of any length that others wrote, so
 * it takes what is common in these (a comma too many, bytes that are no UTF-8, numbers of any
 * size), and what is wrong in one value need not spoil the next.
 */
#ifndef STAMPEDE_TRACES_JSON_WALK_H
#define STAMPEDE_TRACES_JSON_WALK_H

#include <stdbool.h>
#include <stdint.h>

struct json_slice {
	const char *at, *end; /* of a string: with its quotes */
};

/* The next value at or behind `*at`: a slice; `*at` is behind it then. False: there is none. */
bool json_walk_value(const char **at, const char *end, struct json_slice *value);

/*
 * The next member of an object whose `{` lies before `*at`. False: its end, and *at is behind that;
 * or something that is no member, and *at is there.
 */
bool json_walk_member(const char **at, const char *end, struct json_slice *key,
		      struct json_slice *value);

/* The next byte that is neither blank nor comma; `end` if there is none. */
const char *json_walk_blank(const char *at, const char *end);

/* Is the string `text`, which has no escapes? */
bool json_walk_is(const struct json_slice *string, const char *text);

/* A number, also one in quotes, as thousandths, rounded; and as it is. False: it is no number. */
bool json_walk_milli(const struct json_slice *value, int64_t *milli, double *whole);

#endif
