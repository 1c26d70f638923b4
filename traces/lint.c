// SPDX-License-Identifier: MIT
#include "traces/lint.h"

#include <inttypes.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

#define UNIT_EVENTS 8 /* before one of them can be told to be of another unit */
#define RANGE_LEAST 1800000000u /* 2^64 ns / 10 GHz */

uint64_t lint_distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

void *lint_grown(void *at, size_t count, size_t bytes)
{
	void *more = count & (count - 1) ? at : reallocarray(at, count ? count * 2 : 1, bytes);

	if (!more)
		end_memory("the times of a trace");
	return more;
}

struct lint_key {
	uint64_t key;
	uint32_t index; /* of its stream */
};

static int by_key(const void *a, const void *b)
{
	const struct lint_key *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

uint32_t lint_stream(struct lint *lint, uint64_t key, const char *format, ...)
{
	struct lint_key asked = { key, lint->count }, *own, *const * found;
	struct lint_stream *more;
	va_list values;

	if (lint->count && lint->streams[lint->newest].key == key)
		return lint->newest;
	found = tfind(&asked, &lint->keys, by_key);
	if (found)
		return lint->newest = (*found)->index;
	lint->streams = lint_grown(lint->streams, lint->count, sizeof(*more));
	more = &lint->streams[lint->count];
	*more = (struct lint_stream){ .key = key };
	va_start(values, format);
	own = vasprintf(&more->name, format, values) < 0 ? NULL : malloc(sizeof(*own));
	va_end(values);
	if (own)
		*own = asked;
	if (!own || !tsearch(own, &lint->keys, by_key))
		end_memory("the streams of a trace");
	return lint->newest = lint->count++;
}

void lint_keep(struct lint_spans *spans, const struct lint_span *span)
{
	spans->at = lint_grown(spans->at, spans->count, sizeof(*span));
	spans->at[spans->count++] = *span;
}

static void keep_span(struct lint_stream *stream, const struct lint_span *span)
{
	lint_keep(&stream->spans, span);
	stream->steps[span->step]++;
}

void lint_damage(struct lint *lint, const char *path, const struct trace_fault *fault)
{
	if (!fault->set)
		return;
	if (fault->offset == TRACE_NOWHERE)
		fail_line("%s: %s", path, fault->text);
	else
		fail_line("%s: offset %" PRIu64 ": %s", path, fault->offset, fault->text);
	if (!lint->fault.set)
		lint->fault = *fault;
}

/* ---- findings ---- */

void lint_add(struct lint *lint, enum lint_kind kind, const struct lint_event *event,
	      const char *format, ...)
{
	struct lint_stream *stream = &lint->streams[event->stream];
	struct lint_finding *finding;
	va_list values;

	stream->awaited = true;
	if (lint->found[kind]++ >= LINT_SHOWN)
		return;
	finding = &lint->shown[kind][lint->found[kind] - 1];
	*finding = (struct lint_finding){
		.stream = event->stream,
		.place = event->place,
		.time = event->time,
		.has_before = stream->any && kind != LINT_LOSS, /* its time is that before it */
		.before = stream->before,
	};
	va_start(values, format);
	vsnprintf(finding->text, sizeof(finding->text), format, values);
	va_end(values);
}

/* What is wrong by as much as the event is away from another time. */
static void add_by(struct lint *lint, enum lint_kind kind, const struct lint_event *event,
		   int64_t than, const char *what)
{
	lint_add(lint, kind, event, "%s, by %" PRIu64 " %s", what, lint_distance(event->time, than),
		 lint->unit);
}

/*
 * Gives the event's time to the findings of its stream that wait for the time after them. An
 * importer reports its own findings of an event before it passes the event on: they go on waiting.
 */
static void fill_after(struct lint *lint, const struct lint_event *event)
{
	struct lint_stream *stream = &lint->streams[event->stream];
	struct lint_finding *finding;
	unsigned int kind, i;

	if (!stream->awaited)
		return;
	stream->awaited = false;
	for (kind = 0; kind < LINT_LISTS; kind++)
		for (i = 0; i < LINT_SHOWN && i < lint->found[kind]; i++) {
			finding = &lint->shown[kind][i];
			if (finding->stream != event->stream || finding->has_after)
				continue;
			if (finding->place == event->place &&
			    (kind == LINT_FORM || ((kind == LINT_UNIT || kind == LINT_PARENT) &&
						   finding->time == event->time))) {
				stream->awaited = true;
				continue;
			}
			finding->has_after = true;
			finding->after = event->time;
		}
}

/* ---- one event after another ---- */

static void note(struct lint_stream *stream, int64_t time, bool is_ordered, bool is_event)
{
	if (!stream->any || time < stream->first)
		stream->first = time;
	if (!stream->any || time > stream->last)
		stream->last = time;
	stream->any = true;
	stream->before = time;
	if (!is_ordered)
		return;
	if (stream->has_ordered && time > stream->ordered &&
	    lint_distance(time, stream->ordered) > stream->gap_most)
		stream->gap_most = lint_distance(time, stream->ordered);
	stream->has_ordered = true;
	stream->ordered = time;
	stream->ordered_is_event = is_event;
}

/* Of how many ranges of the field about is a step? 0: not about a multiple of the range. */
static uint64_t ranges(const struct lint *lint, uint64_t by)
{
	uint64_t range = UINT64_C(1) << lint->bits, near = (range >> LINT_NEAR_BITS) + 1, times;

	if (!lint->bits)
		return 0;
	times = (by + near) / range;
	return by + near - times * range <= 2 * near ? times : 0;
}

/*
 * Frequencies whose 64-bit product of ticks and 10^9 wraps, as a conversion to ns that multiplies
 * first does; and counters of 32 bits of us or ns. What is missing to the range is a gap that the
 * stream has had: so the range can only be named where gaps are short against it.
 */
static bool name_range(const struct lint_stream *stream, uint64_t by, char *name, size_t bytes)
{
	static const uint64_t steps[] = { 100000000, 25000000, 1000000 };
	uint64_t most = by + stream->gap_most * 2, hz;
	unsigned int i;

	name[0] = '\0';
	if (by < RANGE_LEAST || most < by || !stream->gap_most || stream->gap_most > by / 200)
		return false;
	for (i = 0; i < 2; i++) {
		hz = UINT64_C(1) << 32;
		hz *= i ? 1000 : 1;
		if (hz >= by && hz <= most)
			snprintf(name, bytes, "2^32 %s", i ? "us" : "ns");
	}
	for (i = 0; i < sizeof(steps) / sizeof(*steps) && !*name; i++) {
		hz = (uint64_t)(0x1p64 / (double)by) / steps[i] * steps[i];
		if (hz && 0x1p64 / (double)hz <= (double)most)
			snprintf(name, bytes, "2^64 ns / %" PRIu64 " MHz", hz / 1000000);
	}
	return *name;
}

static void add_back(struct lint *lint, const struct lint_event *event, const char *what,
		     uint64_t by)
{
	char range[40];

	if (lint->hz == 1000000000 && !lint->bits &&
	    name_range(&lint->streams[event->stream], by, range, sizeof(range)))
		lint_add(lint, LINT_WRAP, event,
			 "%s goes back by %" PRIu64 " %s, a gap less than %s", what, by, lint->unit,
			 range);
	else
		lint_add(lint, LINT_BACK, event, "%s goes back by %" PRIu64 " %s", what, by,
			 lint->unit);
}

/*
 * Against the ordered time before. `is_point`: a step ahead counts, too, if it is about a multiple
 * of the range. Between events it says nothing: events that are late by a range end after their
 * packet.
 */
static void step(struct lint *lint, const struct lint_event *event, const char *what, bool is_point)
{
	const struct lint_stream *stream = &lint->streams[event->stream];
	uint64_t by = lint_distance(event->time, stream->ordered), times;
	bool back = event->time < stream->ordered;

	if (event->order != LINT_ORDERED || !stream->has_ordered)
		return;
	times = ranges(lint, by);
	if (times && (back || is_point))
		lint_add(lint, back ? LINT_WRAP : LINT_MAYBE_WRAP, event,
			 "%s %s by %" PRIu64 " %s, about %" PRIu64 " * 2^%u", what,
			 back ? "goes back" : "jumps ahead", by, lint->unit, times, lint->bits);
	else if (back && by > lint->back_most)
		add_back(lint, event, what, by);
	lint->long_gaps += !back && is_point && lint->bits && (times || by >> lint->bits);
}

void lint_point(struct lint *lint, const struct lint_event *event, const char *what)
{
	step(lint, event, what, true);
	note(&lint->streams[event->stream], event->time, true, false);
}

/* Of the spans that are open the one that the event ends: the last, or the last of its name. */
static size_t ended_by(const struct lint_spans *open, const struct lint_event *event)
{
	size_t i = open->count;

	while (event->name && i-- > 0)
		if (open->at[i].name == event->name)
			return i;
	return open->count - 1;
}

static const char *end_span(struct lint *lint, const struct lint_event *event, bool sound,
			    int64_t *than)
{
	struct lint_stream *stream = &lint->streams[event->stream];
	struct lint_spans *open = &stream->open;
	size_t at = ended_by(open, event);
	struct lint_span span = open->at[at];
	const char *wrong = NULL;

	memmove(&open->at[at], &open->at[at + 1], (--open->count - at) * sizeof(span));
	if (!sound || span.wrong)
		return NULL;
	if (event->time < (*than = span.begin))
		wrong = "ends before it begins";
	else if (event->time < (*than = span.end))
		wrong = "ends before its child";
	span.end = event->time;
	if (event->step < span.step)
		span.step = event->step;
	if (!wrong)
		keep_span(stream, &span);
	if (at && open->at[at - 1].end < event->time)
		open->at[at - 1].end = event->time;
	return wrong;
}

/*
 * Of the spans of a thread that are written as begin and end. Not `sound`: its time is known to be
 * wrong, and not judged again. True: something is wrong.
 */
static bool nest(struct lint *lint, const struct lint_event *event, bool sound)
{
	struct lint_spans *open = &lint->streams[event->stream].open;
	const struct lint_span span = { event->time, event->time, event->place,
					event->name, event->step, !sound };
	const struct lint_span *parent = open->count ? &open->at[open->count - 1] : NULL;
	const char *wrong = NULL;
	int64_t than = 0;

	if (event->what == LINT_BEGIN) {
		if (parent && sound && !parent->wrong && event->time < (than = parent->begin))
			wrong = "begins before its parent";
		lint_keep(open, &span);
	} else if (open->count) {
		wrong = end_span(lint, event, sound, &than);
	} else {
		lint->not_begun++;
	}
	if (wrong)
		add_by(lint, LINT_PARENT, event, than, wrong);
	return wrong;
}

/* What the event says of spans. True: something is wrong. */
static bool take_span(struct lint *lint, const struct lint_event *event, bool sound)
{
	const struct lint_span span = { event->time, event->end,  event->place,
					event->name, event->step, false };

	if (event->what == LINT_BEGIN || event->what == LINT_END)
		return nest(lint, event, sound);
	if (event->what == LINT_SPAN && event->end < event->time)
		add_by(lint, LINT_PARENT, event, event->end, "ends before it begins");
	else if (event->what == LINT_SPAN)
		keep_span(&lint->streams[event->stream], &span);
	return false;
}

/* Remembers the longest step ahead in the packet. */
static void note_jump(struct lint_stream *stream, const struct lint_event *event)
{
	struct lint_jump *jump = &stream->jump;
	int64_t from = stream->packet_any ? stream->packet_last : stream->packet_begin;

	if (jump->by && !jump->has_after) {
		jump->has_after = true;
		jump->after = event->time;
	}
	if (event->time > from && from > 0 && lint_distance(event->time, from) > jump->by)
		*jump = (struct lint_jump){ lint_distance(event->time, from),
					    event->place,
					    event->time,
					    stream->before,
					    0,
					    false };
}

static void take(struct lint *lint, const struct lint_event *event)
{
	struct lint_stream *stream = &lint->streams[event->stream];
	bool told = false;

	if (event->time < stream->packet_begin) {
		told = true;
		add_by(lint, LINT_PACKET, event, stream->packet_begin, "begins before its packet");
	}
	told |= take_span(lint, event, true);
	if (!told)
		step(lint, event, "time", false);
	stream->repeats += event->order == LINT_ORDERED && stream->has_ordered &&
			   stream->ordered_is_event && event->time == stream->ordered;
	note_jump(stream, event);
	if (!stream->packet_any || event->time > stream->packet_last) {
		stream->packet_any = true;
		stream->packet_last = event->time;
		stream->packet_last_place = event->place;
		stream->packet_before = stream->before;
	}
	note(stream, event->time, event->order != LINT_UNORDERED, true);
}

/* About 1000 times the time before, or a 1000th? Only the next event can say so. */
static bool is_suspect(const struct lint_stream *stream, int64_t time)
{
	uint64_t length = lint_distance(stream->last, stream->first);
	uint64_t near = length + (uint64_t)stream->first / 64;

	/* Farther from zero than from each other: else a 1000th may be right. */
	if (stream->events <= UNIT_EVENTS || !stream->any || stream->first <= 0 ||
	    length >= (uint64_t)stream->first)
		return false;
	return (time > stream->last && lint_distance(time / 1000, stream->before) <= near) ||
	       (time < stream->first && lint_distance(time, stream->before / 1000) <= near / 1000);
}

/* Gives the newest finding its own neighbours, in place of those of the event that settles it. */
static void beside_newest(struct lint *lint, enum lint_kind kind, int64_t before, int64_t after)
{
	struct lint_finding *finding;

	if (lint->found[kind] > LINT_SHOWN)
		return;
	finding = &lint->shown[kind][lint->found[kind] - 1];
	finding->before = before;
	finding->has_after = true;
	finding->after = after;
}

/* Do so many come after a time that is 1000 times those before it that they all are? */
static void count_beyond(struct lint *lint, struct lint_stream *stream, int64_t time)
{
	if (stream->beyond && time < stream->first_beyond.time / 32)
		stream->beyond = 0;
	if (!stream->beyond || ++stream->beyond != UNIT_EVENTS)
		return;
	lint_add(lint, LINT_UNIT, &stream->first_beyond,
		 "from here on about 1000 times the times before");
	beside_newest(lint, LINT_UNIT, stream->before_beyond, stream->after_beyond);
}

/* The suspect is of another unit if the next time is about that before it. */
void lint_settle(struct lint *lint, uint32_t index, int64_t time)
{
	struct lint_stream *stream = &lint->streams[index];
	const struct lint_event *suspect = &stream->suspect;

	if (stream->held)
		take(lint, suspect);
	stream->held = false;
	if (!stream->suspected)
		return;
	stream->suspected = false;
	if (lint_distance(time, stream->before) <= (uint64_t)stream->first / 4) {
		lint_add(lint, LINT_UNIT, suspect, "%s its neighbours' times",
			 suspect->time > time ? "about 1000 times" : "about a 1000th of");
		take_span(lint, suspect, false);
		return;
	}
	if (suspect->time > stream->last) {
		stream->beyond = 1;
		stream->first_beyond = *suspect;
		stream->before_beyond = stream->before;
		stream->after_beyond = time;
	}
	take(lint, suspect);
}

void lint_clockless(struct lint *lint, uint32_t index)
{
	lint->clockless += !lint->streams[index].events++;
}

/*
 * Begin and end of a span that are written together when it ends, as if it were whole: the begin
 * goes back, and the end does not.
 */
static bool pairs(struct lint *lint, struct lint_stream *stream, const struct lint_event *end)
{
	struct lint_event whole = stream->suspect;

	if (!stream->held || end->what != LINT_END || end->name != whole.name ||
	    end->time < stream->ordered)
		return false;
	stream->held = false;
	whole.what = LINT_SPAN;
	whole.order = LINT_UNORDERED;
	whole.end = end->time;
	if (end->step < whole.step)
		whole.step = end->step;
	take(lint, &whole);
	note(stream, end->time, true, true);
	return true;
}

void lint_event(struct lint *lint, const struct lint_event *event)
{
	struct lint_stream *stream = &lint->streams[event->stream];
	bool amid;

	stream->events++;
	if (pairs(lint, stream, event))
		return;
	lint_settle(lint, event->stream, event->time);
	fill_after(lint, event);
	count_beyond(lint, stream, event->time);
	if (event->time > 0 && event->time < event->least)
		add_by(lint, LINT_MAYBE_CLOCK, event, event->least,
		       "before what all streams had reached");
	if (event->time > 0 && is_suspect(stream, event->time)) {
		stream->suspected = true;
		stream->suspect = *event;
		return;
	}
	if (event->time > 0 && event->what == LINT_BEGIN && event->name && stream->has_ordered &&
	    event->time < stream->ordered) {
		stream->held = true;
		stream->suspect = *event;
		return;
	}
	if (event->time > 0) {
		take(lint, event);
		return;
	}
	/* Out of the order; of a span it is an end nevertheless. */
	amid = stream->any && event->order == LINT_ORDERED;
	lint_add(lint, event->time < 0 || amid ? LINT_ZERO : LINT_MAYBE_ZERO, event,
		 event->time < 0 ? "negative" : "zero");
	take_span(lint, event, !amid && (!event->time || event->what == LINT_SPAN));
}

/* ---- packets ---- */

void lint_packet_begin(struct lint *lint, uint32_t index, uint64_t place, bool has, int64_t time)
{
	const struct lint_event event = { .stream = index, .time = time, .place = place };
	struct lint_stream *stream = &lint->streams[index];

	lint_settle(lint, index, time);
	stream->packet_any = false;
	stream->packet_begin = time;
	stream->jump.by = 0;
	if (!has)
		return;
	if (time <= 0) {
		if (stream->any)
			lint_add(lint, LINT_ZERO, &event, "packet begins at zero, or below");
	} else if (stream->had_end && time < stream->end_before) {
		add_by(lint, LINT_OVERLAP, &event, stream->end_before,
		       "packet begins before its predecessor ends");
		note(stream, time, true, false);
	} else if (stream->had_end && time < stream->ordered) {
		note(stream, time, true, false); /* it is the event before that was wrong */
	} else {
		lint_point(lint, &event, "begin of packet");
	}
}

void lint_packet_end(struct lint *lint, uint32_t index, bool has, int64_t time)
{
	struct lint_event event = { .stream = index, .time = time };
	struct lint_stream *stream = &lint->streams[index];
	const struct lint_jump *jump = &stream->jump;
	const int64_t before = stream->before;
	enum lint_kind kind;

	lint_settle(lint, index, time);
	event.place = stream->packet_last_place;
	stream->had_end = has;
	stream->end_before = time;
	if (has && time < stream->packet_begin) {
		add_by(lint, LINT_PACKET, &event, stream->packet_begin,
		       "packet ends before it begins");
	} else if (has && stream->packet_any && stream->packet_last > time) {
		event.time = stream->packet_last;
		stream->before = stream->packet_before;
		kind = ranges(lint, lint_distance(time, event.time)) ? LINT_WRAP : LINT_PACKET;
		/* If one step leads over the end, name the event that it leads to. */
		if (jump->by && jump->has_after && jump->before <= time && jump->time > time) {
			event.time = jump->time;
			event.place = jump->place;
		}
		add_by(lint, kind, &event, time, "lies behind the end of its packet");
		if (event.time != stream->packet_last)
			beside_newest(lint, kind, jump->before, jump->after);
		stream->before = before;
	} else if (has) {
		lint_point(lint, &event, "end of packet");
	}
	stream->packet_begin = 0;
}

void lint_packet_whole(struct lint *lint, uint32_t stream, uint64_t place, int64_t begin,
		       int64_t end)
{
	const struct lint_span span = { begin, end, place, 0, 0, false };

	lint->streams[stream].packets = true;
	keep_span(&lint->streams[stream], &span);
}

void lint_loss(struct lint *lint, uint32_t index, uint64_t place, uint64_t count, const char *wrong)
{
	struct lint_event event = { .stream = index, .place = place };

	if (index >= lint->count && !wrong) { /* no stream is known yet */
		lint->lost += count;
		return;
	}
	if (index >= lint->count)
		event.stream = index = lint_stream(lint, UINT64_MAX, "before all events");
	event.time = lint->streams[index].before;
	if (wrong)
		lint_add(lint, LINT_LOSS, &event, "%s: %" PRId64, wrong, (int64_t)count);
	else
		lint->streams[index].lost += count;
}
