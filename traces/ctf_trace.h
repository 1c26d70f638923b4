/* SPDX-License-Identifier: MIT */
/*
 * CTF traces of anybody, and ours as others see them, by libbabeltrace2: 2.0 reads CTF 1.8, 2.1 and
 * later CTF 2 as well. Programs that read them are linked with -lbabeltrace2.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

/* A stream, such as one per CPU. */
struct ctf_stream {
	const bt_stream *library; /* how the library knows it */
	char *path; /* its file, the first of several */
	uint64_t cpu; /* the field cpu_id of its packets; 0: they have none */
	uint64_t events;
	uint64_t packets, empty_packets;
	uint64_t discarded, missing_packets; /* as its packets say */
	uint64_t events_before; /* its newest packet */
};

struct ctf_event {
	const struct ctf_stream *stream;
	unsigned int index; /* of the stream in ctf_trace.streams */
	bool timed; /* its stream has a clock */
	uint64_t ticks; /* of the trace's clock */
	uint64_t ns; /* the same, since the clock's own zero; saturates */
	bool dated; /* realtime_ns is ns since 1970 */
	uint64_t realtime_ns;
	const bt_event *library;
};

/* Called for each event, in order of time over all streams. */
typedef void ctf_event_fn(void *arg, const struct ctf_event *event);

/* Any of the library's messages about a stream, after ctf_trace has counted it. */
typedef void ctf_message_fn(void *arg, const struct ctf_stream *stream, unsigned int index,
			    const bt_message *message);

struct ctf_trace {
	struct ctf_stream *streams;
	unsigned int count;
	bool dated; /* its clock has an offset from 1970 */
	bool stopped; /* the library was, and holds what it did not free */
	bool damaged; /* and `why`; streams and counts are of what was read before */
	char why[400];
	ctf_event_fn *event;
	ctf_message_fn *message;
	void *arg;
};

/* Can the library that is linked read CTF 2? */
bool ctf_trace_knows_ctf2(void);

/* The file `metadata` in `dir`, a text with zeros behind it, to be freed; empty if there is none.
 */
char *ctf_trace_metadata(const char *dir, size_t *bytes);

/*
 * Reads the trace in the directory `dir` to its end or its first damage. An exit code, after a line
 * on stderr if nothing could be read at all; ctf_trace_free() in any case. `log`: from which level
 * on the library writes to stderr by itself.
 */
int ctf_trace_read(struct ctf_trace *trace, const char *dir, bt_logging_level log,
		   ctf_event_fn *event, void *arg);

/*
 * The same, stream by stream and without the order of time over all, which the library's muxer
 * makes of streams that go forward alone.
 */
int ctf_trace_read_apart(struct ctf_trace *trace, const char *dir, ctf_event_fn *event,
			 ctf_message_fn *message, void *arg);
void ctf_trace_free(struct ctf_trace *trace);

/* Each integer of the context and the payload that has a name, in the order of the record. */
typedef void ctf_integer_fn(void *arg, const char *name, bool is_signed, uint64_t value);
void ctf_event_integers(const struct ctf_event *event, ctf_integer_fn *integer, void *arg);
