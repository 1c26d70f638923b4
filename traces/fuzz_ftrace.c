// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as raw ftrace sub-buffers. The first byte chooses their size and the width
 * of time_delta. Whatever is decoded lies inside its sub-buffer, and goes back in time only where
 * the reader says so.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/ftrace_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(struct ftrace_reader *reader, const uint8_t *subbuf, uint64_t offset)
{
	struct trace_event batch[TRACE_BATCH];
	uint64_t before, backward, payload = 0;
	uint32_t count, i;

	if (!ftrace_subbuf_open(reader, subbuf, offset))
		return;
	backward = reader->counts.backward;
	before = reader->time;
	while ((count = ftrace_batch(reader, batch)))
		for (i = 0; i < count; i++) {
			if (batch[i].payload < subbuf + 20 ||
			    batch[i].payload + batch[i].payload_bytes >
				    subbuf + reader->subbuf_bytes ||
			    ((int64_t)(batch[i].time - before) < 0 &&
			     reader->counts.backward == backward))
				abort();
			before = batch[i].time;
			payload += batch[i].payload_bytes;
		}
	if (payload > reader->subbuf_bytes)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ftrace_reader reader;
	uint64_t offset = 0;
	uint32_t bytes;
	uint8_t *subbuf;

	if (!size)
		return 0;
	bytes = 64u << (*data & 7) % 5;
	ftrace_reader_init(&reader, bytes, *data & 8 ? 27 : 1 + (*data >> 4));
	data++;
	size--;
	/* On the heap with nothing behind it: whoever reads on is caught. */
	subbuf = malloc(bytes);
	for (; subbuf && size >= bytes && !reader.fault.set; data += bytes, size -= bytes) {
		memcpy(subbuf, data, bytes);
		decode(&reader, subbuf, offset);
		offset += bytes;
	}
	free(subbuf);
	return 0;
}
