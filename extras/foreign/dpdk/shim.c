// SPDX-License-Identifier: MIT
/*
 * DPDK's tracepoints: what rte_trace_point.h puts into each program that has some. The library's
 * part is what allocates memory, and the reader.
 */
#include "explore/stops/foreign.h"

#define rte_get_tsc_cycles dpdk_tsc_cycles
#include <rte_cycles.h>
#undef rte_get_tsc_cycles
#define rte_get_tsc_cycles foreign_clock
#include <rte_trace_point.h>

RTE_TRACE_POINT(event, RTE_TRACE_POINT_ARGS(uint64_t value), rte_trace_point_emit_u64(value);)

/* Its guide says nothing of signal handlers: they are kept out, or what comes of it is told. */
static const struct scheme_desc foreign_desc = {
	.title = "rte_trace_point.h",
	.source = "https://doc.dpdk.org/guides-22.11/prog_guide/trace_lib.html",
	.promises = PROMISE_MONOTONIC | PROMISE_EXACT | PROMISE_WINDOW | PROMISE_WRAP_PROOF,
	.needs = NEED_MASKED_INTERRUPTS,
	.gap_bits = 1, /* gaps below 2^48 ticks */
};

#define MEMORY_BYTES 1024
#define EVENT_BYTES 16 /* {id : 16 | time : 48}, value */
#define TIME_MASK (UINT64_MAX >> 16)

rte_trace_point_t __event;
void *per_lcore_trace_mem;
static uint64_t began;

FOREIGN_PLAIN void __rte_trace_mem_per_thread_alloc(void)
{
	struct __rte_trace_header *memory = foreign_memory(sizeof(*memory) + MEMORY_BYTES);

	memory->len = MEMORY_BYTES;
	per_lcore_trace_mem = memory;
}

static FOREIGN_PLAIN void foreign_begin(void)
{
	__event = __RTE_TRACE_FIELD_ENABLE_MASK | EVENT_BYTES;
	__rte_trace_mem_per_thread_alloc();
	began = foreign_clock();
}

static bool foreign_record(uint64_t value, uint32_t extra)
{
	(void)extra;
	event(value);
	return true;
}

static FOREIGN_PLAIN void foreign_read(void)
{
	const struct __rte_trace_header *memory = per_lcore_trace_mem;
	uint64_t words[2], time = began;
	uint32_t at;

	for (at = 0; at < memory->offset; at += EVENT_BYTES) {
		memcpy(words, memory->mem + at, sizeof(words));
		/* As readers of CTF do: one that is less than the one before is of the next wrap.
		 */
		time += (words[0] - time) & TIME_MASK;
		foreign_event(words[1], time, false);
	}
}
