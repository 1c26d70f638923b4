/* SPDX-License-Identifier: MIT */
/*
 * The two files of an adapter: lines of words and whole numbers, times in units of the tracer's own
 * clock.
 *
 *	truth	event STREAM SEQ ENTRY EXIT		the recording call began and had returned
 *		span STREAM SEQ PARENT ENTRY EXIT ENTRY EXIT	the calls that begin and end it;
 *PARENT is a span of this stream, or - for none after STREAM SEQ STREAM SEQ	the second one was
 *recorded because of the first decoded	event STREAM SEQ TIME		as the tracer's own reader
 *gives it, in its order span STREAM SEQ START END
 *		lost STREAM COUNT		events that the tracer says it lost
 *		torn STREAM WORDS		what its reader could not read
 *
 * ENTRY and EXIT are both 0 where the clock was not read. A SEQ is used once in a stream.
 */
#ifndef STAMPEDE_EXTRAS_TRACERS_FILES_H
#define STAMPEDE_EXTRAS_TRACERS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_PARENT UINT64_MAX

struct window {
	uint64_t entry, exit;
};

struct happened {
	uint32_t stream;
	bool span;
	uint64_t seq, parent;
	struct window start, end; /* an event has the first alone */
	uint64_t seen; /* how often it was decoded */
	uint64_t decoded_start, decoded_end; /* the first time that it was */
};

struct pair {
	uint32_t stream[2];
	uint64_t seq[2];
};

struct truths {
	struct happened *one; /* by stream, then seq */
	size_t count;
	struct pair *after;
	size_t afters;
};

enum decoded_kind {
	DECODED_EVENT,
	DECODED_SPAN,
	DECODED_LOST,
	DECODED_TORN,
};

struct decoded_line {
	enum decoded_kind kind;
	uint32_t stream;
	uint64_t seq, start, end; /* of DECODED_LOST start is the count */
	char words[96]; /* of DECODED_TORN */
};

/* An exit code, after a line on stderr that names file and line. Freed by truths_free(). */
int truths_read(struct truths *truths, const char *path);
void truths_free(struct truths *truths);

/* NULL: nothing of that name happened. */
struct happened *truths_find(const struct truths *truths, uint32_t stream, uint64_t seq);

/* Calls back for each line in order. An exit code as above. */
int decoded_read(const char *path, void (*take)(const struct decoded_line *decoded, void *arg),
		 void *arg);

#endif
