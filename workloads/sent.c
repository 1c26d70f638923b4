// SPDX-License-Identifier: MIT
/*
 * What a second stage that compresses makes of a row's sub-buffers: what a header saves may be what
 * the compressor would have saved.
 *
 * The counting build's payload is for the oracles, and the stamp itself is in it: here each is
 * replaced by eight bytes with the event's number, and 64 KiB of what that makes, after the header
 * of the sub-buffer where they begin, are compressed by themselves.
 */
#include "workloads/sent.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/exit.h"
#include "base/fail.h"
#include "judge/player.h"
#include "schemes/core/clock.h"

#define EVENTS 20000
#define BEGIN (UINT64_C(1) << 20)
#define SUBBUF_SHIFT 16
#define COUNT_SHIFT 5 /* all events are there at once */
#define ZSTD_LEVEL 1

static void play(struct buffer *buffer, const struct gaps *gaps, double hz, uint64_t seed)
{
	double at = (double)BEGIN;
	struct player player;
	unsigned int i;

	player_clock(BEGIN, 1);
	buffer_reset(buffer, &buffer->config);
	player_begin(&player, buffer, player_every(buffer->driver, buffer->driver->stamp_bits, hz));
	for (i = 0; i < EVENTS; i++) {
		at += gaps_sample_ns(gaps, &seed) * hz * 1e-9;
		player_until(&player, 1, (uint64_t)at);
		player_event(&player);
	}
	buffer->driver->flush(buffer->scheme);
}

void sent_begin(struct sent *sent, const struct ring *ring, uint32_t payload_bytes)
{
	*sent = (struct sent){ .ring = ring, .payload_bytes = payload_bytes };
	sent->zstd = ZSTD_createCCtx();
	sent->packed = malloc(ZSTD_compressBound(SENT_BYTES));
	sent->failed = !sent->zstd || !sent->packed;
}

static void compress(struct sent *sent)
{
	size_t bytes;

	if (sent->failed || !sent->used)
		return;
	bytes = ZSTD_compressCCtx(sent->zstd, sent->packed, ZSTD_compressBound(SENT_BYTES),
				  sent->bytes, sent->used, ZSTD_LEVEL);
	sent->failed |= ZSTD_isError(bytes);
	sent->raw_total += sent->used;
	sent->zstd_total += bytes;
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
	sent->events++;
}

int sent_end(struct sent *sent)
{
	compress(sent);
	ZSTD_freeCCtx(sent->zstd);
	free(sent->packed);
	return sent->failed || !sent->events ? fail_with(EXIT_RESOURCE, "cannot compress a trace") :
					       0;
}

double sent_bytes(const struct driver *driver, const struct gaps *gaps, double hz, uint64_t seed)
{
	struct ring_config config = buffer_config(driver, SUBBUF_SHIFT, COUNT_SHIFT);
	struct sent *sent = malloc(sizeof(*sent));
	struct buffer buffer;
	double bytes = -1;

	if (!sent || buffer_open(&buffer, driver, &config)) {
		if (!sent)
			fail_memory("a trace to compress");
		free(sent);
		return -1;
	}
	play(&buffer, gaps, hz, seed);
	sent_begin(sent, buffer_ring(&buffer), driver->payload_bytes);
	driver->walk(buffer.scheme, sent_event, sent);
	if (!sent_end(sent))
		bytes = (double)sent->zstd_total / (double)sent->events;
	buffer_close(&buffer);
	free(sent);
	return bytes;
}
