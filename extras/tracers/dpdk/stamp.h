/* SPDX-License-Identifier: MIT */
/* The tracepoint; one source registers it, another one calls it. */
#include <rte_trace_point.h>

RTE_TRACE_POINT(stampede_stamp, RTE_TRACE_POINT_ARGS(uint32_t of, uint64_t seq),
		rte_trace_point_emit_u32(of);
		rte_trace_point_emit_u64(seq);)
