/* SPDX-License-Identifier: MIT */
/* Compares what a tracer's reader said with what happened. Times are in units of its own clock. */
#pragma once

#include "base/histogram.h"
#include "extras/tracers/files.h"

/* What a tracer may promise, in the words of adapter.json. */
enum tracer_promise {
	PROMISE_OF_ORDER, /* times of a stream do not go back, in the order of its reader */
	PROMISE_OF_WINDOW, /* a time lies between entry and exit of its recording call */
	PROMISE_OF_WHOLENESS, /* nothing is torn, repeated or decoded that never happened */
	PROMISE_OF_LOSSES, /* each event is decoded, or counted as lost */
	PROMISE_OF_CONTAINMENT, /* a span ends after it starts, and within its parent */
	PROMISE_OF_CAUSALITY, /* an effect is not earlier than its cause, across streams */
	TRACER_PROMISES,
};

extern const char *const tracer_promise_words[TRACER_PROMISES];

/* For one promise: how often a breach could have shown, and how often it did; the worst one. */
struct breaches {
	uint64_t tried, seen, worst;
	uint64_t stream, seq; /* of the first breach as bad as `worst` */
	char what[96];
};

struct tracer_judged {
	struct breaches promise[TRACER_PROMISES];
	uint64_t events, decoded, lost_counted, equal;
	uint64_t early, late; /* times outside their window */
	struct histogram outside; /* by how much */
	uint64_t tolerance; /* the smallest that puts each effect after its cause */
};

/* How to compare its times, from the adapter. */
struct tracer_measure {
	uint64_t resolution; /* units by which a time may be off */
	bool one_order; /* its reader returns all streams in one order */
	bool sequence; /* and each stream's events in the order of SEQ */
};

/* Adds one round. Returns an exit code, after a line on stderr. */
int tracer_judge(struct tracer_judged *judged, const char *truth, const char *decoded,
		 const struct tracer_measure *measure);
