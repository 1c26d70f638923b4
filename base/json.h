/* SPDX-License-Identifier: MIT */
/* JSON: what --json FILE of all programs does, and a field as text or number. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/stats.h"

/*
 * Writes a document: whole or not at all, or to stdout if path is "-". 0, or an exit code after a
 * line on stderr.
 */
int json_out(const char *path, const json_t *json);

/*
 * If `path` is "-": from here on all that is printed goes to stderr, and stdout is the document's
 * alone.
 */
void json_own_stdout(const char *path);

/* The text as a string; a byte that is no UTF-8 becomes \xNN, as JSON has no place for it. */
json_t *json_safe(const char *text);

/* The string that `object` has for `key`; "" if it has none. Valid as long as the object. */
const char *json_text(const json_t *object, const char *key);

/* The number that `object` has for `key`; 0 if it has none. */
double json_number(const json_t *object, const char *key);
double json_known(const json_t *object, const char *key); /* NAN if it has none */

/* Numbers, each by its name. */
json_t *json_counts(const uint64_t *of, unsigned int count, const char *(*name)(unsigned int));

/* A number, or null where it is none. */
json_t *json_or_null(double value);

/* key, key_95_low and key_95_high, times `unit`. */
void json_set_interval(json_t *object, const char *key, const struct stats_interval *its,
		       double unit);
