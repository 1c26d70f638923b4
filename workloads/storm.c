// SPDX-License-Identifier: MIT
/*
 * storm: real signals interrupt the writer, and each other. A bench runs it three times: with
 * fields of the row's own width; so narrow that what a row does at a wrap is done all the time
 * (wider for rows with a beat, for a timer that comes in time); and on the code that is timed.
 */
#include "workloads/engine/thread.h"

#define NARROW_BITS 16
#define NARROW_BEAT_BITS 24

static const struct workload_engine engine = {
	.signals = SIGNALS_SENT,
	.adapt = true,
	.sharable = true,
	.timeable = true,
	.record = engine_record_storm,
};

const struct workload workload_storm = {
	.name = "storm",
	.text = "real signals on three nesting levels interrupt the writer",
	.plot = "storm",
	.engine = &engine,
	.forms = { { .section = "stress", .seconds = { 0.1, 0.35, 4 }, .worst_error = true },
		   { .section = "stress",
		     .seconds = { 0, 0.2, 2 },
		     .worst_error = true,
		     .bits = NARROW_BITS,
		     .beaten_bits = NARROW_BEAT_BITS },
		   { .section = "timed_storm",
		     .seconds = { 0.05, 0.15, 1 },
		     .worst_error = true,
		     .on_timed = "storm on the timed build" } },
};
