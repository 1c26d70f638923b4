// SPDX-License-Identifier: MIT
#include "traces/ftrace_read.h"

#include <inttypes.h>

#define ABSOLUTE_BITS 59 /* of a kernel's absolute */

void ftrace_reader_init(struct ftrace_reader *reader, uint32_t subbuf_bytes, uint32_t stamp_bits)
{
	*reader = (struct ftrace_reader){
		.subbuf_bytes = subbuf_bytes,
		.stamp_bits = stamp_bits,
		.first = true,
	};
}

static uint64_t offset_of(const struct ftrace_reader *reader, const uint8_t *at)
{
	return reader->offset + (uint64_t)(at - reader->subbuf);
}

static bool bad_commit(struct ftrace_reader *reader, uint64_t commit)
{
	uint64_t swapped = __builtin_bswap64(commit) & FTRACE_COMMIT_MASK;
	uint32_t data = reader->subbuf_bytes - FTRACE_HEADER_BYTES;

	return trace_fault(
		&reader->fault, reader->offset + 8,
		"commit %#" PRIx64 " is more than the %" PRIu32 " bytes of a sub-buffer%s", commit,
		data,
		swapped && swapped <= data ?
			"; it would fit in the other byte order, which is not read" :
		ftrace_is_narrow(commit) ?
			"; is it of another size, or of a 32-bit kernel, which is not read?" :
			"; is it of another size?");
}

static void count_lost(struct ftrace_reader *reader, uint64_t commit, uint64_t used)
{
	uint64_t lost;

	if (!(commit & FTRACE_COMMIT_LOST))
		return;
	reader->counts.lost_marks++;
	if (!(commit & FTRACE_COMMIT_COUNT) || used + sizeof(lost) > reader->subbuf_bytes)
		return;
	memcpy(&lost, reader->subbuf + used, sizeof(lost));
	reader->counts.lost += lost;
}

static bool sound_commit(uint64_t commit, uint32_t subbuf_bytes)
{
	return !(commit & ~(FTRACE_COMMIT_MASK | FTRACE_COMMIT_LOST | FTRACE_COMMIT_COUNT)) &&
	       FTRACE_HEADER_BYTES + (commit & FTRACE_COMMIT_MASK) <= subbuf_bytes;
}

/*
 * Sub-buffers that are smaller than they are said to be would each hide the next from the reader:
 * behind the data there may be a header. Stale bytes can look like one, but its time tells.
 */
static void look_behind(struct ftrace_reader *reader, uint64_t begin, uint64_t used)
{
	struct ftrace_header header;
	uint32_t bytes = FTRACE_SUBBUF_LEAST;

	reader->hidden_offset = 0;
	while (bytes < used)
		bytes *= 2;
	for (; bytes <= reader->subbuf_bytes / 2; bytes *= 2) {
		memcpy(&header, reader->subbuf + bytes, sizeof(header));
		header.commit = ftrace_commit(reader->subbuf + bytes);
		if (!(header.commit & FTRACE_COMMIT_MASK) || header.time_stamp < begin ||
		    !sound_commit(header.commit, bytes))
			continue;
		reader->hidden_offset = reader->offset + bytes;
		reader->hidden_stamp = header.time_stamp;
		return;
	}
}

/* Now that the next sub-buffer begins at `begin`: was there one between it and the last event? */
static bool was_hidden(struct ftrace_reader *reader, uint64_t begin)
{
	return reader->hidden_offset && reader->hidden_stamp >= reader->time &&
	       reader->hidden_stamp <= begin;
}

bool ftrace_subbuf_open(struct ftrace_reader *reader, const uint8_t *subbuf, uint64_t offset)
{
	struct ftrace_header header;
	uint64_t used;

	memcpy(&header, subbuf, sizeof(header));
	header.commit = ftrace_commit(subbuf);
	if (was_hidden(reader, header.time_stamp))
		return trace_fault(&reader->fault, reader->hidden_offset,
				   "another sub-buffer begins inside the one of %" PRIu32
				   " bytes: are they smaller?",
				   reader->subbuf_bytes);
	reader->subbuf = subbuf;
	reader->offset = offset;
	if (!header.time_stamp && !header.commit)
		return trace_fault(&reader->fault, offset,
				   "no sub-buffer: begin stamp and commit are zero");
	used = FTRACE_HEADER_BYTES + (header.commit & FTRACE_COMMIT_MASK);
	if (!sound_commit(header.commit, reader->subbuf_bytes))
		return bad_commit(reader, header.commit);
	if (!reader->first && (int64_t)(header.time_stamp - reader->time) < 0) {
		reader->counts.backward++;
		trace_fault(&reader->backward, offset,
			    "time goes back: sub-buffer begins at %" PRIu64 ", %" PRIu64
			    " before its predecessor's last event",
			    header.time_stamp, reader->time - header.time_stamp);
	}
	count_lost(reader, header.commit, used);
	reader->first = false;
	reader->at = subbuf + FTRACE_HEADER_BYTES;
	reader->end = subbuf + used;
	reader->time = header.time_stamp;
	reader->counts.subbufs++;
	look_behind(reader, header.time_stamp, used);
	return true;
}

/* An extend or absolute. */
static bool time_record(struct ftrace_reader *reader)
{
	bool extend = ftrace_type(get_u32(reader->at)) == FTRACE_TYPE_EXTEND;
	uint64_t time, back;

	if (reader->end - reader->at < FTRACE_TIME_BYTES)
		return trace_fault(&reader->fault, offset_of(reader, reader->at),
				   "%s record runs over the end of its sub-buffer",
				   extend ? "extend" : "absolute");
	time = ftrace_time(reader->at, reader->time, reader->stamp_bits);
	/* An absolute that goes back comes out of the 59-bit rule as a jump ahead. */
	back = reader->time - (time - (UINT64_C(1) << ABSOLUTE_BITS));
	if (!extend && reader->stamp_bits + 32 == ABSOLUTE_BITS && !(back >> FTRACE_JUMP_BITS)) {
		time = reader->time - back;
		reader->counts.backward++;
		trace_fault(&reader->backward, offset_of(reader, reader->at),
			    "time goes back: absolute %" PRIu64 ", %" PRIu64
			    " before the event before it",
			    time, back);
	} else if ((time - reader->time) >> FTRACE_JUMP_BITS)
		return trace_fault(&reader->fault, offset_of(reader, reader->at),
				   "absurd %s from %" PRIu64 " to %" PRIu64,
				   extend ? "extend" : "absolute", reader->time, time);
	reader->counts.extends += extend;
	reader->counts.absolutes += !extend;
	reader->time = time;
	reader->at += FTRACE_TIME_BYTES;
	return true;
}

static bool padding_record(struct ftrace_reader *reader)
{
	uint32_t delta = get_u32(reader->at) >> FTRACE_TYPE_BITS;
	uint64_t left = (uint64_t)(reader->end - reader->at), length;

	if (!delta) {
		reader->at = reader->end;
		return true;
	}
	length = left < 8 ? UINT64_MAX - 4 : get_u32(reader->at + 4);
	if (length < 4 || length + 4 > left)
		return trace_fault(&reader->fault, offset_of(reader, reader->at),
				   "padding runs over the end of its sub-buffer");
	reader->counts.paddings++;
	reader->counts.paddings_of_1 += delta == 1;
	reader->time += delta;
	reader->at += 4 + length;
	return true;
}

/* A large event, or one that does not fit. False: a fault. */
static bool large_event(struct ftrace_reader *reader, struct trace_event *event)
{
	uint64_t left = (uint64_t)(reader->end - reader->at);
	uint32_t header, payload;

	if (!ftrace_size(reader->at, left, &header, &payload))
		return trace_fault(&reader->fault, offset_of(reader, reader->at),
				   "length of a large record is no length");
	if ((uint64_t)header + payload > left)
		return trace_fault(&reader->fault, offset_of(reader, reader->at),
				   "record of %" PRIu64
				   " bytes runs over the end of its sub-buffer",
				   (uint64_t)header + payload);
	if (payload % 4)
		return trace_fault(&reader->fault, offset_of(reader, reader->at),
				   "payload of %" PRIu32 " bytes is not whole words", payload);
	reader->time += get_u32(reader->at) >> FTRACE_TYPE_BITS;
	*event = (struct trace_event){
		.time = reader->time,
		.payload = reader->at + header,
		.payload_bytes = payload,
		.header_bytes = header,
	};
	reader->at += header + payload;
	return true;
}

/* The bits of a record's word that are its type, or have to be 0. */
static inline uint32_t type_mask(const struct ftrace_reader *reader)
{
	return ~(uint32_t)(bits_mask(reader->stamp_bits) << FTRACE_TYPE_BITS);
}

/* Whatever is no small event; `*taken` if it is one for the batch. False: a fault. */
static __attribute__((noinline)) bool rare_record(struct ftrace_reader *reader,
						  struct trace_event *event, bool *taken)
{
	uint32_t type;

	uint32_t wide;

	*taken = false;
	if (reader->end - reader->at < 4)
		return trace_fault(&reader->fault, offset_of(reader, reader->at),
				   "%d bytes behind the last record",
				   (int)(reader->end - reader->at));
	type = ftrace_type(get_u32(reader->at));
	wide = get_u32(reader->at) & type_mask(reader) & ~type;
	if (wide)
		return trace_fault(&reader->fault, offset_of(reader, reader->at),
				   "time_delta %" PRIu32 " does not fit %" PRIu32 " bits",
				   get_u32(reader->at) >> FTRACE_TYPE_BITS, reader->stamp_bits);
	if (ftrace_is_time(type))
		return time_record(reader);
	if (type == FTRACE_TYPE_PADDING)
		return padding_record(reader);
	*taken = true;
	return large_event(reader, event);
}

/*
 * The loop that has to be quick: small events, as many as follow each other. As long as they are of
 * one length the next record's place does not hang on a load, so that several are under way at
 * once.
 */
static inline uint32_t small_events(struct ftrace_reader *reader, struct trace_event *batch,
				    uint32_t count)
{
	struct trace_event *event = batch + count, *full = batch + TRACE_BATCH;
	const uint8_t *at = reader->at, *last;
	const uint32_t mask = type_mask(reader);
	uint64_t time = reader->time;
	uint32_t word, type, bytes;

	while (event != full && reader->end - at >= 4) {
		type = get_u32(at) & mask;
		bytes = type * 4;
		if (unlikely(type - 1 >= FTRACE_TYPE_MAX_SMALL ||
			     reader->end - at < (int64_t)bytes + 4))
			break;
		last = reader->end - bytes - 4;
		do {
			word = get_u32(at);
			if (unlikely((word & mask) != type))
				break;
			time += word >> FTRACE_TYPE_BITS;
			event->time = time;
			event->payload = at + 4;
			event->payload_bytes = bytes;
			event->header_bytes = 4;
			event++->id = 0;
			at += bytes + 4;
		} while (event != full && at <= last);
	}
	reader->at = at;
	reader->time = time;
	return (uint32_t)(event - batch);
}

uint32_t ftrace_batch(struct ftrace_reader *reader, struct trace_event *batch)
{
	uint32_t count = 0;
	bool taken;

	for (;;) {
		count = small_events(reader, batch, count);
		if (count == TRACE_BATCH || reader->at == reader->end)
			break;
		if (!rare_record(reader, &batch[count], &taken)) {
			reader->end = reader->at;
			break;
		}
		count += taken;
		if (count == TRACE_BATCH)
			break;
	}
	reader->counts.events += count;
	return count;
}
