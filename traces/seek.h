/* SPDX-License-Identifier: MIT */
/*
 * Finds a time in a trace without reading it from the start: binary search over the 64-bit begin
 * stamps of sub-buffers, which is what they were invented for (Desnoyers, "LTTng synthetic TSC
 * MSB", 2006-03-01), then forward through one of them, or two.
 */
#ifndef STAMPEDE_TRACES_SEEK_H
#define STAMPEDE_TRACES_SEEK_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/trace_file.h"

struct seek {
	/* The begin stamp of sub-buffer `index`, 0 <= index < count. False: it cannot be read. */
	bool (*begin)(void *arg, uint64_t index, uint64_t *stamp);
	void *arg;
	uint64_t count;
	uint64_t probes; /* begin stamps read */
};

/* The first event at or after a time. */
struct seek_found {
	bool found; /* false: all events are earlier */
	uint64_t time;
	uint64_t index; /* of its sub-buffer */
	uint64_t offset; /* of its payload in that, bytes */
	uint64_t probes;
	uint64_t decoded; /* events, to get there */
};

/*
 * How many sub-buffers begin before `time`; begin stamps do not go back. The first event at or
 * after it is in the last of those or at the beginning of the next. At most log2(count) + 1 probes.
 * False: a begin stamp cannot be read.
 */
static inline bool seek_before(struct seek *seek, uint64_t time, uint64_t *before)
{
	uint64_t low = 0, high = seek->count, middle, stamp;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (!seek->begin(seek->arg, middle, &stamp))
			return false;
		seek->probes++;
		if (stamp < time)
			low = middle + 1;
		else
			high = middle;
	}
	*before = low;
	return true;
}

/* In a file of ftrace sub-buffers. False: `fault` says what is wrong. */
bool seek_ftrace(const struct trace_file *file, uint32_t subbuf_bytes, uint32_t stamp_bits,
		 uint64_t time, struct seek_found *found, struct trace_fault *fault);

struct ctf_reader;

/*
 * In a CTF stream file. Packets of one size are found by arithmetic; of others an index is made,
 * which reads every packet's header once: `index` has room for it and is kept between calls (start
 * with zeros, free with seek_index_free()). False: reader->fault.
 */
struct seek_index {
	uint64_t packet_bytes; /* of all packets; 0: they differ */
	uint64_t *offsets; /* where they differ */
	uint64_t count;
};

bool seek_ctf(struct ctf_reader *reader, struct seek_index *index, uint64_t time,
	      struct seek_found *found);
void seek_index_free(struct seek_index *index);

#endif
