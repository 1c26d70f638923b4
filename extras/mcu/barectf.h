/* SPDX-License-Identifier: MIT */
/*
 * What record.c records by: the C that barectf generates, on a platform with four packets. As its
 * documentation asks, an interrupt looks at barectf_is_in_tracing_section() first. The clock has 64
 * bits, and is never late.
 */
#pragma once

#include <barectf.h>
#include <stdbool.h>
#include <stddef.h>

enum { PACKETS = 4, PACKET_BYTES = 1024 };

static struct barectf_default_ctx tracer;
static uint8_t packets[PACKETS][PACKET_BYTES];
static uint32_t begins, ends[PACKETS]; /* of the events in a packet, in bytes */
static volatile uint32_t closed, sent;
static uint32_t turned_away;
static bool forgets;

#ifdef PRICE
static uint64_t clock_value(void *data)
{
	(void)data;
	return clock_given();
}
#else
static uint64_t true_now(void);

static uint64_t clock_value(void *data)
{
	(void)data;
	return true_now();
}
#endif

static int is_full(void *data)
{
	(void)data;
	return !forgets && closed - sent == PACKETS;
}

static void open_packet(void *data)
{
	(void)data;
	barectf_packet_set_buf(&tracer, packets[closed % PACKETS], PACKET_BYTES);
	barectf_default_open_packet(&tracer);
	begins = tracer.parent.off_content / 8;
}

static void close_packet(void *data)
{
	(void)data;
	barectf_default_close_packet(&tracer);
	ends[closed % PACKETS] = tracer.parent.content_size / 8;
	closed++;
}

static __attribute__((noinline, section("reserve_text"))) bool put(uint32_t word)
{
	uint32_t discarded = tracer.parent.events_discarded, before;

	if (barectf_is_in_tracing_section(&tracer)) {
		before = cpu_mask();
		turned_away++;
		cpu_unmask(before);
		return false;
	}
	barectf_default_trace_one(&tracer, word);
	return tracer.parent.events_discarded == discarded;
}

static void prepare(bool overwrite)
{
	static const struct barectf_platform_callbacks platform = {
		.default_clock_get_value = clock_value,
		.is_backend_full = is_full,
		.open_packet = open_packet,
		.close_packet = close_packet,
	};

	forgets = overwrite;
	barectf_init(&tracer, packets[0], PACKET_BYTES, platform, NULL);
	open_packet(NULL);
}

#ifndef PRICE
static void drain_packets(void)
{
	for (; sent != closed; sent++)
		block(BLOCK_EVENTS, packets[sent % PACKETS] + begins, ends[sent % PACKETS] - begins,
		      sent);
}

/* Closes the open packet. Returns how many events are lost. */
static uint32_t finish(void)
{
	if (barectf_packet_is_open(&tracer))
		close_packet(NULL);
	return turned_away + tracer.parent.events_discarded;
}
#endif
