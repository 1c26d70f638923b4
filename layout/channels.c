// SPDX-License-Identifier: MIT
#include "layout/channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/player.h"
#include "schemes/core/clock.h"
#include "base/fail.h"
#include "base/options.h"
#include "place/ticks.h"

#define DRAIN_EVENTS 1024
#define SHARE_UNIT 1000000u
#define BEAT_PAYLOAD_BYTES 8 /* as in counts.c */

struct read_event {
	uint64_t time;
	uint64_t sequence;
};

struct channel {
	struct buffer buffer;
	struct read_event *events;
	uint64_t count;
	uint64_t recorded;
	uint64_t bytes;
};

static void each(void *arg, const struct event *event)
{
	struct channel *channel = arg;
	struct check_payload payload;

	memcpy(&payload, event->payload, sizeof(payload));
	channel->bytes += event->header_bytes;
	if (check_tag_context(payload.tag) == CONTEXT_BEAT) {
		channel->bytes += BEAT_PAYLOAD_BYTES;
		return;
	}
	channel->events[channel->count++] = (struct read_event){
		.time = event->time,
		.sequence = check_tag_sequence(payload.tag),
	};
}

static void channel_drain(struct channel *channel)
{
	channel->buffer.driver->flush(channel->buffer.scheme);
	channel->buffer.driver->walk(channel->buffer.scheme, each, channel);
}

static int channel_open(struct channel *channel, struct player *player, const struct driver *driver,
			uint64_t events)
{
	struct ring_config config = buffer_config(driver, 16, 4);

	*channel = (struct channel){ .events = malloc(events * sizeof(struct read_event)) };
	if (!channel->events) {
		return fail_with(EXIT_RESOURCE, "no memory for %llu events",
				 (unsigned long long)events);
	}
	if (buffer_open(&channel->buffer, driver, &config)) {
		free(channel->events);
		channel->events = NULL;
		return EXIT_RESOURCE;
	}
	player_begin(player, &channel->buffer,
		     player_every(driver, driver->stamp_bits, ticks_hz()));
	return 0;
}

static void channel_close(struct channel *channel)
{
	if (channel->events)
		buffer_close(&channel->buffer);
	free(channel->events);
	channel->events = NULL;
}

/* The same events each time that `config` is the same: they go to channel 0 or the last one. */
static uint64_t record_all(const struct channels_config *config, struct channel *channels,
			   struct player *players, unsigned int count)
{
	uint64_t random = config->seed, i, ticks, frequent = 0, split;
	struct channel *channel;
	bool often;

	for (i = 0; i < config->events; i++) {
		ticks = config->gap_ticks;
		if (config->gaps)
			ticks = (uint64_t)(gaps_sample_ns(config->gaps, &random) * config->hz /
					   1e9);
		split = random;
		split = (split ^ split >> 29) * 0x9e3779b97f4a7c15u >> 32;
		if (!config->gaps)
			random += 0x632be59bd9b4e019u;
		often = split % SHARE_UNIT < (uint64_t)(config->share * SHARE_UNIT);
		frequent += often;
		channel = &channels[often ? 0 : count - 1];
		player_until(players, count, virtual_clock.now + ticks);
		/* One sequence over both channels. */
		channel->buffer.writer.written[CONTEXT_TASK] = i;
		player_event(&players[channel - channels]);
		if (++channel->recorded % DRAIN_EVENTS == 0)
			channel_drain(channel);
	}
	for (channel = channels; channel < channels + count; channel++)
		channel_drain(channel);
	return frequent;
}

/* Merges two channels by decoded time, the first before the second where times are equal. */
static void merge(const struct channel *a, const struct channel *b, struct channels_result *result)
{
	struct read_event latest = { .sequence = 0 }, event;
	uint64_t i = 0, j = 0, last_time = 0;
	int last_from = -1, from;

	while (i < a->count || j < b->count) {
		from = i == a->count || (j < b->count && b->events[j].time < a->events[i].time);
		event = from ? b->events[j++] : a->events[i++];
		if (last_from >= 0 && from != last_from && event.time == last_time)
			result->ties++;
		if (last_from >= 0 && event.sequence < latest.sequence) {
			if (event.time == latest.time) {
				result->tied_wrong++;
			} else {
				result->inversions++;
				if (event.time - latest.time > result->worst_inversion_ticks)
					result->worst_inversion_ticks = event.time - latest.time;
			}
		} else {
			latest = event;
		}
		last_time = event.time;
		last_from = from;
	}
}

int channels_run(const struct channels_config *config, struct channels_result *result)
{
	struct channel channels[2] = { { .count = 0 } };
	struct player players[2];
	int error;

	*result = (struct channels_result){ .events = config->events };
	player_clock(1u << 20, 1);
	error = channel_open(&channels[0], &players[0], config->normal, config->events);
	if (error)
		return error;
	record_all(config, channels, players, 1);
	result->normal_bytes = channels[0].bytes;
	result->lost = config->events - channels[0].count;
	channel_close(&channels[0]);
	player_clock(1u << 20, 1);
	error = channel_open(&channels[0], &players[0], config->compact, config->events);
	if (!error)
		error = channel_open(&channels[1], &players[1], config->normal, config->events);
	if (!error) {
		result->frequent = record_all(config, channels, players, 2);
		result->bytes = channels[0].bytes + channels[1].bytes;
		result->lost += config->events - channels[0].count - channels[1].count;
		merge(&channels[0], &channels[1], result);
	}
	channel_close(&channels[0]);
	channel_close(&channels[1]);
	return error;
}

json_t *channels_json(const struct channels_config *config, const struct channels_result *result)
{
	return json_pack(
		"{s:s?, s:s, s:s, s:f, s:f, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, "
		"s:I}",
		"gaps", config->gaps ? config->gaps->name : NULL, "compact", config->compact->row,
		"normal", config->normal->row, "share", config->share, "tsc_hz", config->hz,
		"events", (json_int_t)result->events, "frequent", (json_int_t)result->frequent,
		"header_bytes", (json_int_t)result->bytes, "header_bytes_normal_alone",
		(json_int_t)result->normal_bytes, "saved_share",
		1.0 - (double)result->bytes / (double)result->normal_bytes, "lost",
		(json_int_t)result->lost, "ties", (json_int_t)result->ties, "tied_wrong",
		(json_int_t)result->tied_wrong, "inversions", (json_int_t)result->inversions,
		"worst_inversion_ticks", (json_int_t)result->worst_inversion_ticks);
}
