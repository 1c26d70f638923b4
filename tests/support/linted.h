/* SPDX-License-Identifier: MIT */
/* A trace of one stream, `s0`, as the linter sees it, and what it says of it. */
#ifndef STAMPEDE_TESTS_SUPPORT_LINTED_H
#define STAMPEDE_TESTS_SUPPORT_LINTED_H

#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "traces/lint.h"

static struct lint lint;
static char *said;
static size_t said_bytes;

static inline void begin(unsigned int bits)
{
	lint = (struct lint){ .place_name = "event", .unit = "ns", .hz = 1000000000, .bits = bits };
	assert_int_equal(lint_stream(&lint, 7, "s%d", 0), 0);
}

static inline void end(void)
{
	FILE *out;

	free(said);
	out = open_memstream(&said, &said_bytes);
	lint_finish(&lint);
	lint_print(&lint, out, "t");
	fclose(out);
	lint_free(&lint);
}

/* What is printed ends in, or has, these words. */
static inline void finds(const char *words)
{
	end();
	if (!strstr(said, words))
		fail_msg("no '%s' in %s", words, said);
}

static inline void put(int64_t time)
{
	const struct lint_event event = { .time = time, .place = (uint64_t)time };

	lint_event(&lint, &event);
}

static inline void put_as(enum lint_what what, int64_t time, int64_t until)
{
	const struct lint_event event = {
		.what = what, .time = time, .end = until, .place = 1, .order = LINT_UNORDERED
	};

	lint_event(&lint, &event);
}

#endif
