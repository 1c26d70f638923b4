/* SPDX-License-Identifier: MIT */
/*
 * Finds wrong times in a trace of any format. An importer gives events, packets and losses in the
 * order of the file; lint_finish() then compares the streams. docs/formats.md has the kinds.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "traces/trace_file.h"

/* X(KIND, name): what may be wrong. */
#define LINT_KINDS_OF(X) \
	X(BACK, back) /* earlier than its predecessor in the stream */ \
	X(PACKET, packet) /* outside the begin and end of its packet */ \
	X(PARENT, parent) /* a span ends before it begins, or before its child ends */ \
	X(OVERLAP, overlap) /* spans of a thread, or packets, overlap and do not nest */ \
	X(WRAP, wrap) /* a step that is about a multiple of the field's range */ \
	X(LOSS, loss) /* counts of losses that do not add up */ \
	X(CLOCK, clock) /* a stream lies far from all others */ \
	X(ZERO, zero) /* zero, where the trace is far from zero; or negative */ \
	X(UNIT, unit) /* 1000 times its neighbours' times, or a 1000th */ \
	X(RATE, rate) /* two streams of which one's clock is quicker by a factor */ \
	X(FORM, form) /* an event without a time that can be read */

enum lint_kind {
#define X(kind, name) LINT_##kind,
	LINT_KINDS_OF(X) LINT_KINDS,
#undef X
	/* what only the whole trace makes a LINT_CLOCK, LINT_WRAP or LINT_ZERO */
	LINT_MAYBE_CLOCK = LINT_KINDS,
	LINT_MAYBE_WRAP,
	LINT_MAYBE_ZERO,
	LINT_LISTS
};

/* A step this near a multiple of the range, 1/2^14 of it, may be off by whole ranges. */
#define LINT_NEAR_BITS 14
#define LINT_SHOWN 10 /* findings of a kind that are kept and printed; more are counted */
#define LINT_STEPS 4 /* resolutions of a span's times: 1, 10, 100 and 1000 ns */
#define LINT_NAME_BITS 21 /* of a hash of a span's name */

struct lint_finding {
	uint32_t stream;
	uint64_t place; /* lint.place_name says what it counts */
	bool has_before, has_after;
	int64_t time, before, after; /* of the event and its neighbours in the stream */
	char text[160]; /* what is wrong, with the amount */
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
	uint32_t name; /* hash of a span's name; 0: it has none */
	unsigned int step; /* of the times of a LINT_SPAN: 10^step ns */
};

struct lint_span {
	int64_t begin, end; /* of a span that is open: the end of its latest child */
	uint64_t place : 40;
	uint64_t name : LINT_NAME_BITS;
	uint64_t step : 2;
	uint64_t wrong : 1; /* its begin was said to be */
};

struct lint_spans {
	struct lint_span *at;
	size_t count;
};

struct lint_stream {
	char *name; /* as a finding's line begins */
	uint64_t key; /* by which the importer finds it again */
	uint64_t events, repeats, lost;
	uint64_t owed; /* losses that the stream will count again, since its count went back */
	bool any; /* the times below are set */
	int64_t first, last; /* the least and the greatest */
	int64_t before;
	bool has_ordered; /* the time of the newest ordered event, or packet's begin or end */
	bool ordered_is_event;
	int64_t ordered;
	bool packet_any, had_end;
	int64_t packet_begin, packet_before, packet_last, end_before;
	uint64_t packet_last_place;
	/* The event that the packet's longest step ahead leads to, and its neighbours. */
	struct lint_jump {
		uint64_t by, place;
		int64_t time, before, after;
		bool has_after;
	} jump;
	struct lint_spans spans; /* whole ones; or packets, which may not even nest */
	bool packets;
	uint64_t steps[LINT_STEPS]; /* how many spans have that resolution */
	int64_t blur; /* what is lost of its times where they are a double */
	struct lint_spans open; /* begun, and not yet ended */
	uint64_t gap_most; /* between ordered times */
	unsigned int beyond; /* events since one that is 1000 times those before it */
	struct lint_event first_beyond;
	int64_t before_beyond, after_beyond;
	bool awaited; /* a finding waits for the time after it */
	bool suspected; /* the newest event may be of another unit */
	bool held; /* it goes back, and may be the begin of a span that is written whole */
	struct lint_event suspect;
};

struct lint {
	const char *place_name; /* "offset" or "event" */
	const char *unit; /* "ns" or "ticks" */
	uint64_t hz; /* units per second */
	unsigned int bits; /* of the narrowest field of time; 0: none is narrow */
	uint64_t back_most; /* how far a stream may go back: a record interrupted by the next */
	struct lint_stream *streams;
	uint32_t count, newest; /* newest: the stream that was asked for last */
	void *keys; /* of streams: a tree of tsearch() */
	struct lint_finding shown[LINT_LISTS][LINT_SHOWN];
	uint64_t found[LINT_LISTS];
	uint64_t long_gaps;
	uint64_t clockless; /* streams without a clock */
	uint64_t lost; /* events, before any stream had one */
	uint64_t uncounted; /* places where events were lost that nothing counts */
	uint64_t uncounted_found; /* of these, the findings */
	uint64_t not_ended, not_begun, twice; /* spans */
	bool cut; /* within its last event, by a format that needs no end */
	struct trace_fault fault; /* the first that ended the reading of a file */
	char skipped[80]; /* why there may be no events: ": " and words */
	bool stopped; /* a library, in the midst of the trace */
};

/* The stream that has `key`, made if there is none; its name is printed from the format. */
uint32_t lint_stream(struct lint *lint, uint64_t key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void lint_event(struct lint *lint, const struct lint_event *event);

/* An event of a stream that has no clock. */
void lint_clockless(struct lint *lint, uint32_t stream);

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
void lint_keep(struct lint_spans *spans, const struct lint_span *span);

/* Room for one more of `count` elements; their number doubles. Without memory the program ends. */
void *lint_grown(void *at, size_t count, size_t bytes);

/* The time after an event that may be of another unit says whether it is; 0: none comes. */
void lint_settle(struct lint *lint, uint32_t index, int64_t time);

/* After the last event. */
void lint_finish(struct lint *lint);

/* If the fault is set: a line on stderr, and what the summary and --json say of it. */
void lint_damage(struct lint *lint, const char *path, const struct trace_fault *fault);

/* Of all streams; and all findings. */
struct lint_sums {
	uint64_t events, lost, repeats, found;
};
struct lint_sums lint_sums(const struct lint *lint);

/* The same findings for --json; extras/ci/verdicts.py reads them. */
json_t *lint_json(const struct lint *lint, const char *path);

/* The findings, a line each, and a line of summary for `path`. True if there are findings. */
bool lint_print(const struct lint *lint, FILE *out, const char *path);

/* One line: how many events the trace itself counts as lost. True if there are any. */
bool lint_print_loss(const struct lint *lint, FILE *out, const char *path);

void lint_free(struct lint *lint);
