/* SPDX-License-Identifier: MIT */
/* The event of the preloaded tracers. Read several times by lttng-ust. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER stampede_programs
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "extras/programs/lttng_tp.h"

#if !defined(STAMPEDE_EXTRAS_PROGRAMS_LTTNG_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define STAMPEDE_EXTRAS_PROGRAMS_LTTNG_TP_H
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(stampede_programs, call,
			   LTTNG_UST_TP_ARGS(uint32_t, id, uint64_t, a, uint64_t, b),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, id, id)
						       lttng_ust_field_integer(uint64_t, a, a)
							       lttng_ust_field_integer(uint64_t, b,
										       b)))
#endif

#include <lttng/tracepoint-event.h>
