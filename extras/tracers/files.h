/* SPDX-License-Identifier: MIT */
/*
 * The two files of an adapter hold lines of words and whole numbers. Times are in units of the
 * tracer's own clock. ENTRY and EXIT are the clock before and after a call, both 0 if it was not
 * read. STREAM and SEQ are any numbers of 64 bits; a SEQ is used once in a stream. `truth` has
 *
 *	event STREAM SEQ ENTRY EXIT
 *	span STREAM SEQ PARENT ENTRY EXIT ENTRY EXIT	of the calls that begin and end it
 *	after STREAM SEQ STREAM SEQ	the second was recorded because of the first
 *
 * where PARENT is a span of the same stream, or - for none. `decoded` has, in the order of the
 * tracer's own reader,
 *
 *	event STREAM SEQ TIME
 *	span STREAM SEQ START END
 *	other STREAM TIME	an event that nothing is known of but its place in the order
 *	lost STREAM COUNT	events that the tracer says it lost; STREAM -: of no one stream
 *	torn STREAM WORDS	text that the reader could not parse
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_PARENT UINT64_MAX

struct window {
	uint64_t entry, exit;
};

struct happened {
	uint64_t stream, seq, parent;
	bool span;
	struct window start, end; /* an event has only `start` */
	uint64_t seen; /* how often it was decoded */
	uint64_t decoded_start, decoded_end; /* when it was decoded first */
};

struct pair {
	uint64_t stream[2], seq[2];
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
	DECODED_OTHER,
	DECODED_LOST,
	DECODED_TORN,
};

struct decoded_line {
	enum decoded_kind kind;
	uint64_t stream, seq, start,
		end; /* DECODED_OTHER has only `start`; DECODED_LOST the count there */
	char words[96]; /* for DECODED_TORN */
};

/* Returns an exit code, after a line on stderr that names file and line; truths_free() frees. */
int truths_read(struct truths *truths, const char *path);
void truths_free(struct truths *truths);

/* NULL if truth has no such event. */
struct happened *truths_find(const struct truths *truths, uint64_t stream, uint64_t seq);

/* Whether truth has an event of this stream. */
bool truths_has(const struct truths *truths, uint64_t stream);

/* Calls take() for each line, in order. Returns an exit code as above. */
int decoded_read(const char *path, void (*take)(const struct decoded_line *decoded, void *arg),
		 void *arg);
