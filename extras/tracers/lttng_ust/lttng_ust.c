// SPDX-License-Identifier: MIT
/* LTTng-UST's tracepoint; `run` has the session, and babeltrace2 reads it. */
#include <stdbool.h>
#include <stdlib.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "base/time.h"
#include "extras/tracers/lttng_ust/stampede_tp.h"
#include "extras/tracers/tracer.h"

static const uint64_t words[128];
static bool large;

static int open_nothing(const char *folder)
{
	(void)folder;
	large = getenv("LARGE");
	return 0;
}

static void record(unsigned int stream, uint64_t seq)
{
	if (large)
		lttng_ust_tracepoint(stampede, large, stream, seq, words);
	else
		lttng_ust_tracepoint(stampede, stamp, stream, seq);
}

const struct tracer_calls tracer = { open_nothing, record, time_ns, NULL };
