// SPDX-License-Identifier: MIT
/*
 * build/kernel-verdict CAPTURE: was a wrong time recorded? Decodes both buffers with our reader and
 * with libtraceevent's kbuffer, judges them (judge.h), prints the events around the first wrong
 * time, and writes all of it as JSON.
 */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/capture.h"

enum { SHOWN = 0, NOT_SHOWN = 1, NO_VERDICT = 2 };

/* What the debugger read when the reserve returned; not asked for the verdict. */
struct witness {
	bool there;
	uint64_t ts_ns, delta_ns;
	uint32_t header;
};

static struct capture capture;
static struct judgement judgement;

static const char *const stamp_names[] = { "page begin", "delta", "extend", "absolute" };

static void describe(const struct capture *from, const struct traced *event, char *text,
		     size_t bytes)
{
	unsigned long long n;
	uint64_t before;
	int32_t irq;

	if (event->payload_bytes < 12) {
		snprintf(text, bytes, "event %u", event->type);
		return;
	}
	memcpy(&irq, event->payload + from->irq_offset, sizeof(irq));
	if (capture_marker(from, event, &n, &before))
		snprintf(text, bytes, "marker %llu, written after %" PRIu64, n, before);
	else if (event->type == from->ids.entry)
		snprintf(text, bytes, "entry of interrupt %d", irq);
	else if (event->type == from->ids.exit)
		snprintf(text, bytes, "exit of interrupt %d", irq);
	else
		snprintf(text, bytes, "event %u", event->type);
}

static json_t *event_json(const char *buffer, const struct traced *event, bool wrong)
{
	char text[120];

	describe(&capture, event, text, sizeof(text));
	return json_pack("{s:s, s:I, s:s, s:I, s:I, s:i, s:i, s:s, s:b}", "buffer", buffer,
			 "time_ns", (json_int_t)event->time_ns, "stamp", stamp_names[event->stamp],
			 "delta_ns", (json_int_t)event->delta_ns, "header",
			 (json_int_t)event->header, "page", event->page, "offset", event->offset,
			 "what", text, "wrong", wrong);
}

static bool by_task(const struct traced *event)
{
	return !judge_in_hardirq(event);
}

/* The event to look at: the wrong one, else a task's event behind the last nested interrupt. */
static int centre(void)
{
	const struct decoded *a = &capture.decoded_a;
	unsigned int i;

	if (judgement.first.kind)
		return (int)judgement.first.event;
	for (i = a->count; i-- > 1;)
		if (by_task(&a->event[i]) && !by_task(&a->event[i - 1]) &&
		    a->event[i - 1].stamp != STAMP_DELTA)
			return (int)i;
	return -1;
}

/* A's events around the centre, then B's from the first of them to the last. */
static json_t *timeline(int middle)
{
	const struct decoded *a = &capture.decoded_a, *b = &capture.decoded_b;
	json_t *events = json_array();
	uint64_t from, to;
	unsigned int i, first, last;

	if (middle < 0)
		return events;
	first = middle < 3 ? 0 : (unsigned int)middle - 3;
	last = (unsigned int)middle + 2 < a->count ? (unsigned int)middle + 2 : a->count - 1;
	for (i = first; i <= last; i++)
		json_array_append_new(
			events, event_json("A", &a->event[i],
					   judgement.first.kind && i == judgement.first.event));
	from = a->event[first].time_ns;
	to = a->event[last].time_ns;
	for (i = 0; i < b->count; i++)
		if (b->event[i].time_ns >= from && b->event[i].time_ns <= to)
			json_array_append_new(events, event_json("B", &b->event[i], false));
	return events;
}

static const char *const wrong_names[] = { "none", "inside an interrupt", "backwards" };

static json_t *wrong_json(void)
{
	const struct wrong *wrong = &judgement.first;
	const struct traced *event = &capture.decoded_a.event[wrong->event];
	bool one = wrong->wraps_low == wrong->wraps_high && wrong->wraps_low;
	uint64_t fits = event->time_ns + ((uint64_t)wrong->wraps_low << JUDGE_FIELD_BITS);
	unsigned long long n = 0;
	uint64_t before = 0;
	json_t *json = json_pack("{s:s, s:I, s:I, s:i, s:i}", "kind", wrong_names[wrong->kind],
				 "decoded_ns", (json_int_t)event->time_ns, "delta_ns",
				 (json_int_t)event->delta_ns, "wraps_low", wrong->wraps_low,
				 "wraps_high", wrong->wraps_high);

	if (wrong->kind == WRONG_IN_INTERRUPT) {
		const struct interrupt *in = &judgement.interrupt[wrong->interrupt];

		json_object_set_new(json, "interrupt",
				    json_pack("{s:i, s:I, s:I}", "number", in->number, "entry_ns",
					      (json_int_t)in->entry_ns, "exit_ns",
					      (json_int_t)in->exit_ns));
	}
	json_object_set_new(json, "fits_ns", one ? json_integer((json_int_t)fits) : json_null());
	if (capture_marker(&capture, event, &n, &before)) {
		json_object_set_new(json, "written_after_ns", json_integer((json_int_t)before));
		json_object_set_new(json, "kernel_text_ns",
				    json_integer((json_int_t)capture_text_time(&capture, n)));
	}
	return json;
}

/*
 * Whether the debugger read what the buffer and the judgement say: the header and the short delta
 * in it, and the stamp itself as the time that was decoded or, after lost wraps, as the one that
 * fits.
 */
static bool agrees(const struct witness *witness, const struct traced *event)
{
	uint64_t mask = (UINT64_C(1) << JUDGE_FIELD_BITS) - 1, time = event->time_ns;
	const struct wrong *wrong = &judgement.first;

	if (witness->header != event->header || (witness->delta_ns & mask) != event->delta_ns)
		return false;
	if (wrong->kind == WRONG_BACKWARDS || !event->delta_ns)
		return true;
	if (wrong->kind == WRONG_IN_INTERRUPT && wrong->wraps_low <= wrong->wraps_high)
		time += (uint64_t)wrong->wraps_low << JUDGE_FIELD_BITS;
	return wrong->wraps_low != wrong->wraps_high || time == witness->ts_ns;
}

static json_t *verdict_json(const struct witness *witness, unsigned int differences)
{
	int middle = centre();
	json_t *json = json_pack("{s:b, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o}",
				 "wrong_time", judgement.first.kind != WRONG_NOT, "release",
				 capture.release, "version", capture.version, "clock",
				 capture.clock, "events_a", capture.decoded_a.count, "events_b",
				 capture.decoded_b.count, "reader_differences", differences,
				 "wrong_in_interrupt", judgement.in_interrupt, "backwards",
				 judgement.backwards, "nested_absolute", judgement.nested,
				 "zero_deltas", judgement.zero, "timeline", timeline(middle));

	if (judgement.first.kind)
		json_object_set_new(json, "wrong", wrong_json());
	if (middle >= 0)
		json_object_set_new(json, "event",
				    event_json("A", &capture.decoded_a.event[middle],
					       judgement.first.kind != WRONG_NOT));
	if (witness->there && middle >= 0)
		json_object_set_new(json, "witness",
				    json_pack("{s:b, s:I, s:I, s:I}", "agrees",
					      agrees(witness, &capture.decoded_a.event[middle]),
					      "info_ts_ns", (json_int_t)witness->ts_ns,
					      "info_delta_ns", (json_int_t)witness->delta_ns,
					      "header", (json_int_t)witness->header));
	return json;
}

static void print_timeline(const json_t *json)
{
	const json_t *event;
	size_t i;

	json_array_foreach(json_object_get(json, "timeline"), i, event)
		printf("  %s %15" JSON_INTEGER_FORMAT "  %-10s %12" JSON_INTEGER_FORMAT "  %s%s\n",
		       json_string_value(json_object_get(event, "buffer")),
		       json_integer_value(json_object_get(event, "time_ns")),
		       json_string_value(json_object_get(event, "stamp")),
		       json_integer_value(json_object_get(event, "delta_ns")),
		       json_string_value(json_object_get(event, "what")),
		       json_is_true(json_object_get(event, "wrong")) ? "   <-- wrong" : "");
}

static int usage(FILE *out, int status)
{
	fputs("usage: kernel-verdict [--json FILE] [--witness TS,DELTA,HEADER] CAPTURE\n"
	      "Exit code: 0 a wrong time is in the buffer, 1 none, 2 no verdict.\n",
	      out);
	return status;
}

static int parse_witness(const char *text, struct witness *witness)
{
	char end;

	witness->there = sscanf(text, "%" SCNu64 ",%" SCNu64 ",%" SCNu32 "%c", &witness->ts_ns,
				&witness->delta_ns, &witness->header, &end) == 3;
	if (!witness->there)
		fprintf(stderr, "stampede: --witness takes TS,DELTA,HEADER, not \"%s\"\n", text);
	return witness->there ? 0 : -1;
}

static int judge_capture(const char *path, const char *json_path, const struct witness *witness)
{
	unsigned int differences;
	int status = NO_VERDICT;
	json_t *json;

	if (capture_load(path, &capture))
		return NO_VERDICT;
	differences = capture_differences(&capture.a, &capture.decoded_a) +
		      capture_differences(&capture.b, &capture.decoded_b);
	judge(&capture.decoded_a, &capture.decoded_b, &capture.ids, &judgement);
	json = verdict_json(witness, differences);
	print_timeline(json);
	if (differences)
		fprintf(stderr, "stampede: %s: our reader and kbuffer disagree on %u events\n",
			path, differences);
	else if (json_path && json_dump_file(json, json_path, JSON_INDENT(1)))
		fprintf(stderr, "stampede: cannot write %s\n", json_path);
	else
		status = judgement.first.kind ? SHOWN : NOT_SHOWN;
	json_decref(json);
	capture_free(&capture);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "json", required_argument, NULL, 'j' },
						 { "witness", required_argument, NULL, 'w' },
						 { "help", no_argument, NULL, 'h' },
						 { 0 } };
	struct witness witness = { 0 };
	const char *json_path = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h')
			return usage(stdout, 0);
		if (option == 'j')
			json_path = optarg;
		else if (option != 'w' || parse_witness(optarg, &witness))
			return option == 'w' ? NO_VERDICT : usage(stderr, NO_VERDICT);
	}
	if (optind + 1 != argc)
		return usage(stderr, NO_VERDICT);
	return judge_capture(argv[optind], json_path, &witness);
}
