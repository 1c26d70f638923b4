/* SPDX-License-Identifier: MIT */
/*
 * Finds wrong times in a trace of any format. An importer gives events, packets and losses in the
 * order of the file; lint_finish() then compares the streams. docs/formats.md has the kinds.
 */
#ifndef STAMPEDE_TRACES_LINT_H
#define STAMPEDE_TRACES_LINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum lint_kind {
	LINT_BACK, /* earlier than its predecessor in the stream */
	LINT_PACKET, /* outside the begin and end of its packet */
	LINT_PARENT, /* a span ends before it begins, or before its child ends */
	LINT_OVERLAP, /* spans of a thread, or packets of a stream, overlap and do not nest */
	LINT_WRAP, /* a step that is about a multiple of the field's range */
	LINT_LOSS, /* counts of losses that do not add up */
	LINT_CLOCK, /* a stream lies far from all others */
	LINT_ZERO, /* zero, where the trace is far from zero; or negative */
	LINT_UNIT, /* 1000 times its neighbours' times, or a 1000th */
	LINT_KINDS,
	/* what only the whole trace makes a LINT_CLOCK, LINT_WRAP or LINT_ZERO */
	LINT_MAYBE_CLOCK = LINT_KINDS,
	LINT_MAYBE_WRAP,
	LINT_MAYBE_ZERO,
	LINT_LISTS
};

/* A step this near a multiple of the range, 1/2^14 of it, may be off by whole ranges. */
#define LINT_NEAR_BITS 14
#define LINT_SHOWN 10 /* findings of a kind that are kept and printed; more are counted */

struct lint_finding {
	uint32_t stream;
	uint64_t place; /* lint.place_name says what it counts */
	bool has_before, has_after;
	int64_t time, before, after; /* of the event and its neighbours in the stream */
	char text[112]; /* what is wrong, with the amount */
};

enum lint_what { LINT_INSTANT, LINT_BEGIN, LINT_END, LINT_SPAN };

enum lint_order {
	LINT_ORDERED, /* not before the event of the stream that was ordered last */
	LINT_ANEW, /* the first of its packet, and packets come in any order */
	LINT_UNORDERED, /* the format lets it be anywhere */
};

struct lint_event {
	uint32_t stream;
	enum lint_what what;
	int64_t time;
	int64_t end; /* of a LINT_SPAN */
	uint64_t place;
	enum lint_order order;
	int64_t least; /* what no stream of the trace may be below any more; 0: it may */
};

struct lint_span {
	uint32_t stream;
	int64_t begin, end; /* of a span that is open: the end of its latest child */
	uint64_t place;
	bool packet; /* may not even nest */
};

struct lint_spans {
	struct lint_span *at;
	size_t count;
};

struct lint_stream {
	char *name; /* as a finding's line begins */
	uint64_t key; /* by which the importer finds it again */
	uint64_t events, repeats, lost;
	bool any; /* the times below are set */
	int64_t first, last; /* the least and the greatest */
	int64_t before;
	bool has_ordered; /* the time of the newest ordered event, or packet's begin or end */
	bool ordered_is_event;
	int64_t ordered;
	bool packet_any, had_end;
	int64_t packet_begin, packet_before, packet_last, end_before;
	uint64_t packet_last_place;
	struct lint_spans open; /* begun, and not yet ended */
	bool awaited; /* a finding waits for the time after it */
	bool suspected; /* the newest event may be of another unit */
	struct lint_event suspect;
};

struct lint {
	const char *place_name; /* "offset" or "event" */
	const char *unit; /* "ns" or "ticks" */
	uint64_t hz; /* units per second */
	unsigned int bits; /* of the narrowest field of time; 0: none is narrow */
	int64_t tolerance; /* between spans: the resolution of the format's times */
	uint64_t back_most; /* how far a stream may go back: a record interrupted by the next */
	struct lint_stream *streams;
	uint32_t count, newest; /* newest: the stream that was asked for last */
	struct lint_spans spans;
	struct lint_finding shown[LINT_LISTS][LINT_SHOWN];
	uint64_t found[LINT_LISTS];
	uint64_t long_gaps;
	bool no_memory;
};

/* The stream that has `key`, made if there is none; its name is printed from the format. */
uint32_t lint_stream(struct lint *lint, uint64_t key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void lint_event(struct lint *lint, const struct lint_event *event);

/* A packet of the stream begins or ends; without a time (`has`) if the format gives none. */
void lint_packet_begin(struct lint *lint, uint32_t stream, uint64_t place, bool has, int64_t time);
void lint_packet_end(struct lint *lint, uint32_t stream, bool has, int64_t time);

/* A time that is no event: the step to it shows times that are wrong by whole ranges. */
void lint_point(struct lint *lint, const struct lint_event *event, const char *what);

/* A packet whose place in the file says nothing of its time; may not overlap others. */
void lint_packet_whole(struct lint *lint, uint32_t stream, uint64_t place, int64_t begin,
		       int64_t end);

/* A loss of `count`, in words if it cannot be right; NULL if it can. */
void lint_loss(struct lint *lint, uint32_t stream, uint64_t place, uint64_t count,
	       const char *wrong);

/* What a format knows to be wrong by itself. */
void lint_add(struct lint *lint, enum lint_kind kind, const struct lint_event *event,
	      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* For lint_finish(), which is in a file of its own: */
uint64_t lint_distance(int64_t a, int64_t b);
void lint_keep(struct lint *lint, struct lint_spans *spans, const struct lint_span *span);

/* Are all times nearer to each other than to zero? Else zero, or a 1000th, may be right. */
bool lint_far_from_zero(int64_t first, int64_t last);

/* The time after an event that may be of another unit says whether it is; 0: none comes. */
void lint_settle(struct lint *lint, uint32_t index, int64_t time);

/* After the last event. */
void lint_finish(struct lint *lint);

/* The same findings for --json; extras/ci/verdicts.py reads them. */
json_t *lint_json(const struct lint *lint, const char *path, bool damaged);

/* The findings, a line each, and a line of summary for `path`. True if there are findings. */
bool lint_print(const struct lint *lint, FILE *out, const char *path, bool damaged);

void lint_free(struct lint *lint);

#endif
