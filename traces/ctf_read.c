// SPDX-License-Identifier: MIT
#include "traces/ctf_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schemes/format/format_ctf.h"

#define RECORD_STEPS 100000 /* beside one per bit that it takes */

bool ctf_reader_open(struct ctf_reader *reader, const struct ctf_metadata *metadata,
		     const uint8_t *bytes, uint64_t size)
{
	const struct ctf_stream *stream;
	unsigned int i = 0;

	*reader = (struct ctf_reader){ .metadata = metadata, .bytes = bytes, .size = size };
	reader->slots = calloc(metadata->slots + 1, sizeof(*reader->slots));
	if (!reader->slots)
		return false;
	for (stream = metadata->streams; stream; stream = stream->next)
		if (i == CTF_STREAMS_MOST || !ctf_plan_make(stream, &reader->plans[i++]))
			return false;
	return true;
}

void ctf_reader_close(struct ctf_reader *reader)
{
	unsigned int i;

	for (i = 0; i < CTF_STREAMS_MOST; i++)
		free((void *)(uintptr_t)reader->plans[i].record_bytes);
	free(reader->slots);
	reader->slots = NULL;
}

/* ---- packets ---- */

/* What is known by name in packet header and context. */
struct packet_fields {
	uint64_t value[CTF_ROLE_CPU + 1];
	bool has[CTF_ROLE_CPU + 1];
};

static void packet_integer(void *arg, const struct ctf_field *field, uint64_t value)
{
	struct packet_fields *found = arg;

	found->value[field->role] = value;
	found->has[field->role] = true;
}

/* The 16 bytes that a packet header's `uuid` has are the trace's. */
static bool check_uuid(struct ctf_reader *reader, const struct ctf_type *header)
{
	uint64_t bit = 0;
	uint32_t i;

	for (i = 0; i < header->count; i++) {
		const struct ctf_type *type = header->fields[i].type;

		bit = bits_align(bit, type->align);
		if (type->kind == CTF_ARRAY && type->length == 16 && type->element->size == 8 &&
		    header->fields[i].role == CTF_ROLE_UUID)
			break;
		if (type->kind != CTF_INTEGER)
			return true;
		bit += type->size;
	}
	if (i == header->count || !reader->metadata->has_uuid ||
	    !memcmp(reader->bytes + reader->packet.offset + bit / 8, reader->metadata->uuid, 16))
		return true;
	return trace_fault(&reader->fault, reader->packet.offset + bit / 8,
			   "packet of another trace: its UUID is not the metadata's");
}

static bool check_magic(struct ctf_reader *reader, const struct packet_fields *found)
{
	uint64_t magic = found->value[CTF_ROLE_MAGIC];

	if (!found->has[CTF_ROLE_MAGIC] || magic == CTF_MAGIC)
		return true;
	return trace_fault(&reader->fault, reader->packet.offset,
			   "no packet: the magic number is %#" PRIx64 "%s", magic,
			   magic == __builtin_bswap32(CTF_MAGIC) ?
				   ", that of a big-endian machine, whose traces are not read" :
				   "");
}

static bool check_sizes(struct ctf_reader *reader, const struct packet_fields *found)
{
	struct ctf_packet *packet = &reader->packet;
	uint64_t left = (reader->size - packet->offset) * 8;
	uint64_t bits =
		found->has[CTF_ROLE_PACKET_SIZE] ? found->value[CTF_ROLE_PACKET_SIZE] : left;

	packet->content_bits =
		found->has[CTF_ROLE_CONTENT_SIZE] ? found->value[CTF_ROLE_CONTENT_SIZE] : bits;
	if (bits % 8 || !bits || packet->content_bits > bits || packet->content_bits < reader->bit)
		return trace_fault(&reader->fault, packet->offset,
				   "packet of %" PRIu64 " bits with %" PRIu64
				   " of content and %" PRIu64 " of header",
				   bits, packet->content_bits, reader->bit);
	if (bits > left)
		return trace_fault(&reader->fault, packet->offset,
				   "truncated: %" PRIu64 " of the %" PRIu64 " bytes of a packet",
				   left / 8, bits / 8);
	packet->bytes = bits / 8;
	return true;
}

static void choose_plan(struct ctf_reader *reader)
{
	const struct ctf_stream *stream = reader->metadata->streams;
	unsigned int i = 0;

	for (; stream != reader->packet.stream; stream = stream->next)
		i++;
	reader->plan = &reader->plans[i];
}

static void keep_fields(struct ctf_packet *packet, const struct packet_fields *found)
{
	packet->begin = found->value[CTF_ROLE_BEGIN];
	packet->has_begin = found->has[CTF_ROLE_BEGIN];
	packet->end = found->value[CTF_ROLE_END];
	packet->has_end = found->has[CTF_ROLE_END];
	packet->sequence = found->value[CTF_ROLE_SEQUENCE];
	packet->has_sequence = found->has[CTF_ROLE_SEQUENCE];
	packet->discarded = found->value[CTF_ROLE_DISCARDED];
	packet->cpu = found->value[CTF_ROLE_CPU];
}

bool ctf_packet_read(struct ctf_reader *reader, uint64_t offset)
{
	struct packet_fields found = { .value = { 0 } };
	const struct ctf_metadata *metadata = reader->metadata;
	bool good = true;

	reader->packet = (struct ctf_packet){
		.offset = offset,
		.content_bits = (reader->size - offset) * 8,
	};
	reader->bit = 0;
	reader->budget = RECORD_STEPS;
	reader->integer = packet_integer;
	reader->arg = &found;
	if (metadata->packet_header)
		good = ctf_walk(reader, metadata->packet_header, NULL) &&
		       check_magic(reader, &found) && check_uuid(reader, metadata->packet_header);
	if (good) {
		reader->packet.stream = tsdl_stream(metadata, found.value[CTF_ROLE_STREAM_ID]);
		if (!reader->packet.stream)
			good = trace_fault(&reader->fault, offset,
					   "packet of stream %" PRIu64
					   ", which the metadata does not know",
					   found.value[CTF_ROLE_STREAM_ID]);
	}
	if (good && reader->packet.stream->packet_context)
		good = ctf_walk(reader, reader->packet.stream->packet_context, NULL);
	reader->integer = NULL;
	reader->packet.first_bit = reader->bit;
	keep_fields(&reader->packet, &found);
	return good && check_sizes(reader, &found);
}

static void see_backward(struct ctf_reader *reader, uint64_t offset, const char *what,
			 uint64_t time, uint64_t before)
{
	reader->counts.backward++;
	trace_fault(&reader->backward, offset, "%s: %" PRIu64 " behind %" PRIu64, what, time,
		    before);
}

bool ctf_packet_open(struct ctf_reader *reader, uint64_t offset)
{
	struct ctf_packet *packet = &reader->packet;
	uint64_t time = reader->time;

	if (!ctf_packet_read(reader, offset))
		return false;
	choose_plan(reader);
	if (packet->has_begin && reader->any && packet->begin < reader->packet_end)
		see_backward(reader, offset, "packet begins before its predecessor's end",
			     packet->begin, reader->packet_end);
	if (packet->has_end && packet->end < packet->begin)
		see_backward(reader, offset, "packet ends before it begins", packet->end,
			     packet->begin);
	if (packet->has_sequence && reader->any && packet->sequence > reader->next_sequence)
		reader->counts.missing_packets += packet->sequence - reader->next_sequence;
	reader->next_sequence = packet->sequence + 1;
	reader->packet_end = packet->has_end ? packet->end : packet->begin;
	/* Without a begin stamp the clock goes on from the packet before. */
	reader->time = packet->has_begin ? packet->begin : time;
	reader->counts.discarded = packet->discarded;
	reader->counts.packets++;
	reader->counts.content_bits += packet->content_bits;
	reader->counts.empty_packets += packet->content_bits == reader->bit;
	reader->any = true;
	return true;
}

/* ---- events ---- */

static void header_integer(void *arg, const struct ctf_field *field, uint64_t value)
{
	struct ctf_reader *reader = arg;

	if (field->role == CTF_ROLE_ID)
		reader->id = value;
}

/* Reads the header where the reader stands, and finds its event. */
static const struct ctf_event *read_header(struct ctf_reader *reader)
{
	const struct ctf_stream *stream = reader->packet.stream;
	const struct ctf_event *event;
	uint64_t begin = reader->bit;
	bool good;

	reader->budget = RECORD_STEPS + reader->packet.content_bits - reader->bit;
	reader->id = 0;
	reader->clock_bits = 0;
	reader->integer = header_integer;
	reader->arg = reader;
	good = ctf_walk(reader, stream->event_header, NULL);
	reader->integer = NULL;
	if (!good)
		return NULL;
	event = tsdl_event(stream, reader->id);
	if (!event)
		trace_fault(&reader->fault, reader->packet.offset + begin / 8,
			    "event with id %" PRIu64 ", which the metadata does not know",
			    reader->id);
	return event;
}

static bool read_payload(struct ctf_reader *reader, const struct ctf_event *event)
{
	const struct ctf_type *context = reader->packet.stream->event_context;

	return (!context || ctf_walk(reader, context, NULL)) &&
	       (!event->context || ctf_walk(reader, event->context, NULL)) &&
	       (!event->fields || ctf_walk(reader, event->fields, NULL));
}

static uint64_t record_start(const struct ctf_reader *reader)
{
	return bits_align(reader->bit, reader->packet.stream->event_header->align);
}

/* Where the payload of `event` begins whose header ends at `bit`. */
static uint64_t payload_start(const struct ctf_reader *reader, const struct ctf_event *event,
			      uint64_t bit)
{
	const struct ctf_type *first = reader->packet.stream->event_context;

	if (!first)
		first = event->context;
	if (!first)
		first = event->fields;
	return (bits_align(bit, first ? first->align : 1) + 7) / 8;
}

/* The time is now that of the event at `at` bytes of the packet, or of the last of a batch. */
static void check_end(struct ctf_reader *reader, uint64_t at)
{
	const struct ctf_packet *packet = &reader->packet;

	if (packet->has_end && reader->time > packet->end)
		see_backward(reader, packet->offset + at, "packet ends before its events do",
			     packet->end, reader->time);
}

/* One event field by field. False: the packet's end, or a fault. */
static bool rare_event(struct ctf_reader *reader, struct trace_event *event)
{
	const uint8_t *base = reader->bytes + reader->packet.offset;
	const struct ctf_event *class;
	uint64_t before = reader->time, start = record_start(reader), header;
	bool extended;

	if (start >= reader->packet.content_bits)
		return false;
	reader->bit = start;
	class = read_header(reader);
	if (!class)
		return false;
	header = payload_start(reader, class, reader->bit);
	if (!read_payload(reader, class))
		return false;
	if (reader->bit == start)
		return ctf_fault_here(reader, "events of no bits");
	if ((int64_t)(reader->time - before) < 0)
		see_backward(reader, reader->packet.offset + start / 8, "time goes back",
			     reader->time, before);
	extended = reader->clock_bits > (reader->plan->header_bytes ? reader->plan->time_bits : 63);
	reader->counts.extended += extended;
	/* A whole stamp may be any; what short ones add up to is looked at once per batch. */
	if (extended)
		check_end(reader, start / 8);
	*event = (struct trace_event){
		.time = reader->time,
		.payload = base + header,
		.payload_bytes = (reader->bit + 7) / 8 < header ?
					 0 :
					 (uint32_t)((reader->bit + 7) / 8 - header),
		.header_bytes = (uint32_t)(header - start / 8),
		.id = (uint32_t)reader->id,
	};
	return true;
}

/* How many bytes from its beginning on are loaded of a header. */
static uint32_t plan_reach(const struct ctf_plan *plan)
{
	return 8 + (plan->id_byte > plan->time_byte ? plan->id_byte : plan->time_byte);
}

typedef const uint8_t *planned_fn(const struct ctf_plan *plan, const uint8_t *at,
				  const uint8_t *end, uint32_t id, uint64_t *now,
				  struct trace_event **to, const struct trace_event *full);

/* A LEB128 of at most eight bytes; how many it has, or 0: more. */
static __attribute__((noinline)) uint32_t take_groups(uint64_t word, uint64_t *value)
{
	uint64_t stop = ~word & UINT64_C(0x8080808080808080);
	uint32_t length = stop ? ((uint32_t)__builtin_ctzll(stop) >> 3) + 1 : 0, i;

	*value = 0;
	for (i = 0; i < length; i++)
		*value |= (word >> 8 * i & 0x7f) << 7 * i;
	return length;
}

/* The same as planned_run(), of headers whose time is a LEB128 of at most eight bytes. */
static __attribute__((noinline)) const uint8_t *
planned_varlen(const struct ctf_plan *plan, const uint8_t *at, const uint8_t *end, uint32_t id,
	       uint64_t *now, struct trace_event **to, const struct trace_event *full)
{
	const uint32_t bytes = plan->record_bytes[id], before = plan->header_bytes;
	const uint32_t mask = plan->id_mask;
	struct trace_event *event = *to;
	uint64_t time = *now, word, value;
	uint32_t length;

	while (event != full && end - at >= 8 + bytes) {
		if (unlikely((get_u32(at) & mask) != id))
			break;
		word = get_u64(at + before);
		/* A branch, which is foreseen: where the next record begins need not be waited for.
		 */
		if (likely((word & 0x8080) == 0x80)) {
			value = (word & 0x7f) | (word >> 1 & 0x3f80);
			length = 2;
		} else {
			length = take_groups(word, &value);
			if (!length)
				break;
		}
		time = bits_advance(time, value, 7 * length);
		event->time = time;
		event->payload = at + before + length;
		event->payload_bytes = bytes - before;
		event->header_bytes = before + length;
		event++->id = id;
		at += bytes + length;
	}
	*now = time;
	*to = event;
	return at;
}

/*
 * The same as planned_run(), of headers whose time lies in another word than the id, or that have
 * more to look at than that.
 */
static __attribute__((noinline)) const uint8_t *
planned_large(const struct ctf_plan *plan, const uint8_t *at, const uint8_t *end, uint32_t id,
	      uint64_t *now, struct trace_event **to, const struct trace_event *full)
{
	const uint32_t bytes = plan->record_bytes[id], header = plan->header_bytes;
	const uint8_t *last = end - (bytes < plan_reach(plan) ? plan_reach(plan) : bytes);
	const uint64_t time_mask = bits_mask(plan->time_bits);
	const struct ctf_plan local = *plan;
	struct trace_event *event = *to;
	uint64_t time = *now, word, next;

	while (event != full && at <= last) {
		word = get_u64(at + local.id_byte);
		if (unlikely((word >> local.id_shift & local.id_mask) != id ||
			     (word >> local.guard_shift & local.guard_mask) - local.guard_low >
				     local.guard_span))
			break;
		next = get_u64(at + local.time_byte) >> local.time_shift;
		next = time + ((next - time) & time_mask);
		/* Whole stamps may go back, which rare_event() says. */
		if (unlikely((int64_t)(next - time) < 0))
			break;
		time = next;
		event->time = time;
		event->payload = at + header;
		event->payload_bytes = bytes - header;
		event->header_bytes = header;
		event++->id = id;
		at += bytes;
	}
	*now = time;
	*to = event;
	return at;
}

/* Events of one id, as long as they follow each other at `at`. Returns where they end. */
static __attribute__((noinline)) const uint8_t *
planned_run(const struct ctf_plan *plan, const uint8_t *at, const uint8_t *end, uint32_t id,
	    uint64_t *now, struct trace_event **to, const struct trace_event *full)
{
	const uint32_t bytes = plan->record_bytes[id], header = plan->header_bytes;
	const uint32_t mask = plan->id_mask, shift = plan->time_shift;
	const uint8_t *last = end - (bytes < 8 ? 8 : bytes);
	const uint64_t time_mask = bits_mask(plan->time_bits);
	struct trace_event *event = *to;
	uint64_t time = *now, word;

	while (event != full && at <= last) {
		word = get_u64(at);
		if (unlikely(((uint32_t)word & mask) != id))
			break;
		time += ((word >> shift) - time) & time_mask;
		event->time = time;
		event->payload = at + header;
		event->payload_bytes = bytes - header;
		event->header_bytes = header;
		event++->id = id;
		at += bytes;
	}
	*now = time;
	*to = event;
	return at;
}

/*
 * The loops that have to be quick. As long as one id follows the other the record's size does not
 * hang on a load, so that several records are under way at once.
 */
static uint32_t planned_events(struct ctf_reader *reader, struct trace_event *batch, uint32_t count)
{
	const struct ctf_plan *plan = reader->plan;
	const uint8_t *base = reader->bytes + reader->packet.offset;
	const uint8_t *at = base + record_start(reader) / 8, *before;
	const uint8_t *end = base + reader->packet.content_bits / 8;
	const struct trace_event *full = batch + TRACE_BATCH;
	struct trace_event *event = batch + count, *first;
	planned_fn *run = plan->one_word ? planned_run :
			  plan->varlen	 ? planned_varlen :
					   planned_large;
	uint32_t id;

	while (event != full && end - at >= plan_reach(plan)) {
		id = (uint32_t)(get_u64(at + plan->id_byte) >> plan->id_shift) & plan->id_mask;
		if (id >= plan->ids || !plan->record_bytes[id])
			break;
		before = at;
		first = event;
		at = run(plan, at, end, id, &reader->time, &event, full);
		if (at == before)
			break;
		reader->counts.payload_bytes +=
			(uint64_t)(event - first) * (plan->record_bytes[id] - plan->header_bytes);
	}
	reader->bit = (uint64_t)(at - base) * 8;
	return (uint32_t)(event - batch);
}

uint32_t ctf_batch(struct ctf_reader *reader, struct trace_event *batch)
{
	uint32_t count = 0, planned;

	if (reader->fault.set)
		return 0;
	while (count < TRACE_BATCH) {
		planned = count;
		if (reader->plan->header_bytes && !reader->no_plan)
			planned = planned_events(reader, batch, count);
		count = planned;
		if (count == TRACE_BATCH || !rare_event(reader, &batch[count]))
			break;
		reader->counts.payload_bytes += batch[count++].payload_bytes;
	}
	reader->counts.events += count;
	if (count)
		check_end(reader, 0);
	return count;
}

bool ctf_event_fields(struct ctf_reader *reader, const struct trace_event *event,
		      ctf_integer_fn *integer, void *arg)
{
	const uint8_t *base = reader->bytes + reader->packet.offset;
	uint64_t bit = reader->bit, time = reader->time;
	const struct ctf_event *class;
	bool good;

	/* The header once more: what the payload hangs on may be in there. */
	reader->bit = (uint64_t)(event->payload - base - event->header_bytes) * 8;
	class = read_header(reader);
	reader->integer = integer;
	reader->arg = arg;
	good = class && read_payload(reader, class);
	reader->integer = NULL;
	reader->bit = bit;
	reader->time = time;
	return good;
}
