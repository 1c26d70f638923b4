// SPDX-License-Identifier: MIT
#include "traces/seek.h"

#include <stdlib.h>

#include "traces/ctf_read.h"
#include "traces/ftrace_read.h"

/* The first event of `batch` at or after `time`, in sub-buffer `index` at `base`. False: none. */
static bool look(const struct trace_event *batch, uint32_t count, uint64_t time, uint64_t index,
		 const uint8_t *base, struct seek_found *found)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		found->decoded++;
		if (batch[i].time < time)
			continue;
		found->found = true;
		found->time = batch[i].time;
		found->index = index;
		found->offset = (uint64_t)(batch[i].payload - base);
		return true;
	}
	return false;
}

/* ---- ftrace ---- */

struct ftrace_place {
	const struct trace_file *file;
	uint32_t subbuf_bytes;
};

static bool ftrace_begin_of(void *arg, uint64_t index, uint64_t *stamp)
{
	const struct ftrace_place *place = arg;

	*stamp = ftrace_subbuf_begin(place->file->bytes + index * place->subbuf_bytes);
	return true;
}

bool seek_ftrace(const struct trace_file *file, uint32_t subbuf_bytes, uint32_t stamp_bits,
		 uint64_t time, struct seek_found *found, struct trace_fault *fault)
{
	struct ftrace_place place = { file, subbuf_bytes };
	struct seek seek = { ftrace_begin_of, &place, file->size / subbuf_bytes, 0 };
	struct trace_event batch[TRACE_BATCH];
	struct ftrace_reader reader;
	uint64_t index;
	uint32_t count;

	*found = (struct seek_found){ .found = false };
	if (!seek_before(&seek, time, &index))
		return false;
	found->probes = seek.probes;
	ftrace_reader_init(&reader, subbuf_bytes, stamp_bits);
	/* An event may not be earlier than its sub-buffer: two are enough, but for empty ones. */
	for (index -= index > 0; index < seek.count; index++) {
		if (!ftrace_subbuf_open(&reader, file->bytes + index * subbuf_bytes,
					index * subbuf_bytes))
			break;
		while ((count = ftrace_batch(&reader, batch)))
			if (look(batch, count, time, index, reader.subbuf, found))
				return true;
		if (reader.fault.set)
			break;
	}
	*fault = reader.fault;
	return !fault->set;
}

/* ---- CTF ---- */

struct ctf_place {
	struct ctf_reader *reader;
	const struct seek_index *index;
};

static uint64_t offset_of(const struct seek_index *index, uint64_t number)
{
	return index->offsets ? index->offsets[number] : number * index->packet_bytes;
}

static bool ctf_begin_of(void *arg, uint64_t number, uint64_t *stamp)
{
	struct ctf_place *place = arg;

	if (!ctf_packet_read(place->reader, offset_of(place->index, number)))
		return false;
	*stamp = place->reader->packet.begin;
	if (place->reader->packet.has_begin)
		return true;
	return ctf_fault_here(place->reader, "packets without timestamp_begin cannot be sought in");
}

/* Hops from header to header. */
static bool make_index(struct ctf_reader *reader, struct seek_index *index)
{
	uint64_t offset, room = 0, *more;

	for (offset = 0; offset < reader->size; offset += reader->packet.bytes) {
		if (index->count == room) {
			room = room ? 2 * room : 1024;
			more = realloc(index->offsets, room * sizeof(*more));
			if (!more)
				return ctf_fault_here(reader, "no memory for an index of packets");
			index->offsets = more;
		}
		if (!ctf_packet_read(reader, offset))
			return false;
		index->offsets[index->count++] = offset;
	}
	return true;
}

/* Packets of one size, as far as the first and the file say; seek_ctf() finds out if not. */
static bool same_sizes(struct ctf_reader *reader, struct seek_index *index)
{
	uint64_t bytes;

	if (!ctf_packet_read(reader, 0))
		return false;
	bytes = reader->packet.bytes;
	if (reader->size % bytes)
		return make_index(reader, index);
	index->packet_bytes = bytes;
	index->count = reader->size / bytes;
	return true;
}

static bool find_forward(struct ctf_reader *reader, const struct seek_index *index, uint64_t number,
			 uint64_t time, struct seek_found *found)
{
	struct trace_event batch[TRACE_BATCH];
	uint32_t count;

	reader->any = false;
	for (; number < index->count; number++) {
		if (!ctf_packet_open(reader, offset_of(index, number)))
			return false;
		while ((count = ctf_batch(reader, batch)))
			if (look(batch, count, time, number, reader->bytes + reader->packet.offset,
				 found))
				return true;
		if (reader->fault.set)
			return false;
	}
	return true;
}

bool seek_ctf(struct ctf_reader *reader, struct seek_index *index, uint64_t time,
	      struct seek_found *found)
{
	struct ctf_place place = { reader, index };
	struct seek seek = { .begin = ctf_begin_of, .arg = &place };
	struct trace_fault none = { .set = false };
	uint64_t number;

	*found = (struct seek_found){ .found = false };
	if (!reader->size)
		return true;
	if (!index->count && !same_sizes(reader, index))
		return false;
	seek.count = index->count;
	if (!seek_before(&seek, time, &number)) {
		/* No packet where one was expected: they differ in size after all. */
		if (index->offsets)
			return false;
		reader->fault = none;
		index->packet_bytes = index->count = 0;
		if (!make_index(reader, index))
			return false;
		seek.count = index->count;
		if (!seek_before(&seek, time, &number))
			return false;
	}
	found->probes = seek.probes;
	return find_forward(reader, index, number - (number > 0), time, found);
}

void seek_index_free(struct seek_index *index)
{
	free(index->offsets);
	*index = (struct seek_index){ .count = 0 };
}
