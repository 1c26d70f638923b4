// SPDX-License-Identifier: MIT
/*
 * The C that barectf generates: a platform with one packet, and interrupts that look at
 * barectf_is_in_tracing_section() first, as its documentation asks.
 */
#include "explore/stops/foreign.h"

#include <barectf.c>

static const struct scheme_desc foreign_desc = {
	.title = "barectf's generated tracer",
	.source = "https://barectf.org/docs/barectf/3.1/platform/",
	.promises = PROMISE_MONOTONIC | PROMISE_EXACT | PROMISE_WINDOW | PROMISE_WRAP_PROOF,
};

#define PACKET_BYTES 1024

static struct barectf_default_ctx tracer;
static uint8_t *packet;
static uint64_t turned_away;

FOREIGN_PLAIN void __assert_fail(const char *what, const char *file, unsigned int line,
				 const char *function)
{
	(void)what, (void)file, (void)line, (void)function;
	__builtin_trap(); /* the explorer finds a writer that crashes */
}

static FOREIGN_PLAIN uint64_t clock_value(void *data)
{
	(void)data;
	return foreign_clock();
}

static FOREIGN_PLAIN int is_full(void *data)
{
	(void)data;
	return 0;
}

static FOREIGN_PLAIN void open_packet(void *data)
{
	(void)data;
	barectf_default_open_packet(&tracer);
}

static FOREIGN_PLAIN void close_packet(void *data)
{
	(void)data;
	barectf_default_close_packet(&tracer);
}

static FOREIGN_PLAIN void foreign_begin(void)
{
	static const struct barectf_platform_callbacks platform = {
		.default_clock_get_value = clock_value,
		.is_backend_full = is_full,
		.open_packet = open_packet,
		.close_packet = close_packet,
	};

	packet = foreign_memory(PACKET_BYTES);
	barectf_init(&tracer, packet, PACKET_BYTES, platform, NULL);
	barectf_default_open_packet(&tracer);
}

static bool foreign_record(uint64_t value, uint32_t extra)
{
	(void)extra;
	if (barectf_is_in_tracing_section(&tracer)) {
		turned_away++;
		return false;
	}
	barectf_default_trace_one(&tracer, value);
	return true;
}

static FOREIGN_PLAIN uint64_t word_at(uint32_t offset)
{
	uint64_t word;

	memcpy(&word, packet + offset, sizeof(word));
	return word;
}

/* By the layout in `metadata`: u64 id, u64 timestamp, u64 value. */
static FOREIGN_PLAIN void foreign_read(void)
{
	uint32_t at = tracer.parent.off_content / 8;

	for (; at < tracer.parent.at / 8; at += 24)
		foreign_event(word_at(at + 16), word_at(at + 8), false);
	foreign_lost(turned_away + barectf_packet_events_discarded(&tracer));
}
