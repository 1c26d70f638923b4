/* SPDX-License-Identifier: MIT */
/* The event that the LTTng peer records: 8 bytes, as ours. Read several times by lttng-ust. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER stampede

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_provider.h"

#if !defined(STAMPEDE_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define STAMPEDE_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(stampede, event, LTTNG_UST_TP_ARGS(uint64_t, value),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, value, value)))

#endif

#include <lttng/tracepoint-event.h>
