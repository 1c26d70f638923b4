// SPDX-License-Identifier: MIT
/* Loaded by the worker when its session runs; an object of its own, for it needs liblttng-ust. */
#include <stdint.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "extras/peers/lttng_provider.h"

void peer_lttng_record(uint64_t events);
void peer_lttng_record(uint64_t events)
{
	uint64_t i;

	for (i = 0; i < events; i++)
		lttng_ust_tracepoint(stampede, event, i);
}
