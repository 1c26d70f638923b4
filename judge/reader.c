// SPDX-License-Identifier: MIT
/*
 * The reader of a row, compiled once for all its builds, which differ in writers and payload alone
 * (check.h: enum check_payload_kind).
 */
#include "judge/driver.h"

/* Of the writers' half, what a record looks like. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "judge/driver_writer.h"

#include <inttypes.h>
#include <stdio.h>

#include "schemes/core/handover.h"

#if SEAM_IDENTIFIES
#include "judge/identify.h"
/* A reader of timed payloads, which finds the rest of each in a log. */
static enum decode_result decode_identified(struct cursor *cursor, struct event *event)
{
	enum decode_result result = decode_next(cursor, event);

	if (result == DECODE_EVENT)
		identify_event(event);
	return result;
}
#define decode_next decode_identified
#endif

static void drain_one(struct scheme_ring *s, struct check *check, uint64_t number)
{
	const struct ring *ring = &s->ring;
	const uint8_t *base = ring_subbuf_base(ring, number);
	uint32_t content = ring_content(ring, number);
	enum decode_result result = DECODE_BAD;
	uint64_t before = check->events;
	struct event event = { .alignment_bytes = 0 };
	struct cursor cursor;
	uint32_t offset = 0;

	if (content && decode_begin(ring, number, content, &cursor)) {
		if (FORMAT_STAMPED(content))
			check_subbuf_begin(check, number, cursor.time);
		if (FORMAT_NAMES_CPU)
			check_cpu(check, number, FORMAT_CPU(ring, number));
		for (;;) {
			offset = (uint32_t)(cursor.at - base);
			result = decode_next(&cursor, &event);
			if (unlikely(result != DECODE_EVENT))
				break;
			if (unlikely(check->open_number == number))
				check_opening(check, &event);
			check_event(check, number, offset, &event);
		}
	}
	if (result == DECODE_END)
		check_subbuf_end(check, number, decode_end(ring, number, check->last_time));
	if (result == DECODE_BAD)
		check_violate(check, ORACLE_STRUCTURE,
			      content ? "not a record, or one that runs over the end" :
					"sub-buffer never completed",
			      number, offset, check->last_time, NULL);
	check_subbuf(check, number, check->events - before,
		     ring_has_commits(ring) ? ring_record_count(ring, number) :
					      check->events - before,
		     ring->header_bytes, ring_subbuf_bytes(ring) - content);
	/* How much was unused is not known of a sub-buffer that cannot be read to its end. */
	if (result != DECODE_END)
		check_flushed(check);
}

static void drain_range(struct scheme_ring *s, struct check *check, uint64_t first, uint64_t last)
{
	uint64_t number;

	if (s->ring.mode == RING_DISCARD && first > s->ring.consumed)
		check_violate(check, ORACLE_CONSERVATION,
			      "sub-buffer overwritten before it was read, in discard mode",
			      s->ring.consumed, 0, check->last_time, NULL);
	check_drain_begin(check, first, ring_start_number(&s->ring));
	for (number = first; number < last; number++)
		drain_one(s, check, number);
}

uint64_t READER(drain)(void *scheme, struct check *check, bool consume)
{
	struct scheme_ring *s = scheme;
	uint64_t first, last;

	ring_readable(&s->ring, &first, &last);
	drain_range(s, check, first, last);
	check_flushed(check);
	if (consume)
		ring_consume(&s->ring, last);
	return last;
}

void READER(take)(void *scheme, struct check *check)
{
	struct scheme_ring *s = scheme;
	uint64_t first, count = handover_in_place(&s->ring, UINT64_MAX, &first);

	drain_range(s, check, first, first + count);
	ring_consume(&s->ring, first + count);
}

void READER(walk)(void *scheme, void (*each)(void *arg, const struct event *event), void *arg)
{
	struct scheme_ring *s = scheme;
	uint64_t number, last = handover_in_place(&s->ring, UINT64_MAX, &number);
	struct cursor cursor;
	struct event event = { .alignment_bytes = 0 };

	for (last += number; number < last; number++) {
		if (!decode_begin(&s->ring, number, ring_content(&s->ring, number), &cursor))
			continue;
		while (decode_next(&cursor, &event) == DECODE_EVENT)
			if (!(event.flags & EVENT_STAMP_ONLY))
				each(arg, &event);
	}
	ring_consume(&s->ring, number);
}

static void show_one(FILE *text, const struct event *event, uint32_t offset, bool marked)
{
	struct check_payload payload = { .stamp = 0 };

	memcpy(&payload, event->payload,
	       event->payload_bytes < sizeof(payload) ? event->payload_bytes : sizeof(payload));
	fprintf(text,
		"  %c +%-6" PRIu32 " decoded %" PRIu64 " stamp %" PRIu64 " off by %" PRId64
		" header %" PRIu32 "%s",
		marked ? '>' : ' ', offset, event->time, payload.stamp,
		(int64_t)(event->time - payload.stamp), event->header_bytes,
		event->flags & EVENT_STAMP_ONLY ? " stamp event" :
		event->flags & EVENT_EXTENDED	? " extended" :
						  "");
	if (event->payload_bytes >= sizeof(payload))
		fprintf(text, " entry %+" PRId64 " exit %+" PRId64 " context %u seq %" PRIu64 "%s",
			(int64_t)(payload.entry - payload.stamp),
			(int64_t)(payload.exit - payload.stamp), check_tag_context(payload.tag),
			check_tag_sequence(payload.tag),
			check_tag_inexact(payload.tag) ? " inexact" : "");
	fputc('\n', text);
}

void READER(show)(FILE *text, void *scheme, const struct violation *violation, unsigned int around)
{
	struct scheme_ring *s = scheme;
	const uint8_t *base = ring_subbuf_base(&s->ring, violation->number);
	uint32_t content = ring_content(&s->ring, violation->number), offset;
	struct cursor cursor, ahead;
	struct event event;
	unsigned int i, before = 0, after = 0;

	if (!content || !decode_begin(&s->ring, violation->number, content, &cursor)) {
		fprintf(text, "  sub-buffer %" PRIu64 " is not there any more\n",
			violation->number);
		return;
	}
	fprintf(text, "  sub-buffer %" PRIu64 " begins at %" PRIu64 "\n", violation->number,
		cursor.time);
	ahead = cursor;
	while (ahead.at < base + violation->offset && decode_next(&ahead, &event) == DECODE_EVENT)
		before++;
	for (i = 0; after <= around; i++) {
		offset = (uint32_t)(cursor.at - base);
		if (decode_next(&cursor, &event) != DECODE_EVENT)
			break;
		if (i + around >= before)
			show_one(text, &event, offset, i == before);
		after += i >= before;
	}
}
