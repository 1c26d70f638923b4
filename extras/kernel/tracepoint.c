// SPDX-License-Identifier: MIT
/*
 * cpu_frequency is exported to modules, takes two words of 32 bits, and each tracer has a probe for
 * it. Only a driver that changes frequencies calls it, and a guest has none.
 */
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <trace/events/power.h>

#include "extras/kernel/shim/shim.h"
#include "extras/kernel/tracepoint.h"

uint64_t tracepoint_now(void)
{
	return ktime_get_mono_fast_ns();
}

static void call_one(struct kernel_calls *calls, struct writer *writer, unsigned int context)
{
	uint64_t number = local_xadd_raw(&calls->count, 1), took;
	struct kernel_call *call;

	local_add_raw(&writer->entered[context], 1);
	if (number >= KERNEL_CALLS_MOST) {
		local_add_raw(&writer->failed[context], 1);
		return;
	}
	call = &calls->call[number];
	call->tag = kernel_call_tag(context, writer->written[context]++);
	call->entry = tracepoint_now();
	trace_cpu_frequency((unsigned int)number, calls->mark);
	took = tracepoint_now() - call->entry;
	call->took = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}

static void row_run(void *scheme, struct writer *writer, uint64_t events)
{
	uint64_t i;

	for (i = 0; i < events; i++)
		call_one(scheme, writer, CONTEXT_TASK);
}

static void row_interrupt(void *scheme, struct writer *writer, unsigned int context)
{
	call_one(scheme, writer, context);
}

static void row_init(void *scheme, const struct ring_config *config, uint8_t *base,
		     struct subbuf *subbufs, struct writer *writer)
{
	const struct kernel_image *image = (const struct kernel_image *)writer;
	struct kernel_calls *calls = scheme;

	(void)subbufs;
	calls->count = 0;
	calls->call = (struct kernel_call *)base;
	calls->mark = kernel_calls_mark(image->mark, config->cpu);
}

static const char *row_unsupported(void)
{
	return NULL;
}

const struct driver tracepoint_row = {
	.row = KERNEL_TRACEPOINT_ROW,
	.scheme_bytes = sizeof(struct kernel_calls),
	.payload_bytes = sizeof(uint64_t),
	.unsupported = row_unsupported,
	.init = row_init,
	.run = row_run,
	.interrupt = row_interrupt,
};

bool tracepoint_hit(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(name, address);
	return !strncmp(name, "lttng_event_reserve", 19) ||
	       !strncmp(name, "lib_ring_buffer_reserve_slow", 28);
}
