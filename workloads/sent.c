// SPDX-License-Identifier: MIT
/*
 * sent: what becomes of a trace behind the ring. Each row plays recorded gaps on the virtual clock;
 * its events have so many bytes (median, 99th percentile, most), their sub-buffers so many when a
 * second stage has compressed them, reading takes so long, and so does sorting where a row gives no
 * order.
 *
 * The counting build's payload is for the oracles, and the stamp itself is in it: here each is
 * replaced by eight bytes with the event's number, and 64 KiB of what that makes, behind the header
 * of the sub-buffer where they begin, are compressed by themselves.
 */
#include "workloads/sent.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/exit.h"
#include "base/fail.h"
#include "base/stats.h"
#include "base/time.h"
#include "judge/player.h"
#include "place/ticks.h"
#include "schemes/core/clock.h"
#include "schemes/core/points.h"
#include "workloads/gaps.h"
#include "workloads/workload.h"

#define EVENTS 20000
#define BEGIN (UINT64_C(1) << 20)
#define SUBBUF_SHIFT 16
#define COUNT_SHIFT 5 /* all events are there at once */
#define NESTED_EVERY 64 /* events, where order is at stake */
#define ZSTD_LEVEL 1

/* ---- playing ---- */

static struct interrupter {
	struct buffer *buffer;
	unsigned int left; /* calls of the hook until it comes */
} interrupter;

/* A nested writer between the clock's read and what comes behind it, once. */
static void come_between(void *arg, const char *label)
{
	struct interrupter *by = arg;

	(void)label;
	if (!by->left || --by->left)
		return;
	by->buffer->driver->interrupt(by->buffer->scheme, &by->buffer->writer, CONTEXT_LEVEL_1);
}

static void play(struct buffer *buffer, const struct gaps *gaps, uint64_t seed, bool nested)
{
	double hz = ticks_hz(), at = (double)BEGIN;
	struct player player;
	unsigned int i;

	player_clock(BEGIN, 1);
	buffer_reset(buffer, &buffer->config);
	player_begin(&player, buffer, player_every(buffer->driver, buffer->driver->stamp_bits, hz));
	interrupter = (struct interrupter){ .buffer = buffer };
	for (i = 1; i <= EVENTS; i++) {
		at += gaps_sample_ns(gaps, &seed) * hz * 1e-9;
		player_until(&player, 1, (uint64_t)at);
		if (nested && i % NESTED_EVERY == 0) {
			interrupter.left = 2;
			points.hook = come_between;
			points.arg = &interrupter;
		}
		player_event(&player);
		points.hook = NULL;
	}
	buffer->driver->flush(buffer->scheme);
}

/* ---- reading and sorting ---- */

struct read_times {
	struct sent_time *events;
	size_t count;
	size_t room;
};

static void read_one(void *arg, const struct event *event)
{
	struct read_times *reading = arg;

	if (reading->count == reading->room)
		return;
	reading->events[reading->count] = (struct sent_time){ event->time, reading->count };
	reading->count++;
}

uint64_t sent_sort(struct sent_time *events, size_t count)
{
	uint64_t moved = 0;
	size_t i, to;

	for (i = 1; i < count; i++) {
		struct sent_time one = events[i];

		for (to = i; to && events[to - 1].time > one.time; to--)
			events[to] = events[to - 1];
		moved += to != i;
		events[to] = one;
	}
	return moved;
}

/* ---- as it is sent ---- */

void sent_begin(struct sent *sent, const struct ring *ring, uint32_t payload_bytes)
{
	*sent = (struct sent){ .ring = ring, .payload_bytes = payload_bytes };
	sent->zstd = ZSTD_createCCtx();
	sent->packed = malloc(ZSTD_compressBound(SENT_BYTES));
	sent->failed = !sent->zstd || !sent->packed ||
		       ZSTD_compressBound(SENT_BYTES) < (size_t)LZ4_compressBound(SENT_BYTES);
}

static void compress(struct sent *sent)
{
	size_t room = ZSTD_compressBound(SENT_BYTES), bytes;
	int small;

	if (sent->failed || !sent->used)
		return;
	bytes = ZSTD_compressCCtx(sent->zstd, sent->packed, room, sent->bytes, sent->used,
				  ZSTD_LEVEL);
	small = LZ4_compress_default((const char *)sent->bytes, sent->packed, (int)sent->used,
				     (int)room);
	sent->failed |= ZSTD_isError(bytes) || small <= 0;
	sent->raw_total += sent->used;
	sent->zstd_total += bytes;
	sent->lz4_total += (uint64_t)(unsigned int)small;
	sent->used = 0;
}

static void append(struct sent *sent, const void *bytes, size_t count)
{
	memcpy(sent->bytes + sent->used, bytes, count);
	sent->used += count;
}

void sent_event(void *arg, const struct event *event)
{
	struct sent *sent = arg;
	uint64_t offset = (uint64_t)(event->payload - ring_at(sent->ring, 0));
	uint64_t place = offset >> ring_subbuf_shift(sent->ring);
	const uint8_t *subbuf = ring_subbuf_base(sent->ring, place);
	uint64_t header = ring_header_bytes(sent->ring), number = sent->events;
	size_t front;

	if (!sent->at || place != sent->place)
		sent->at = subbuf + header;
	sent->place = place;
	front = (size_t)(event->payload - sent->at);
	if (front > SENT_BYTES / 4) {
		sent->failed = true;
		return;
	}
	if (sent->used + front + sizeof(number) > SENT_BYTES)
		compress(sent);
	if (!sent->used)
		append(sent, subbuf, header);
	append(sent, sent->at, front);
	append(sent, &number, sizeof(number));
	sent->at = event->payload + event->payload_bytes;
	if (sent->events < SENT_EVENTS)
		sent->size[sent->events] = event->header_bytes + event->alignment_bytes +
					   event->payload_bytes - sent->payload_bytes +
					   sizeof(number);
	sent->events++;
}

int sent_end(struct sent *sent)
{
	size_t sized = sent->events < SENT_EVENTS ? sent->events : SENT_EVENTS;

	compress(sent);
	stats_sort(sent->size, sized);
	sent->median = stats_quantile(sent->size, sized, 0.5);
	sent->p99 = stats_quantile(sent->size, sized, 0.99);
	sent->most = sized ? sent->size[sized - 1] : 0;
	ZSTD_freeCCtx(sent->zstd);
	free(sent->packed);
	return sent->failed || !sent->events ? fail_with(EXIT_RESOURCE, "cannot compress a trace") :
					       0;
}

/* ---- the section ---- */

struct sent_lines {
	const struct workload_bench *bench;
	json_t *into;
	struct sent *sent;
	struct read_times reading;
};

static bool may_be_unordered(const struct scheme_desc *desc)
{
	return desc->promises & PROMISE_EXACT && !(desc->promises & PROMISE_MONOTONIC);
}

/* ns for each event that was read, and for each that had to be sorted; 0: none had. */
static json_t *reading_json(struct sent_lines *lines, struct buffer *buffer,
			    const struct gaps *gaps)
{
	bool unordered = may_be_unordered(buffer->driver->desc);
	struct read_times *reading = &lines->reading;
	uint64_t began, read, sorted, moved = 0;
	double events;

	play(buffer, gaps, lines->bench->seed, unordered);
	reading->count = 0;
	began = cpu_time_ns();
	buffer->driver->walk(buffer->scheme, read_one, reading);
	read = sorted = cpu_time_ns();
	if (unordered) {
		moved = sent_sort(reading->events, reading->count);
		sorted = cpu_time_ns();
	}
	events = reading->count ? (double)reading->count : 1;
	return json_pack("{s:f, s:f, s:f}", "read_ns", (double)(read - began) / events, "sort_ns",
			 (double)(sorted - read) / events, "moved_per_million",
			 1e6 * (double)moved / events);
}

static json_t *line(struct sent_lines *lines, const struct driver *driver, const struct gaps *gaps)
{
	struct ring_config config = buffer_config(driver, SUBBUF_SHIFT, COUNT_SHIFT);
	struct sent *sent = lines->sent;
	struct buffer buffer;
	json_t *one;
	double events;
	int error;

	if (buffer_open(&buffer, driver, &config))
		return NULL;
	one = reading_json(lines, &buffer, gaps);
	play(&buffer, gaps, lines->bench->seed, false);
	sent_begin(sent, buffer_ring(&buffer), driver->payload_bytes);
	driver->walk(buffer.scheme, sent_event, sent);
	error = sent_end(sent);
	buffer_close(&buffer);
	if (error) {
		json_decref(one);
		return NULL;
	}
	events = (double)sent->events;
	json_object_update_new(one, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
					      "row", driver->row, "gaps", gaps->name, "events",
					      events, "bytes", (double)sent->raw_total / events,
					      "bytes_median", sent->median, "bytes_p99", sent->p99,
					      "bytes_most", sent->most, "zstd_bytes",
					      (double)sent->zstd_total / events, "lz4_bytes",
					      (double)sent->lz4_total / events));
	return one;
}

static int of_gaps(void *arg, const struct gaps *gaps)
{
	struct sent_lines *lines = arg;
	json_t *one;
	int i;

	for (i = 0; i < lines->bench->count; i++) {
		one = line(lines, driver_find(drivers_counting, lines->bench->rows[i]->row), gaps);
		if (!one)
			return EXIT_RESOURCE;
		json_array_append_new(lines->into, one);
	}
	return 0;
}

static int measure(const struct workload_bench *bench, json_t *into)
{
	struct sent_lines lines = { .bench = bench, .into = into, .reading.room = 2 * EVENTS };
	int error = EXIT_RESOURCE;

	lines.sent = malloc(sizeof(*lines.sent));
	lines.reading.events = calloc(lines.reading.room, sizeof(*lines.reading.events));
	if (lines.sent && lines.reading.events)
		error = gaps_each(GAPS_RECORDED, of_gaps, &lines);
	else
		fail_with(EXIT_RESOURCE, "no memory to read traces");
	free(lines.reading.events);
	free(lines.sent);
	return error < 0 ? EXIT_USAGE : error;
}

static const struct workload_section sections[] = {
	{ .name = "sent", .measure = measure },
	{ .name = NULL },
};

const struct workload workload_sent = {
	.name = "sent",
	.text = "bytes of events at recorded gaps, before and after compression; reading, sorting",
	.least = SIZE_STANDARD,
	.instead = "sent is counted by bench: make bench WORKLOADS=sent",
	.sections = sections,
};
