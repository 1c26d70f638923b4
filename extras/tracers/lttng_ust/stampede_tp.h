/* SPDX-License-Identifier: MIT */
/* The events that the adapter records. Read several times by lttng-ust. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER stampede
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "extras/tracers/lttng_ust/stampede_tp.h"

#if !defined(STAMPEDE_EXTRAS_TRACERS_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define STAMPEDE_EXTRAS_TRACERS_TP_H
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(stampede, stamp, LTTNG_UST_TP_ARGS(uint32_t, stream, uint64_t, seq),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, stream, stream)
						       lttng_ust_field_integer(uint64_t, seq, seq)))
LTTNG_UST_TRACEPOINT_EVENT(
	stampede, large,
	LTTNG_UST_TP_ARGS(uint32_t, stream, uint64_t, seq, const uint64_t *, words),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, stream, stream)
				    lttng_ust_field_integer(uint64_t, seq, seq)
					    lttng_ust_field_array(uint64_t, words, words, 128)))
#endif

#include <lttng/tracepoint-event.h>
