// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "traces/ctf_trace.h"
#include "traces/lint_formats.h"

struct ctf_lint {
	struct lint *lint;
	int64_t discarded, missing; /* before the packet that comes next; UNSAID: no such message */
};

#define UNSAID INT64_MIN

static uint32_t lint_of(struct ctf_lint *to, const struct ctf_stream *stream, unsigned int index)
{
	return lint_stream(to->lint, index, "%s", stream->path);
}

static void take_event(void *arg, const struct ctf_event *event)
{
	struct ctf_lint *to = arg;
	const struct lint_event one = {
		.stream = lint_of(to, event->stream, event->index),
		.time = (int64_t)event->ticks,
		.place = event->stream->events - 1,
	};

	if (event->timed)
		lint_event(to->lint, &one);
	else
		lint_clockless(to->lint, one.stream);
}

static void take_losses(struct ctf_lint *to, uint32_t stream, uint64_t place)
{
	uint64_t *owed = &to->lint->streams[stream].owed, again;
	bool uncounted = to->missing > 0 && to->discarded == UNSAID;

	if (to->discarded < 0 && to->discarded != UNSAID) {
		lint_loss(to->lint, stream, place, (uint64_t)to->discarded,
			  "events_discarded goes back by");
		*owed -= (uint64_t)to->discarded;
	} else if (to->discarded != UNSAID) {
		again = (uint64_t)to->discarded < *owed ? (uint64_t)to->discarded : *owed;
		*owed -= again;
		lint_loss(to->lint, stream, place, (uint64_t)to->discarded - again, NULL);
	}
	to->lint->uncounted += uncounted;
	to->lint->uncounted_found += uncounted;
	if (uncounted || (to->missing != UNSAID && to->missing < 0))
		lint_loss(to->lint, stream, place, (uint64_t)to->missing,
			  to->missing < 0 ? "packet_seq_num goes back by" :
					    "packets are missing by packet_seq_num, and "
					    "events_discarded counts no event");
	to->discarded = UNSAID;
	to->missing = UNSAID;
}

static void begin_packet(struct ctf_lint *to, uint32_t lint_index, const struct ctf_stream *stream,
			 const bt_message *message)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(stream->library);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(class);
	bool has = bt_stream_class_packets_have_beginning_default_clock_snapshot(class);
	uint64_t time = 0;

	if (clock) {
		to->lint->hz = bt_clock_class_get_frequency(clock);
		to->lint->unit = to->lint->hz == 1000000000 ? "ns" : "ticks";
	}
	if (has)
		time = bt_clock_snapshot_get_value(
			bt_message_packet_beginning_borrow_default_clock_snapshot_const(message));
	take_losses(to, lint_index, stream->events);
	lint_packet_begin(to->lint, lint_index, stream->events, has, (int64_t)time);
}

static void end_packet(struct ctf_lint *to, uint32_t lint_index, const struct ctf_stream *stream,
		       const bt_message *message)
{
	bool has = bt_stream_class_packets_have_end_default_clock_snapshot(
		bt_stream_borrow_class_const(stream->library));
	uint64_t time = 0;

	if (has)
		time = bt_clock_snapshot_get_value(
			bt_message_packet_end_borrow_default_clock_snapshot_const(message));
	lint_packet_end(to->lint, lint_index, has, (int64_t)time);
}

static void take_message(void *arg, const struct ctf_stream *stream, unsigned int index,
			 const bt_message *message)
{
	struct ctf_lint *to = arg;
	uint64_t count;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (bt_message_discarded_events_get_count(message, &count))
			to->discarded = (int64_t)count;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		if (bt_message_discarded_packets_get_count(message, &count))
			to->missing = (int64_t)count;
		break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		begin_packet(to, lint_of(to, stream, index), stream, message);
		break;
	case BT_MESSAGE_TYPE_PACKET_END:
		end_packet(to, lint_of(to, stream, index), stream, message);
		break;
	default:
		break;
	}
}

/*
 * The narrowest field that is mapped to a clock, of metadata in CTF 1.8, which the library does not
 * tell; 0: none is below 64 bits.
 */
static unsigned int narrowest(const char *dir)
{
	unsigned int bits, least = 64;
	size_t bytes;
	char *text = ctf_trace_metadata(dir, &bytes), *at, *field;

	/* Its packets, where it has some, end in zeros. */
	for (at = text; bytes--; at++)
		if (!*at)
			*at = ' ';
	for (at = text; (at = strstr(at, "map = clock")); at++) {
		for (field = at; field > text && *field != '{'; field--)
			;
		field = strstr(field, "size = ");
		if (field && field < at + strcspn(at, "}") &&
		    sscanf(field, "size = %u", &bits) == 1 && bits && bits < least)
			least = bits;
	}
	free(text);
	return least < 64 ? least : 0;
}

int lint_ctf(struct lint *lint, const char *dir)
{
	struct ctf_lint to = { lint, UNSAID, UNSAID };
	struct ctf_trace trace = { .count = 0 };
	struct trace_fault fault = { .set = false };
	int error;

	lint->place_name = "event";
	if (!lint->bits)
		lint->bits = narrowest(dir);
	error = ctf_trace_read_apart(&trace, dir, take_event, take_message, &to);
	if (*trace.why)
		trace_fault(&fault, TRACE_NOWHERE, "%s", trace.why);
	if (error == EXIT_USAGE) /* it has been said */
		lint->fault = fault;
	else
		lint_damage(lint, dir, &fault);
	lint->stopped = trace.stopped;
	ctf_trace_free(&trace);
	return error == EXIT_USAGE ? 0 : error;
}
