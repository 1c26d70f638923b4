// SPDX-License-Identifier: MIT
/* A clock plugin for lttng-ust: the counter that our rows read, LTTNG_UST_CLOCK_PLUGIN. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lttng/ust-clock.h>

#include "schemes/core/clock.h"

static uint64_t clock_read64(void)
{
	return clock_real();
}

/* Ticks per second, as whoever starts us measured them. */
static uint64_t clock_freq(void)
{
	const char *hz = getenv("STAMPEDE_CLOCK_HZ");

	return hz ? strtoull(hz, NULL, 10) : 1000000000u;
}

static int clock_uuid(char *uuid)
{
	snprintf(uuid, LTTNG_UST_UUID_STR_LEN, "5d3f0a52-7c43-4c0f-9d0b-2f6b1f0e7a11");
	return 0;
}

static const char *clock_name(void)
{
	return "stampede_ticks";
}

static const char *clock_description(void)
{
	return "the counter that Stampede's rows read";
}

void lttng_ust_clock_plugin_init(void);
void lttng_ust_clock_plugin_init(void)
{
	if (lttng_ust_trace_clock_set_read64_cb(clock_read64) ||
	    lttng_ust_trace_clock_set_freq_cb(clock_freq) ||
	    lttng_ust_trace_clock_set_uuid_cb(clock_uuid) ||
	    lttng_ust_trace_clock_set_name_cb(clock_name) ||
	    lttng_ust_trace_clock_set_description_cb(clock_description) ||
	    lttng_ust_enable_trace_clock_override())
		dprintf(STDERR_FILENO, "stampede: lttng-ust refused the clock\n");
}
