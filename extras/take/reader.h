/* SPDX-License-Identifier: MIT */
/* What read_api.h declares, but for the metadata. */
#pragma once

static inline int attach(struct tracer *t)
{
	int error = check_open(t);

	if (error)
		return refuse(t, error);
#ifndef __x86_64__
	if (t->scheme.ring.mode == RING_OVERWRITE)
		return refuse(t, NO_OVERWRITE);
#endif
	if (!handover_attach(&t->reader))
		return BUSY;
	t->held = 0;
	return OK;
}

static inline int check_reader(const struct tracer *t)
{
	int error = check_open(t);

	return error						      ? error :
	       __atomic_load_n(&t->reader.attached, __ATOMIC_RELAXED) ? OK :
									NO_READER;
}

static inline int detach(struct tracer *t)
{
	int error = check_reader(t);

	if (error)
		return refuse(t, error);
	handover_detach(&t->reader);
	return OK;
}

/* Returns the ring that has the oldest complete sub-buffer; NULL if no ring has one. */
static inline struct ring *read_from(struct tracer *t, uint64_t *number)
{
	struct ring *ring = &t->scheme.ring, *spare = &t->spare.ring;

	if (ring->mode != RING_OVERWRITE)
		return handover_in_place(ring, 1, number) ? ring : NULL;
	if (!handover_copies(&t->reader, ring, spare, HANDOVER_COPIES))
		return NULL;
	*number = spare->consumed;
	return spare;
}

/* Reads to the packet's end. */
static inline enum decode_result count_events(struct cursor *cursor, struct packet *packet)
{
	uint64_t last = cursor->time;
	enum decode_result result;
	struct event event;

	memset(&event, 0, sizeof(event));
	while ((result = decode_next(cursor, &event)) == DECODE_EVENT) {
		packet->events += !(event.flags & EVENT_STAMP_ONLY);
		packet->own += event.id == EVENT_SIZED - 1;
		packet->back += event.time < last;
		last = event.time;
	}
	return result;
}

static inline int read(struct tracer *t, struct packet *packet)
{
	struct ctf_packet_header header;
	const struct ring *ring;
	struct cursor cursor;
	uint32_t content;
	int error = packet ? check_reader(t) : NO_POINTER;

	if (error)
		return refuse(t, error);
	memset(packet, 0, sizeof(*packet));
	ring = read_from(t, &packet->number);
	if (!ring)
		return 0;
	t->held = packet->number + 1;
	content = ring_content(ring, packet->number);
	packet->bytes = ring_subbuf_base(ring, packet->number);
	packet->size = ring_subbuf_bytes(ring);
	if (!content || !decode_begin(ring, packet->number, content, &cursor))
		return DAMAGED;
	cursor.payloads = t->sizes;
	packet->cursor = cursor;
	packet->begin = cursor.time;
	if (count_events(&cursor, packet) == DECODE_BAD)
		return DAMAGED;
	packet->end = decode_end(ring, packet->number, cursor.time);
	memcpy(&header, packet->bytes, sizeof(header));
	packet->lost = header.events_discarded;
	return 1;
}

static inline bool next(struct packet *packet, struct event *event)
{
	if (!packet || !event || !packet->bytes)
		return false;
	do {
		memset(event, 0, sizeof(*event));
		if (decode_next(&packet->cursor, event) != DECODE_EVENT)
			return false;
	} while (event->flags & EVENT_STAMP_ONLY);
	if (event->id < EVENT_SIZED && size_of(packet->cursor.payloads, EVENT_SIZED + event->id)) {
		event->payload_bytes = get_u16(event->payload);
		event->payload += VARIABLE_PREFIX;
	}
	return true;
}

static inline int release(struct tracer *t, struct packet *packet)
{
	int error = packet ? check_reader(t) : NO_POINTER;

	if (!error && (!t->held || packet->number + 1 != t->held))
		error = NOT_HELD;
	if (error)
		return refuse(t, error);
	ring_consume(t->scheme.ring.mode == RING_OVERWRITE ? &t->spare.ring : &t->scheme.ring,
		     packet->number + 1);
	t->held = 0;
	packet->bytes = NULL; /* they are the writers' from now on */
	return OK;
}

static inline uint64_t packets(const struct tracer *t)
{
	bool open;

	return check_open(t) ? 0 : ring_end(&t->scheme.ring, &open);
}

#ifdef SCHEME_RESTARTS
/* Bytes of sub-buffer `number`: of the one that is open all below the tail. */
static inline uint32_t copy_content(const struct ring *ring, uint64_t number)
{
	uint64_t tail = once_load(&ring->tail), end = ring_packed_end(ring, &tail);
	uint64_t offset = ring_packed_offset(ring, tail);

	fence(__ATOMIC_ACQUIRE);
	if (end != number + 1 || !ring_room(ring, offset))
		return ring_content(ring, number);
	return (uint32_t)(offset & (ring_subbuf_bytes(ring) - 1));
}
#else
/*
 * Bytes of the open sub-buffer `number`; 0: it is not open, or a record in it is under way. All
 * that is claimed behind a tail that stays the same is committed if the counter says as many bytes.
 */
static inline uint32_t open_content(const struct ring *ring, uint64_t number)
{
	uint64_t tail = once_load(&ring->tail), used, committed;
	bool open;

	if (ring_end(ring, &open) != number + 1 || !open)
		return 0;
	if (ring_tail_is_numbered(ring))
		used = ring_tail_index(tail);
	else if (ring_tail_is_packed(ring))
		used = ring_packed_offset(ring, tail);
	else
		used = tail;
	used &= ring_subbuf_bytes(ring) - 1;
	committed = once_load(&ring_subbuf(ring, number)->commits);
	fence(__ATOMIC_ACQUIRE);
	if (once_load(&ring->tail) != tail ||
	    (uint32_t)committed !=
		    (uint32_t)(((number >> ring_count_shift(ring)) << ring_subbuf_shift(ring)) +
			       used))
		return 0;
	return (uint32_t)used;
}

static inline uint32_t copy_content(const struct ring *ring, uint64_t number)
{
	uint32_t content = ring_content(ring, number);

	return content ? content : open_content(ring, number);
}
#endif

/* The events of a copy, and its header as a reader completes it: it ends with its last event. */
static inline bool complete_copy(const struct tracer *t, struct packet *packet, uint8_t *bytes,
				 uint32_t content)
{
	const struct ring *ring = &t->scheme.ring;
	struct subbuf *next_one = ring_subbuf(ring, packet->number + 1);
	struct ctf_packet_header header;
	enum decode_result result;
	struct cursor cursor;

	memcpy(&header, bytes, sizeof(header));
	if (header.magic != CTF_MAGIC || header.packet_seq_num != packet->number)
		return false;
	packet->cursor.at = bytes + sizeof(header);
	packet->cursor.end = bytes + content;
	packet->cursor.time = packet->begin = header.timestamp_begin;
	packet->cursor.stamp_bits = ring_stamp_bits(ring);
	packet->cursor.payloads = t->sizes;
	cursor = packet->cursor;
	result = count_events(&cursor, packet);
	packet->end = header.timestamp_end = cursor.time;
	packet->lost = header.events_discarded =
		once_load(&next_one->number) == packet->number + 1 ?
			once_load(&next_one->lost_before) :
			once_load(&ring->lost);
	header.content_size = (uint64_t)content * 8;
	header.packet_size = packet->size * 8;
	memcpy(bytes, &header, sizeof(header));
	return result != DECODE_BAD;
}

static inline int copy(const struct tracer *t, uint64_t number, void *to, struct packet *packet)
{
	const struct ring *ring = t ? &t->scheme.ring : NULL;
	int error = to && packet ? check_open(t) : NO_POINTER;
	uint64_t end = error ? 0 : packets(t);
	uint32_t content;

	if (error)
		return error;
#ifndef __x86_64__
	if (ring->mode == RING_OVERWRITE)
		return NO_OVERWRITE;
	if (number < once_load(&ring->consumed))
		return 0;
#endif
	memset(packet, 0, sizeof(*packet));
	if (number >= end || ring_oldest_safe(ring, number, end) != number)
		return 0;
	content = copy_content(ring, number);
	if (content < sizeof(struct ctf_packet_header))
		return 0;
	racy_copy(to, ring_subbuf_base(ring, number), content);
	memset((uint8_t *)to + content, 0, ring_subbuf_bytes(ring) - content);
	fence(__ATOMIC_ACQUIRE);
	if (ring_oldest_safe(ring, number, packets(t)) != number)
		return 0; /* a writer came round to it meanwhile */
	packet->bytes = (const uint8_t *)to;
	packet->size = ring_subbuf_bytes(ring);
	packet->number = number;
	return complete_copy(t, packet, (uint8_t *)to, content);
}

#include "extras/take/metadata.h"
