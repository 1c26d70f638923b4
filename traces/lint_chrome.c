// SPDX-License-Identifier: MIT
/*
 * Chrome's JSON (Trace Event Format): an array of events, or an object with one in `traceEvents`.
 * Times are microseconds. Only B and E have to come in the order of time, by thread. It is read
 * event by event: a trace of gigabytes takes the memory of its spans.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/lint_formats.h"

#define US_MOST 9.2e15 /* in ns it still is an int64_t */
#define TEXT_BYTES 32
#define FNV_FIRST UINT64_C(0xcbf29ce484222325)

struct json_slice {
	const char *at, *end; /* of a string: with its quotes */
};

enum chrome_field {
	CHROME_PH,
	CHROME_TS,
	CHROME_DUR,
	CHROME_PID,
	CHROME_TID,
	CHROME_CAT,
	CHROME_NAME,
	CHROME_ID,
	CHROME_SCOPE,
	CHROME_ID2,
	CHROME_FIELDS
};

/* The parts of an event; empty where it has none. */
struct chrome_event {
	struct json_slice of[CHROME_FIELDS];
	const char *wrong; /* it ends there, as what follows is no JSON */
};

/* A begin, step or end of an asynchronous span, or of a flow. */
struct chrome_link {
	uint64_t key; /* what they have in common */
	int64_t time;
	uint64_t place : 40;
	uint64_t ph : 8;
	uint32_t stream;
};

struct chrome_reading {
	struct lint *lint;
	struct trace_file *file;
	struct trace_fault *fault;
	struct chrome_link *links;
	size_t count;
	bool any; /* event with a `ph` */
};

/*
 * ---- JSON ----
 *
 * Value by value, without a tree: it takes what is common in what others write (a comma too many,
 * bytes that are no UTF-8, numbers of any size), and what is wrong in one value need not spoil the
 * next.
 */

/* The next byte that is neither blank nor comma; `end` if there is none. */
static const char *json_blank(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t' || *at == ','))
		at++;
	return at;
}

/* Behind the string that begins at `at`; NULL: it does not end. */
static const char *behind_string(const char *at, const char *end)
{
	for (at++; at < end; at++) {
		if (*at == '"')
			return at + 1;
		at += *at == '\\';
	}
	return NULL;
}

/* Behind the object or array that begins at `at`; NULL: it does not end. */
static const char *behind_nest(const char *at, const char *end)
{
	const char open = *at, close = open == '{' ? '}' : ']';
	uint64_t depth = 0;

	/* The other kind of bracket is not counted: one that lacks ends with its object. */
	while (at && at < end) {
		if (*at == '"') {
			at = behind_string(at, end);
			continue;
		}
		depth += *at == open;
		if (*at++ == close && !--depth)
			return at;
	}
	return NULL;
}

/* The next value at or behind `*at`: a slice; `*at` is behind it then. False: there is none. */
static bool json_value(const char **at, const char *end, struct json_slice *value)
{
	const char *from = json_blank(*at, end), *to = from;

	if (from == end)
		return false;
	if (*from == '"')
		to = behind_string(from, end);
	else if (*from == '{' || *from == '[')
		to = behind_nest(from, end);
	else
		while (to < end && !strchr(" \n\r\t,:{}[]\"", *to))
			to++;
	if (!to || to == from)
		return false;
	*value = (struct json_slice){ from, to };
	*at = to;
	return true;
}

/* Reads a member's name and colon, and moves *at after them. False: one of them is missing. */
static bool json_key(const char **at, const char *end, struct json_slice *key)
{
	*at = json_blank(*at, end);
	if (*at == end || **at != '"' || !json_value(at, end, key))
		return false;
	*at = json_blank(*at, end);
	if (*at == end || **at != ':')
		return false;
	++*at;
	return true;
}

/*
 * The next member of an object whose `{` lies before `*at`. False: its end, and *at is behind that;
 * or something that is no member, and *at is there.
 */
static bool json_member(const char **at, const char *end, struct json_slice *key,
			struct json_slice *value)
{
	const char *next = *at = json_blank(*at, end);

	if (*at < end && **at == '}') {
		++*at;
		return false;
	}
	if (!json_key(&next, end, key) || !json_value(&next, end, value) ||
	    !strchr("\"{[-0123456789tfn", *value->at))
		return false;
	*at = next;
	return true;
}

/* Is the string `text`, which has no escapes? */
static bool json_is(const struct json_slice *string, const char *text)
{
	size_t bytes = strlen(text);

	return (size_t)(string->end - string->at) == bytes + 2 && *string->at == '"' &&
	       !memcmp(string->at + 1, text, bytes);
}

/*
 * A number, also one in quotes, as thousandths, rounded; and as it is. Of a date that a double has
 * without its nanoseconds, a long double has them. False: it is no number.
 */
static bool json_milli(const struct json_slice *value, int64_t *milli, double *whole)
{
	bool quoted = *value->at == '"';
	const char *at = value->at + quoted, *end = value->end - quoted;
	char copy[400], *behind;
	long double exact;

	if (end <= at || end - at >= (long)sizeof(copy) || !strchr("-0123456789", *at) ||
	    memchr(at, 'x', (size_t)(end - at)) || memchr(at, 'X', (size_t)(end - at)))
		return false;
	memcpy(copy, at, (size_t)(end - at));
	copy[end - at] = '\0';
	exact = strtold(copy, &behind);
	*whole = (double)exact;
	*milli = fabs(*whole) <= US_MOST ? llroundl(exact * 1000) : 0;
	return behind != copy && !*behind && isfinite(*whole);
}

/* ---- one event ---- */

static void read_event(const struct json_slice *text, struct chrome_event *event)
{
	static const char names[CHROME_FIELDS][8] = { "ph",  "ts",   "dur", "pid",   "tid",
						      "cat", "name", "id",  "scope", "id2" };
	const char *at = text->at + 1;
	struct json_slice key, value;
	unsigned int i;

	while (json_member(&at, text->end, &key, &value))
		for (i = 0; i < CHROME_FIELDS; i++)
			if (json_is(&key, names[i]))
				event->of[i] = value;
	event->wrong = at == text->end ? NULL : at;
}

static uint64_t hash(uint64_t key, const struct json_slice *part)
{
	const char *at;

	for (at = part->at; at < part->end; at++)
		key = (key ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
	return (key ^ 0xff) * UINT64_C(0x100000001b3);
}

/* So much of a text, for people: what is not of ASCII becomes `?`; `-` if there is none. */
static const char *text_of(const struct json_slice *text, char room[TEXT_BYTES])
{
	const char *at = text->at, *end = text->end;
	char *to = room;

	if (at < end && *at == '"' && end[-1] == '"')
		at++, end--;
	for (; at < end && to < room + TEXT_BYTES - 1; at++)
		*to++ = *at >= ' ' && *at <= '~' ? *at : '?';
	*to = '\0';
	return *room ? room : "-";
}

static uint32_t stream_of(struct chrome_reading *chrome, const struct chrome_event *one)
{
	const struct json_slice *pid = &one->of[CHROME_PID], *tid = &one->of[CHROME_TID];
	char pid_room[TEXT_BYTES], tid_room[TEXT_BYTES];

	return lint_stream(chrome->lint, hash(hash(FNV_FIRST, pid), tid), "%s: pid %s tid %s",
			   chrome->file->path, text_of(pid, pid_room), text_of(tid, tid_room));
}

/* Nanoseconds of a time in us; `*far` if it cannot be in us, and is taken for ns. */
static int64_t time_of(int64_t milli, double us, bool *far)
{
	*far = fabs(us) > US_MOST;
	if (!*far)
		return milli;
	/* What was negative, in 64 bits. */
	if (us >= 0x1p63 && us <= 0x1p64) {
		*far = false;
		return us - 0x1p64 > -US_MOST ? llround((us - 0x1p64) * 1000) - 1 : INT64_MIN / 2;
	}
	return fabs(us) < US_MOST * 1000 ? (int64_t)us : us < 0 ? INT64_MIN / 2 : INT64_MAX / 2;
}

static unsigned int step_of(int64_t milli)
{
	return milli % 1000 ? milli % 100 ? milli % 10 ? 0 : 1 : 2 : 3;
}

/* The end of an X, if it has one that can be right. */
static void take_duration(struct chrome_reading *chrome, const struct chrome_event *one,
			  struct lint_event *event, bool far)
{
	const struct json_slice *dur = &one->of[CHROME_DUR];
	int64_t milli = 0;
	double us = 0;

	if (dur->at && !json_milli(dur, &milli, &us)) {
		lint_add(chrome->lint, LINT_FORM, event, "an X without a number `dur`");
		return;
	}
	/* Of a counter of 64 bits of ns, or us, that went back. */
	if (us > US_MOST) {
		lint_add(chrome->lint, LINT_PARENT, event,
			 "lasts %.0f us, %.0f years: ends before it begins, in 64 bits?", us,
			 us / 31556952e6);
		return;
	}
	event->what = LINT_SPAN;
	if (__builtin_add_overflow(event->time, far ? (int64_t)us : milli, &event->end))
		event->end = milli < 0 ? INT64_MIN : INT64_MAX;
	if (step_of(milli) < event->step)
		event->step = step_of(milli);
}

static void keep_link(struct chrome_reading *chrome, const struct chrome_event *one, char ph,
		      const struct lint_event *event)
{
	struct json_slice local = { NULL, NULL }, global = { NULL, NULL }, key, value;
	const char *at = one->of[CHROME_ID2].at;
	uint64_t common = strchr("stf", ph) ? 1 : strchr("be", ph) ? 2 : 3;

	chrome->links = lint_grown(chrome->links, chrome->count, sizeof(*chrome->links));
	if (at && *at++ == '{')
		while (json_member(&at, one->of[CHROME_ID2].end, &key, &value))
			*(json_is(&key, "local") ? &local : &global) = value;
	common = hash(FNV_FIRST ^ common, &one->of[CHROME_CAT]);
	common = hash(common, &one->of[CHROME_NAME]);
	common = hash(common, &one->of[CHROME_SCOPE]);
	if (local.at)
		common = hash(hash(common, &local), &one->of[CHROME_PID]);
	else
		common = hash(common, global.at ? &global : &one->of[CHROME_ID]);
	chrome->links[chrome->count++] = (struct chrome_link){
		.key = common,
		.time = event->time,
		.place = event->place,
		.ph = (uint8_t)ph,
		.stream = event->stream,
	};
}

/* What it is, and when. False: nothing is to be said of it, or was said. */
static bool take_time(struct chrome_reading *chrome, const struct chrome_event *one, char ph,
		      struct lint_event *event)
{
	struct lint_stream *stream = &chrome->lint->streams[event->stream];
	int64_t milli;
	double us;
	bool far;

	if (!one->of[CHROME_TS].at || !json_milli(&one->of[CHROME_TS], &milli, &us)) {
		lint_add(chrome->lint, LINT_FORM, event, "event of kind %c without a number `ts`",
			 ph > ' ' && ph <= '~' ? ph : '?');
		return false;
	}
	event->time = time_of(milli, us, &far);
	event->step = step_of(milli);
	event->name =
		1 | (uint32_t)(hash(FNV_FIRST, &one->of[CHROME_NAME]) >> (64 - LINT_NAME_BITS));
	if (!one->of[CHROME_NAME].at)
		event->name = 0;
	if (fabs(us) <= US_MOST)
		stream->blur =
			fmax(stream->blur, 1 + 3e3 * (nextafter(fabs(us), INFINITY) - fabs(us)));
	if (ph == 'B' || ph == 'E') {
		event->what = ph == 'B' ? LINT_BEGIN : LINT_END;
		event->order = LINT_ORDERED;
	}
	if (far)
		lint_add(chrome->lint, LINT_UNIT, event, "%.0f us are %.0f years: is it ns?", us,
			 us / 31556952e6);
	if (ph == 'X')
		take_duration(chrome, one, event, far);
	return true;
}

static void take(struct chrome_reading *chrome, const struct json_slice *text, size_t index)
{
	struct lint_event event = { .place = index, .order = LINT_UNORDERED };
	struct chrome_event one = { .wrong = text->at };
	const struct json_slice *phase = &one.of[CHROME_PH];
	char room[TEXT_BYTES], ph = '\0';

	if (*text->at == '{')
		read_event(text, &one);
	if (phase->end - phase->at == 3 && *phase->at == '"')
		ph = phase->at[1];
	chrome->any |= ph;
	if (!one.wrong && (ph == 'M' || text->end - text->at == 2))
		return;
	event.stream = stream_of(chrome, &one);
	if (one.wrong)
		lint_add(chrome->lint, LINT_FORM, &event, "no JSON of an event: %s",
			 text_of(&(struct json_slice){ one.wrong, text->end }, room));
	else if (!ph)
		lint_add(chrome->lint, LINT_FORM, &event, "no `ph` of a letter");
	else if (take_time(chrome, &one, ph, &event)) {
		if (strchr("besftSF", ph))
			keep_link(chrome, &one, ph, &event);
		lint_event(chrome->lint, &event);
	}
}

/* ---- asynchronous spans and flows ---- */

static bool begins(const struct chrome_link *link)
{
	return strchr("bSs", (char)link->ph);
}

/* In the order of time, begins first: a file has them in any order. */
static int by_time(const void *a, const void *b)
{
	const struct chrome_link *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (begins(x) != begins(y))
		return begins(x) ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static void add_link(struct lint *lint, const struct chrome_link *link, int64_t begin)
{
	const struct lint_event event = { .stream = link->stream,
					  .time = link->time,
					  .place = link->place };

	lint->streams[link->stream].before = begin;
	lint_add(lint, LINT_PARENT, &event, "%s before it begins, by %" PRIu64 " ns",
		 strchr("tf", (char)link->ph) ? "a flow goes on" : "an asynchronous span ends",
		 lint_distance(begin, link->time));
}

/* By how much times of their streams may be off. */
static uint64_t blur_of(const struct lint *lint, const struct chrome_link *link)
{
	int64_t blur = lint->streams[link->stream].blur;

	return !(link->time % 1000) && blur < 1000 ? 1000 : (uint64_t)blur;
}

/*
 * Spans of one identifier. An end before any begin is of a span that had begun before the trace
 * did, and a begin after all ends of one that goes on: but not if the begin comes first in the
 * file, and by the same thread if there is more of that identifier.
 */
static void match_spans(struct lint *lint, const struct chrome_link *link, size_t count)
{
	const struct chrome_link *stray = NULL, *begin = NULL;
	size_t open = 0, strays = 0, all = 0, i;

	for (i = 0; i < count; i++) {
		if (!begins(&link[i])) {
			if (open)
				open--;
			else if (!strays++)
				stray = &link[i];
			continue;
		}
		all++;
		if (stray && strays == 1 &&
		    lint_distance(link[i].time, stray->time) <= blur_of(lint, stray)) {
			strays = 0;
			stray = NULL;
			continue;
		}
		if (stray && !begin)
			begin = &link[i];
		open++;
	}
	if (open && begin && begin->place < stray->place &&
	    (all == 1 || begin->stream == stray->stream))
		add_link(lint, stray, begin->time);
	lint->not_ended += open;
	lint->not_begun += strays;
}

/* A flow's identifier may be used again, so that what is before its begin may be of another. */
static void match_flow(struct lint *lint, const struct chrome_link *link, size_t count)
{
	bool ends_before = false, ends_after = false;
	size_t first, i;

	for (first = 0; first < count && !begins(&link[first]); first++)
		ends_before |= link[first].ph == 'f';
	if (first == count)
		return;
	for (i = first; i < count; i++)
		ends_after |= link[i].ph == 'f';
	for (i = 0; i < first && !(ends_before && ends_after); i++)
		if (lint_distance(link[first].time, link[i].time) > blur_of(lint, &link[i]))
			add_link(lint, &link[i], link[first].time);
}

static void match(struct chrome_reading *chrome)
{
	size_t from, to;

	if (chrome->count)
		qsort(chrome->links, chrome->count, sizeof(*chrome->links), by_time);
	for (from = 0; from < chrome->count; from = to) {
		for (to = from; to < chrome->count; to++)
			if (chrome->links[to].key != chrome->links[from].key)
				break;
		if (strchr("stf", (char)chrome->links[from].ph))
			match_flow(chrome->lint, &chrome->links[from], to - from);
		else
			match_spans(chrome->lint, &chrome->links[from], to - from);
	}
}

/* ---- the file ---- */

/* The array of events, whose `[` lies before `at`. Its writer may have been killed. */
static void read_events(struct chrome_reading *chrome, const char *at, const char *end, bool bare)
{
	const char *text = (const char *)chrome->file->bytes;
	struct json_slice one;
	size_t index = 0;

	for (;; index++) {
		at = json_blank(at, end);
		if (at < end && *at == ']')
			return;
		if (at == end && bare)
			return;
		if (at == end || !json_value(&at, end, &one)) {
			if (!bare || (at < end && *at != '{'))
				trace_fault(chrome->fault, (uint64_t)(at - text),
					    "no JSON: it ends within event %zu, or is damaged",
					    index);
			else
				chrome->lint->cut = true;
			return;
		}
		if (one.end - one.at != 4 || memcmp(one.at, "null", 4) != 0)
			take(chrome, &one, index);
		trace_file_release(chrome->file, (uint64_t)(at - text));
	}
}

/* The members before `traceEvents`. */
static const char *find_events(struct chrome_reading *chrome, const char *at, const char *end)
{
	const char *text = (const char *)chrome->file->bytes;
	struct json_slice key = { NULL, NULL }, value;
	bool event = false;

	while (json_key(&at, end, &key)) {
		at = json_blank(at, end);
		if (at < end && *at == '[' && json_is(&key, "traceEvents"))
			return at + 1;
		event |= json_is(&key, "ph");
		if (!json_value(&at, end, &value))
			break;
	}
	if (at == end || *at != '}')
		trace_fault(chrome->fault, (uint64_t)(at - text), "no JSON");
	else if (event)
		trace_fault(chrome->fault, 0,
			    "an object for each event (JSON Lines), and no array of them: jq -s .");
	else
		trace_fault(chrome->fault, 0,
			    "JSON without an array of events, or one in `traceEvents`");
	return NULL;
}

void lint_chrome(struct lint *lint, struct trace_file *file, struct trace_fault *fault)
{
	struct chrome_reading chrome = { .lint = lint, .file = file, .fault = fault };
	const char *at = (const char *)file->bytes, *end = at + file->size;
	bool bare;

	lint->place_name = "event";
	lint->bits = 0;
	if (file->size >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
		at += 3;
	at = json_blank(at, end);
	bare = at < end && *at == '[';
	if (!bare && (at == end || *at != '{'))
		at = NULL;
	if (!at)
		trace_fault(fault, 0, "no JSON");
	else
		at = bare ? at + 1 : find_events(&chrome, at + 1, end);
	if (at)
		read_events(&chrome, at, end, bare);
	if (lint->found[LINT_FORM] && !chrome.any) {
		lint->found[LINT_FORM] = 0;
		trace_fault(fault, TRACE_NOWHERE, "JSON, but no event in it has a `ph`");
	}
	match(&chrome);
	free(chrome.links);
}
