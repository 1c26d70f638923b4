// SPDX-License-Identifier: MIT
/* Linux's kernel/trace/ring_buffer.c, as it is, on one CPU with interrupts. */
#include "explore/stops/foreign.h"

#include "extras/foreign/linux_ring_buffer/kernel.c"

#include <linux/ring_buffer.h>

#include <ring_buffer.c>
#undef noinline

static const struct scheme_desc foreign_desc = {
	.title = "kernel/trace/ring_buffer.c",
	.source = "Documentation/trace/ring-buffer-design.rst",
	.promises = PROMISE_MONOTONIC | PROMISE_EXACT | PROMISE_WRAP_PROOF,
	.zeros_per_nested = 1,
};

static struct trace_buffer *buffer;

static FOREIGN_PLAIN void foreign_begin(void)
{
	static struct lock_class_key key;

	buffer = __ring_buffer_alloc(2 * PAGE_SIZE, RB_FL_OVERWRITE, &key);
	ring_buffer_set_clock(buffer, foreign_clock);
}

static bool foreign_record(uint64_t value, uint32_t extra)
{
	struct ring_buffer_event *event;

	interrupts++;
	event = ring_buffer_lock_reserve(buffer, sizeof(value) + extra);
	if (event) {
		*(uint64_t *)ring_buffer_event_data(event) = value;
		ring_buffer_unlock_commit(buffer, event);
	}
	interrupts--;
	return event;
}

static FOREIGN_PLAIN void foreign_read(void)
{
	struct ring_buffer_event *event;
	uint64_t value, time, before = UINT64_MAX;

	while ((event = ring_buffer_consume(buffer, 0, &time, NULL))) {
		memcpy(&value, ring_buffer_event_data(event), sizeof(value));
		/* An event that was interrupted may have the time of the one before it: delta 0. */
		foreign_event(value, time, time == before);
		before = time;
	}
	foreign_lost(ring_buffer_overruns(buffer) + ring_buffer_dropped_events_cpu(buffer, 0));
}
