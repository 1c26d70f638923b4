/* SPDX-License-Identifier: MIT */
/* JSON that a test says in so many words. */
#pragma once

#include "tests/support/test.h"

#include <jansson.h>

/* JSON with ' in place of ". */
static inline json_t *quoted(const char *text)
{
	char *copy = strdup(text), *at;
	json_t *json;

	for (at = copy; (at = strchr(at, '\''));)
		*at = '"';
	json = json_loads(copy, 0, NULL);
	free(copy);
	assert_non_null(json);
	return json;
}

/* `json` is what `text` says, with four digits of each number. Frees it. */
static inline void assert_json(json_t *json, const char *text)
{
	json_t *expected = quoted(text);
	char *is = json_dumps(json, JSON_SORT_KEYS | JSON_REAL_PRECISION(4));
	char *should = json_dumps(expected, JSON_SORT_KEYS | JSON_REAL_PRECISION(4));

	assert_string_equal(is, should);
	free(is);
	free(should);
	json_decref(expected);
	json_decref(json);
}
