// SPDX-License-Identifier: MIT
/*
 * LLVM XRay, flight data recorder, versions 3 to 5 (llvm/docs/XRayFDRFormat.rst). A file is a
 * header of 32 bytes and buffers, each of one thread: a record that gives the buffer's size, then
 * records of 16 bytes (bit 0 set, then 7 bits of kind) or 8 (of functions: 32 bits and a delta).
 * Buffers come in no order of time.
 */
#include <inttypes.h>
#include <string.h>

#include "traces/lint_formats.h"

#define HEADER_BYTES 32
#define RECORD_BYTES 16
#define FUNCTION_BYTES 8

enum xray_kind {
	XRAY_NEW_BUFFER,
	XRAY_NEW_CPU = 2,
	XRAY_WRAP,
	XRAY_WALLCLOCK,
	XRAY_CUSTOM,
	XRAY_ARGUMENT,
	XRAY_EXTENTS,
	XRAY_TYPED,
	XRAY_PID,
};

struct xray_buffer {
	struct lint *lint;
	const struct trace_file *file;
	uint16_t version;
	uint64_t at, end;
	uint32_t stream;
	bool has_thread, any, ordered; /* ordered: there was a time before */
	uint64_t tsc, first, last; /* tsc: what deltas are added to */
	uint64_t begin_place;
};

#define GET(name, file, offset) memcpy(&(name), (file)->bytes + (offset), sizeof(name))

static struct lint_event next(struct xray_buffer *buffer, uint64_t tsc)
{
	const struct lint_event event = {
		.stream = buffer->stream,
		.time = (int64_t)tsc,
		.place = buffer->at,
		.order = buffer->ordered ? LINT_ORDERED : LINT_ANEW,
	};

	buffer->ordered = true;
	return event;
}

static void emit(struct xray_buffer *buffer, uint64_t tsc)
{
	const struct lint_event event = next(buffer, tsc);

	lint_event(buffer->lint, &event);
	if (!buffer->any || tsc < buffer->first)
		buffer->first = tsc;
	if (!buffer->any || tsc > buffer->last)
		buffer->last = tsc;
	buffer->any = true;
}

/* The whole counter, which deltas are added to from here on. */
static uint64_t rebase(struct xray_buffer *buffer, unsigned int offset)
{
	struct lint_event event;

	GET(buffer->tsc, buffer->file, buffer->at + offset);
	event = next(buffer, buffer->tsc);
	lint_point(buffer->lint, &event, "counter");
	return RECORD_BYTES;
}

/* The bytes of a record of an event that has text behind it; 0: a fault. */
static uint64_t custom(struct xray_buffer *buffer, enum xray_kind kind, struct trace_fault *fault)
{
	int32_t size, delta;
	uint64_t tsc;

	GET(size, buffer->file, buffer->at + 1);
	if (size <= 0 || (uint64_t)size > buffer->end - buffer->at - RECORD_BYTES)
		return trace_fault(fault, buffer->at,
				   "an event of %" PRId32 " bytes does not fit its buffer", size);
	if (kind == XRAY_CUSTOM && buffer->version < 5) {
		GET(tsc, buffer->file, buffer->at + 5);
	} else {
		GET(delta, buffer->file, buffer->at + 5);
		tsc = buffer->tsc += (uint64_t)(int64_t)delta;
	}
	emit(buffer, tsc);
	return RECORD_BYTES + (uint64_t)size;
}

/* The bytes of a record; 0: a fault. */
static uint64_t record(struct xray_buffer *buffer, struct trace_fault *fault)
{
	uint8_t head = buffer->file->bytes[buffer->at];
	uint32_t delta;
	int32_t thread;

	if (buffer->end - buffer->at < (head & 1 ? RECORD_BYTES : FUNCTION_BYTES))
		return trace_fault(fault, buffer->at, "a record runs over the end of its buffer");
	if (!buffer->has_thread && head != (XRAY_NEW_BUFFER << 1 | 1))
		return trace_fault(fault, buffer->at, "a buffer does not begin with its thread");
	if (!(head & 1)) {
		GET(delta, buffer->file, buffer->at + 4);
		emit(buffer, buffer->tsc += delta);
		return FUNCTION_BYTES;
	}
	switch (head >> 1) {
	case XRAY_NEW_BUFFER:
		GET(thread, buffer->file, buffer->at + 1);
		buffer->stream = lint_stream(buffer->lint, (uint32_t)thread, "%s: thread %" PRId32,
					     buffer->file->path, thread);
		buffer->has_thread = true;
		return RECORD_BYTES;
	case XRAY_NEW_CPU:
		return rebase(buffer, 3);
	case XRAY_WRAP:
		return rebase(buffer, 1);
	case XRAY_CUSTOM:
	case XRAY_TYPED:
		return custom(buffer, head >> 1, fault);
	case XRAY_WALLCLOCK:
	case XRAY_ARGUMENT:
	case XRAY_PID:
		return RECORD_BYTES;
	default:
		return trace_fault(fault, buffer->at, "no kind of record: %d", head >> 1);
	}
}

void lint_xray(struct lint *lint, struct trace_file *file, struct trace_fault *fault)
{
	struct xray_buffer buffer = { .lint = lint, .file = file };
	uint64_t bytes, hz;

	if (file->size < HEADER_BYTES) {
		trace_fault(fault, 0, "truncated: a header has %d bytes", HEADER_BYTES);
		return;
	}
	GET(buffer.version, file, 0);
	GET(hz, file, 8);
	lint->unit = "ticks";
	lint->hz = hz ? hz : lint->hz;
	lint->bits = 32;
	buffer.at = HEADER_BYTES;
	while (buffer.at < file->size && !fault->set) {
		buffer.has_thread = buffer.any = buffer.ordered = false;
		buffer.tsc = 0;
		if (file->size - buffer.at < RECORD_BYTES ||
		    file->bytes[buffer.at] != (XRAY_EXTENTS << 1 | 1)) {
			trace_fault(fault, buffer.at, "no record of a buffer's size");
			return;
		}
		GET(bytes, file, buffer.at + 1);
		buffer.begin_place = buffer.at;
		buffer.at += RECORD_BYTES;
		if (bytes > file->size - buffer.at)
			trace_fault(fault, buffer.at,
				    "truncated: %" PRIu64 " of the %" PRIu64 " bytes of a buffer",
				    file->size - buffer.at, bytes);
		buffer.end = fault->set ? file->size : buffer.at + bytes;
		for (bytes = 1; buffer.at < buffer.end && bytes; buffer.at += bytes)
			bytes = record(&buffer, fault);
		if (buffer.any)
			lint_packet_whole(lint, buffer.stream, buffer.begin_place,
					  (int64_t)buffer.first, (int64_t)buffer.last);
	}
}
