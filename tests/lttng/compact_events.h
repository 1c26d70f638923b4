/* SPDX-License-Identifier: MIT */
/* The events of the recorded compact trace (record.sh). Read several times by lttng-ust. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER compact

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tests/lttng/compact_events.h"

#if !defined(STAMPEDE_COMPACT_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define STAMPEDE_COMPACT_EVENTS_H

#include <lttng/tracepoint.h>

/* Of constant size; of an odd one; and of one that hangs on a text. */
LTTNG_UST_TRACEPOINT_EVENT(compact, fixed, LTTNG_UST_TP_ARGS(uint32_t, number, uint64_t, value),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, number, number)
						       lttng_ust_field_integer(uint64_t, value,
									       value)))

LTTNG_UST_TRACEPOINT_EVENT(
	compact, odd, LTTNG_UST_TP_ARGS(uint32_t, number, int16_t, below),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, number, number)
				    lttng_ust_field_integer(int16_t, below, below)
					    lttng_ust_field_integer(uint8_t, small, number)))

LTTNG_UST_TRACEPOINT_EVENT(compact, text, LTTNG_UST_TP_ARGS(uint32_t, number, const char *, text),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_string(text, text)
						       lttng_ust_field_integer(uint32_t, number,
									       number)))

#endif

#include <lttng/tracepoint-event.h>
