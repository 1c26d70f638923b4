// SPDX-License-Identifier: MIT
#include "traces/lint.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_EVENTS 8 /* before one of them can be told to be of another unit */

uint64_t lint_distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Room for one more of `count` elements; their number doubles. NULL: no memory. */
static void *grown(void *at, size_t count, size_t bytes)
{
	return count & (count - 1) ? at : reallocarray(at, count ? count * 2 : 1, bytes);
}

uint32_t lint_stream(struct lint *lint, uint64_t key, const char *format, ...)
{
	struct lint_stream *more;
	va_list values;
	uint32_t i;

	if (lint->count && lint->streams[lint->newest].key == key)
		return lint->newest;
	for (i = 0; i < lint->count; i++)
		if (lint->streams[i].key == key)
			return lint->newest = i;
	more = grown(lint->streams, lint->count, sizeof(*more));
	if (more) {
		lint->streams = more;
		more += lint->count;
		*more = (struct lint_stream){ .key = key };
		va_start(values, format);
		if (vasprintf(&more->name, format, values) < 0)
			more->name = NULL;
		va_end(values);
	}
	lint->no_memory |= !more || !more->name;
	return lint->no_memory ? UINT32_MAX : (lint->newest = lint->count++);
}

void lint_keep(struct lint *lint, struct lint_spans *spans, const struct lint_span *span)
{
	struct lint_span *more = grown(spans->at, spans->count, sizeof(*more));

	lint->no_memory |= !more;
	if (!more)
		return;
	spans->at = more;
	more[spans->count++] = *span;
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
		.has_before = stream->any,
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

/* The time after those findings of a stream that wait for it. */
static void fill_after(struct lint *lint, uint32_t stream, int64_t time)
{
	struct lint_finding *finding;
	unsigned int kind, i;

	if (!lint->streams[stream].awaited)
		return;
	lint->streams[stream].awaited = false;
	for (kind = 0; kind < LINT_LISTS; kind++)
		for (i = 0; i < LINT_SHOWN && i < lint->found[kind]; i++) {
			finding = &lint->shown[kind][i];
			if (finding->stream != stream || finding->has_after)
				continue;
			finding->has_after = true;
			finding->after = time;
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
		lint_add(lint, LINT_BACK, event, "%s goes back by %" PRIu64 " %s", what, by,
			 lint->unit);
	lint->long_gaps += !back && is_point && lint->bits && (times || by >> lint->bits);
}

void lint_point(struct lint *lint, const struct lint_event *event, const char *what)
{
	if (event->stream >= lint->count)
		return;
	step(lint, event, what, true);
	note(&lint->streams[event->stream], event->time, true, false);
}

/* Of the spans of a thread that are written as begin and end. True: something is wrong. */
static bool nest(struct lint *lint, const struct lint_event *event)
{
	struct lint_spans *open = &lint->streams[event->stream].open;
	struct lint_span span = { event->stream, event->time, event->time, event->place, false };
	const char *wrong = NULL;
	int64_t than = 0;

	if (event->what == LINT_BEGIN) {
		if (open->count && event->time < (than = open->at[open->count - 1].begin))
			wrong = "begins before its parent";
		lint_keep(lint, open, &span);
	} else if (open->count) {
		span = open->at[--open->count];
		if (event->time < (than = span.begin))
			wrong = "ends before it begins";
		else if (event->time < (than = span.end))
			wrong = "ends before its child";
		span.end = event->time;
		if (!wrong)
			lint_keep(lint, &lint->spans, &span);
		if (open->count && open->at[open->count - 1].end < event->time)
			open->at[open->count - 1].end = event->time;
	}
	if (wrong)
		add_by(lint, LINT_PARENT, event, than, wrong);
	return wrong;
}

static void take(struct lint *lint, const struct lint_event *event)
{
	struct lint_stream *stream = &lint->streams[event->stream];
	const struct lint_span span = { event->stream, event->time, event->end, event->place,
					false };
	bool told = false;

	if (event->time < stream->packet_begin) {
		told = true;
		add_by(lint, LINT_PACKET, event, stream->packet_begin, "begins before its packet");
	}
	if (event->what == LINT_BEGIN || event->what == LINT_END)
		told |= nest(lint, event);
	if (event->what == LINT_SPAN && event->end < event->time)
		add_by(lint, LINT_PARENT, event, event->end, "ends before it begins");
	else if (event->what == LINT_SPAN)
		lint_keep(lint, &lint->spans, &span);
	if (!told)
		step(lint, event, "time", false);
	stream->repeats += event->order == LINT_ORDERED && stream->has_ordered &&
			   stream->ordered_is_event && event->time == stream->ordered;
	if (!stream->packet_any || event->time > stream->packet_last) {
		stream->packet_any = true;
		stream->packet_last = event->time;
		stream->packet_last_place = event->place;
		stream->packet_before = stream->before;
	}
	note(stream, event->time, event->order != LINT_UNORDERED, true);
}

bool lint_far_from_zero(int64_t first, int64_t last)
{
	return first > 0 && last - first < first;
}

/* About 1000 times the time before, or a 1000th? Only the next event can say so. */
static bool is_suspect(const struct lint_stream *stream, int64_t time)
{
	uint64_t near = (uint64_t)(stream->last - stream->first) + (uint64_t)stream->first / 64;

	if (stream->events <= UNIT_EVENTS || !stream->any ||
	    !lint_far_from_zero(stream->first, stream->last))
		return false;
	return (time > stream->last && lint_distance(time / 1000, stream->before) <= near) ||
	       (time < stream->first && lint_distance(time, stream->before / 1000) <= near / 1000);
}

/* The suspect is of another unit if the next time is about that before it. */
void lint_settle(struct lint *lint, uint32_t index, int64_t time)
{
	struct lint_stream *stream = &lint->streams[index];
	const struct lint_event *suspect = &stream->suspect;

	if (!stream->suspected)
		return;
	stream->suspected = false;
	if (lint_distance(time, stream->before) > (uint64_t)stream->first / 4)
		take(lint, suspect);
	else
		lint_add(lint, LINT_UNIT, suspect, "%s its neighbours' times",
			 suspect->time > time ? "about 1000 times" : "about a 1000th of");
}

void lint_event(struct lint *lint, const struct lint_event *event)
{
	struct lint_stream *stream = &lint->streams[event->stream];

	if (event->stream >= lint->count)
		return;
	stream->events++;
	lint_settle(lint, event->stream, event->time);
	fill_after(lint, event->stream, event->time);
	if (event->time > 0 && event->time < event->least)
		add_by(lint, LINT_MAYBE_CLOCK, event, event->least,
		       "before what all streams had reached");
	if (event->time < 0)
		lint_add(lint, LINT_ZERO, event, "negative");
	else if (!event->time && stream->any && event->order == LINT_ORDERED)
		lint_add(lint, LINT_ZERO, event, "zero");
	else if (!event->time)
		lint_add(lint, LINT_MAYBE_ZERO, event, "zero");
	else if (is_suspect(stream, event->time))
		stream->suspected = true, stream->suspect = *event;
	else
		take(lint, event);
}

/* ---- packets ---- */

void lint_packet_begin(struct lint *lint, uint32_t index, uint64_t place, bool has, int64_t time)
{
	const struct lint_event event = { .stream = index, .time = time, .place = place };
	struct lint_stream *stream = &lint->streams[index];

	if (index >= lint->count)
		return;
	lint_settle(lint, index, time);
	stream->packet_any = false;
	stream->packet_begin = time;
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
	struct lint_stream *stream = &lint->streams[index];
	struct lint_event event = { .stream = index, .time = time };

	if (index >= lint->count)
		return;
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
		add_by(lint,
		       ranges(lint, lint_distance(time, event.time)) ? LINT_WRAP : LINT_PACKET,
		       &event, time, "lies behind the end of its packet");
	} else if (has) {
		lint_point(lint, &event, "end of packet");
	}
	stream->packet_begin = 0;
}

void lint_packet_whole(struct lint *lint, uint32_t stream, uint64_t place, int64_t begin,
		       int64_t end)
{
	const struct lint_span span = { stream, begin, end, place, true };

	lint_keep(lint, &lint->spans, &span);
}

void lint_loss(struct lint *lint, uint32_t index, uint64_t place, uint64_t count, const char *wrong)
{
	struct lint_event event = { .stream = index, .place = place };

	if (index >= lint->count)
		return;
	event.time = lint->streams[index].before;
	if (wrong)
		lint_add(lint, LINT_LOSS, &event, "%s: %" PRId64, wrong, (int64_t)count);
	else
		lint->streams[index].lost += count;
}
