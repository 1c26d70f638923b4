/* SPDX-License-Identifier: MIT */
/* For tests of the formats: the readers of all record headers, as functions of one type. */
#pragma once

/* All escapes that there are; tests/judge/test_ids.c has the form without. */
#define CTF_STAMP_EVENT
#include "schemes/format/format_ctf.h"
#include "schemes/format/format_ftrace.h"

/* Payload of events whose header says nothing of it. */
#define FIXED 12u

typedef enum decode_result next_fn(struct cursor *cursor, struct event *event);

static inline enum decode_result ctf_wide_next(struct cursor *cursor, struct event *event)
{
	return ctf_large_next(cursor, 4, event);
}

static inline enum decode_result ctf_full_next(struct cursor *cursor, struct event *event)
{
	return ctf_large_next(cursor, 8, event);
}

/* A reader of `size` bytes, behind a record of `time`. */
static inline struct cursor cursor_over(const uint8_t *bytes, size_t size, uint64_t time,
					unsigned int bits)
{
	return (struct cursor){
		.at = bytes,
		.end = bytes + size,
		.time = time,
		.stamp_bits = bits,
		.fixed_bytes = FIXED,
	};
}
