// SPDX-License-Identifier: MIT
/* What all fuzzers of CTF judge by: whatever the plan decodes, reading field by field decodes too.
 */
#pragma once
#include <stdlib.h>
#include <string.h>

#include "traces/ctf_read.h"

#define BATCHES_MOST 64

static void ignore(void *arg, const struct ctf_field *field, uint64_t value)
{
	*(uint64_t *)arg += value + (field->name[0] == '_');
}

/* Decodes all; times and places in `times`, as many as there is room for. Returns how many. */
static unsigned int decode(const struct ctf_metadata *metadata, const uint8_t *bytes, size_t size,
			   bool no_plan, uint64_t times[BATCHES_MOST * TRACE_BATCH])
{
	struct trace_event batch[TRACE_BATCH];
	unsigned int count = 0;
	struct ctf_reader reader;
	uint64_t offset = 0, sum = 0;
	uint32_t got, i;

	if (!ctf_reader_open(&reader, metadata, bytes, size)) {
		ctf_reader_close(&reader);
		return 0;
	}
	reader.no_plan = no_plan;
	while (offset < size && ctf_packet_open(&reader, offset)) {
		offset += reader.packet.bytes;
		while (count < (BATCHES_MOST - 1) * TRACE_BATCH &&
		       (got = ctf_batch(&reader, batch)))
			for (i = 0; i < got; i++) {
				if (batch[i].payload < bytes ||
				    batch[i].payload + batch[i].payload_bytes > bytes + size)
					abort();
				times[count++] = batch[i].time + (uint64_t)batch[i].id +
						 (uint64_t)(batch[i].payload - bytes);
				if (!ctf_event_fields(&reader, &batch[i], ignore, &sum))
					abort();
			}
		if (reader.fault.set || count >= (BATCHES_MOST - 1) * TRACE_BATCH)
			break;
	}
	ctf_reader_close(&reader);
	return count;
}

static inline void decode_both(const struct ctf_metadata *metadata, const uint8_t *bytes,
			       size_t size)
{
	static uint64_t planned[BATCHES_MOST * TRACE_BATCH], plain[BATCHES_MOST * TRACE_BATCH];
	uint8_t *copy = malloc(size ? size : 1);
	unsigned int count;

	if (!copy)
		return;
	memcpy(copy, bytes, size);
	count = decode(metadata, copy, size, false, planned);
	if (decode(metadata, copy, size, true, plain) != count ||
	    memcmp(planned, plain, count * sizeof(*planned)) != 0)
		abort();
	free(copy);
}

/* `length` bytes of metadata, and what it makes of the bytes of a stream. */
static inline void decode_all(const uint8_t *text, size_t length, const uint8_t *bytes, size_t size)
{
	struct trace_fault fault = { .set = false };
	struct ctf_metadata metadata;

	if (tsdl_parse(text, length, &metadata, &fault))
		decode_both(&metadata, bytes, size);
	else if (!fault.set)
		abort();
	tsdl_free(&metadata);
}
