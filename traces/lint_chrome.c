// SPDX-License-Identifier: MIT
/*
 * Chrome's JSON (Trace Event Format): an array of events, or an object with one in `traceEvents`.
 * Times are microseconds. Only B and E have to come in the order of time, by thread.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "traces/lint_formats.h"

#define US_MOST 9e15 /* in ns it still is an int64_t */

struct chrome_reading {
	struct lint *lint;
	const struct trace_file *file;
	struct trace_fault *fault;
	json_t *open; /* arrays of begins, by what they have in common with their ends */
};

/* The whole text. The format lets an array lack its end, as its writer may have been killed. */
static json_t *parse(const struct trace_file *file, struct trace_fault *fault)
{
	json_error_t error;
	json_t *json = json_loadb((const char *)file->bytes, file->size, JSON_ALLOW_NUL, &error);
	size_t bytes = file->size;
	char *text;

	if (json)
		return json;
	text = malloc(bytes + 1);
	if (text) {
		memcpy(text, file->bytes, bytes);
		while (bytes && strchr(" \t\r\n,", text[bytes - 1]))
			bytes--;
		text[bytes] = ']';
		json = json_loadb(text, bytes + 1, JSON_ALLOW_NUL, NULL);
		free(text);
	}
	if (!json)
		trace_fault(fault, error.position > 0 ? (uint64_t)error.position : 0, "no JSON: %s",
			    error.text);
	return json;
}

/* A number or string as text; "" if it is neither. */
static const char *label(const json_t *json, char *room, size_t bytes)
{
	if (json_is_string(json))
		return json_string_value(json);
	if (!json_is_integer(json))
		return "";
	snprintf(room, bytes, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
	return room;
}

static uint32_t stream_of(struct chrome_reading *chrome, const json_t *one)
{
	char pid_room[24], tid_room[24];
	const char *pid = label(json_object_get(one, "pid"), pid_room, sizeof(pid_room)), *at;
	const char *tid = label(json_object_get(one, "tid"), tid_room, sizeof(tid_room));
	uint64_t key = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (at = pid; *at; at++)
		key = (key ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
	key *= UINT64_C(0x100000001b3);
	for (at = tid; *at; at++)
		key = (key ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
	return lint_stream(chrome->lint, key, "%s: pid %s tid %s", chrome->file->path, pid, tid);
}

/* Nanoseconds of a time in us; `*far` if it cannot be in us, and is taken for ns. */
static int64_t time_of(double us, bool *far)
{
	*far = fabs(us) > US_MOST;
	if (*far)
		return fabs(us) < US_MOST * 1000 ? (int64_t)us : INT64_MAX / 2;
	return llround(us * 1000);
}

/* Asynchronous spans and flows: their ends have the category, identifier and name of the begin. */
static void match(struct chrome_reading *chrome, const json_t *one, char ph,
		  const struct lint_event *event)
{
	bool begins = strchr("bSs", ph), flow = strchr("stf", ph);
	const json_t *local = json_object_get(json_object_get(one, "id2"), "local");
	const json_t *global = json_object_get(json_object_get(one, "id2"), "global");
	const json_t *id = json_object_get(one, "id");
	char id_room[24], pid_room[24], key[512];
	json_t *begun;
	int64_t begin;
	size_t count;

	id = local ? local : global ? global : id;
	snprintf(key, sizeof(key), "%d %s %s %s %s",
		 flow			? 1 :
		 ph == 'b' || ph == 'e' ? 2 :
					  3,
		 json_text(one, "cat"), label(id, id_room, sizeof(id_room)), json_text(one, "name"),
		 local ? label(json_object_get(one, "pid"), pid_room, sizeof(pid_room)) : "");
	begun = json_object_get(chrome->open, key);
	if (begins && !begun) {
		begun = json_array();
		json_object_set_new(chrome->open, key, begun);
	}
	if (begins) {
		json_array_append_new(begun, json_integer(event->time));
		return;
	}
	count = json_array_size(begun);
	if (!count)
		return;
	begin = json_integer_value(json_array_get(begun, count - 1));
	if (event->time + chrome->lint->tolerance < begin)
		lint_add(chrome->lint, LINT_PARENT, event, "%s before it begins, by %" PRId64 " ns",
			 flow ? "a flow goes on" : "an asynchronous span ends",
			 begin - event->time);
	if (ph == 't')
		json_array_set_new(begun, count - 1, json_integer(event->time));
	else
		json_array_remove(begun, count - 1);
}

static void take(struct chrome_reading *chrome, const json_t *one, size_t index)
{
	const json_t *ts = json_object_get(one, "ts"), *dur = json_object_get(one, "dur");
	const char *phase = json_text(one, "ph");
	char ph = phase[0];
	struct lint_event event = { .place = index, .order = LINT_UNORDERED };
	bool far, far_end;

	if (!ph || ph == 'M' || phase[1]) {
		if (!ph || phase[1])
			trace_fault(chrome->fault, index, "event without a `ph` of a letter");
		return;
	}
	if (!json_is_number(ts) || (ph == 'X' && dur && !json_is_number(dur))) {
		trace_fault(chrome->fault, index,
			    "event of kind %c without a number `ts`, or `dur`", ph);
		return;
	}
	event.time = time_of(json_number_value(ts), &far);
	if (ph == 'B' || ph == 'E') {
		event.what = ph == 'B' ? LINT_BEGIN : LINT_END;
		event.order = LINT_ORDERED;
	} else if (ph == 'X') {
		event.what = LINT_SPAN;
		event.end = time_of(json_number_value(ts) + json_number_value(dur), &far_end);
		if (far)
			event.end = event.time + (int64_t)json_number_value(dur);
	}
	event.stream = stream_of(chrome, one);
	if (chrome->lint->no_memory)
		return;
	if (far)
		lint_add(chrome->lint, LINT_UNIT, &event, "%.0f us are %.0f years: is it ns?",
			 json_number_value(ts), json_number_value(ts) / 31556952e6);
	if (strchr("besftSF", ph))
		match(chrome, one, ph, &event);
	lint_event(chrome->lint, &event);
}

/* Times in whole us may be of spans that were cut at both ends; others are as exact as a double. */
static int64_t resolution(const json_t *events)
{
	const json_t *one;
	double most = 0, us;
	bool whole = true;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)events, i, one) {
		us = json_number_value(json_object_get(one, "ts"));
		if (fabs(us) > most && fabs(us) <= US_MOST)
			most = fabs(us);
		whole &= us == floor(us) &&
			 json_number_value(json_object_get(one, "dur")) ==
				 floor(json_number_value(json_object_get(one, "dur")));
	}
	return whole ? 1000 : 1 + (int64_t)(3e3 * (nextafter(most, INFINITY) - most));
}

void lint_chrome(struct lint *lint, const struct trace_file *file, struct trace_fault *fault)
{
	struct chrome_reading chrome = { lint, file, fault, json_object() };
	json_t *json = parse(file, fault);
	const json_t *events = json_is_array(json) ? json : json_object_get(json, "traceEvents");
	size_t i;

	lint->place_name = "event";
	lint->bits = 0;
	if (json && !json_is_array(events))
		trace_fault(fault, 0, "JSON without an array of events, or one in `traceEvents`");
	else if (json)
		lint->tolerance = resolution(events);
	for (i = 0; i < json_array_size(events) && !fault->set && !lint->no_memory; i++)
		take(&chrome, json_array_get(events, i), i);
	json_decref(chrome.open);
	json_decref(json);
}
