/* SPDX-License-Identifier: MIT */
/*
 * A ring of one scheme with its writer and its reader, for a program of your own.
 *
 * Who may call what:
 *   write, begin, end, flush  one thread, and signal handlers that run on it, nested as deep as you
 *                             like. No lock, no system call, nothing that waits.
 *   attach, read, next,       one other thread at a time; no writer ever waits for it
 *   release, detach
 *   open, close               one thread, while no other call runs
 */
#ifndef STAMPEDE_EXTRAS_TAKE_TRACER_H
#define STAMPEDE_EXTRAS_TAKE_TRACER_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* An event of yours. */
struct event_type {
	const char *name; /* as metadata spells names: letters, digits and _ */
	const char *fields; /* of the payload, in the language of the metadata */
	uint32_t id; /* up to EVENT_SIZED - 1; the first few take the least space */
	uint32_t bytes; /* of the payload, always */
};

struct options {
	const struct event_type *types;
	uint32_t type_count;
	uint32_t number; /* of the CPU or thread: packets have it as their cpu_id */
	bool overwrite; /* the oldest sub-buffer gives way; else the new event is lost */
	void *memory; /* zeroed, at a multiple of 64, open_bytes() of it; NULL: open() gets some */
};

struct tracer {
	struct scheme_ring scheme __attribute__((aligned(64)));
	struct scheme_ring spare __attribute__((
		aligned(64))); /* with copies of some sub-buffers, where the oldest gives way */
	void *memory; /* that close() gives back */
	uint32_t payloads[EVENT_SIZED]; /* bytes by id */
	struct handover reader;
};

/* What a reader got: a sub-buffer, which is a packet of the trace as it stands. */
struct packet {
	const uint8_t *bytes;
	uint64_t size;
	uint64_t number; /* counted from the first; a missing number was overwritten */
	uint64_t events;
	uint64_t lost; /* events that found no room, until it was closed */
	uint64_t begin, end; /* stamps */
	struct cursor cursor; /* of next() */
};

/* Bytes of the largest payload: behind the packet's header, and the record's. */
#define RECORD_MOST ((1u << SUBBUF_SHIFT) - CTF_PACKET_HEADER_BYTES - 24)
#define RING_MEMORY ((UINT64_C(1) << (SUBBUF_SHIFT + COUNT_SHIFT)))
#define BOOKS_MEMORY (sizeof(struct subbuf) << COUNT_SHIFT)

static inline void close(struct tracer *t)
{
	free(t->memory);
	t->memory = NULL;
}

/*
 * The payloads' sizes; -EINVAL: an id is too large, or given twice, or a sub-buffer is too small
 * for an event.
 */
static inline int open_types(struct tracer *t, const struct options *options)
{
	bool seen[EVENT_SIZED] = { false }; /* a payload may have no bytes */
	const struct event_type *type;
	uint32_t i;

	for (i = 0; i < options->type_count; i++) {
		type = &options->types[i];
		if (type->id >= EVENT_SIZED || type->bytes > RECORD_MOST || seen[type->id])
			return -EINVAL;
		seen[type->id] = true;
		t->payloads[type->id] = type->bytes;
	}
	return 0;
}

/*
 * Bytes of memory that a ring takes. If processes share that memory and the tracer at the same
 * addresses (a mapping from before the fork), one process may write and another one read.
 */
static inline size_t open_bytes(const struct options *options)
{
	return (size_t)(RING_MEMORY + BOOKS_MEMORY) * (options->overwrite ? 2 : 1);
}

/*
 * 0, or a negative errno: -EINVAL as above, or memory that is not aligned; -ENOMEM. close()
 * is right after each of them.
 */
static inline int open(struct tracer *t, const struct options *options)
{
	struct ring_config config;
	uint8_t *at;
	int error;

	memset(t, 0, sizeof(*t));
	memset(&config, 0, sizeof(config));
	error = open_types(t, options);
	if (error)
		return error;
	at = (uint8_t *)options->memory;
	if ((uintptr_t)at % 64)
		return -EINVAL;
	if (!at) {
		/* Books lie at multiples of a cache line. */
		t->memory = aligned_alloc(64, open_bytes(options));
		at = (uint8_t *)t->memory;
		if (!at)
			return -ENOMEM;
		memset(at, 0, open_bytes(options));
	}
	config.mode = options->overwrite ? RING_OVERWRITE : RING_DISCARD;
	config.subbuf_shift = SUBBUF_SHIFT;
	config.count_shift = COUNT_SHIFT;
	config.stamp_bits = STAMP_BITS;
	config.counter_bits = COUNTER_BITS;
	config.cpu = options->number;
	scheme_init(&t->scheme, &config, at + BOOKS_MEMORY, (struct subbuf *)at);
	at += RING_MEMORY + BOOKS_MEMORY;
	if (options->overwrite)
		scheme_init(&t->spare, &config, at + BOOKS_MEMORY, (struct subbuf *)at);
	return 0;
}

/*
 * Claims the record of an event and writes its header: fill rsv->payload, then call end().
 * rsv->stamp is the event's time. False: the event is lost, and counted.
 */
static inline bool begin(struct tracer *t, uint32_t id, uint32_t bytes, struct reservation *rsv)
{
	*rsv = reserve(&t->scheme, id, bytes);
	return rsv->payload != NULL;
}

/* Each begin() that returned true needs an end(): before it no reader gets this sub-buffer. */
static inline void end(struct tracer *t, const struct reservation *rsv)
{
	commit(&t->scheme, rsv);
}

/* Writes an event with the `bytes` of payload of its type. False: it is lost, and counted. */
static inline bool write(struct tracer *t, uint32_t id, const void *payload, uint32_t bytes)
{
	struct source src = { payload };

	return record(&t->scheme, id, bytes, &src);
}

/* Closes a half-full sub-buffer, so that the reader gets it. For the writer's thread. */
static inline void flush_open(struct tracer *t)
{
	flush(&t->scheme);
}

/* The number of events lost because no sub-buffer was free, or none is large enough. */
static inline uint64_t lost(const struct tracer *t)
{
	return t->scheme.ring.lost + t->scheme.ring.refused;
}

/*
 * 0, or a negative errno: -EBUSY, there is a reader; -ENOTSUP, this machine does not order the copy
 * by which an overwriting ring is read (x86-64 does, by its stores).
 */
static inline int attach(struct tracer *t)
{
#ifndef __x86_64__
	if (t->scheme.ring.mode == RING_OVERWRITE)
		return -ENOTSUP;
#endif
	return handover_attach(&t->reader) ? 0 : -EBUSY;
}

/*
 * The next reader continues after what this reader has released. Any thread or process may call
 * this for a reader that died.
 */
static inline void detach(struct tracer *t)
{
	handover_detach(&t->reader);
}

/* The ring in which the oldest complete sub-buffer is to be read; NULL: there is none. */
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

/*
 * The oldest complete sub-buffer. 1: it is in *packet, until release(); 0: there is none now;
 * -EBADMSG: it is damaged, and release() steps over it; -EPERM: no reader has attached.
 */
static inline int read(struct tracer *t, struct packet *packet)
{
	struct ctf_packet_header header;
	const struct ring *ring;
	enum decode_result result;
	struct cursor cursor;
	struct event event;
	uint32_t content;

	if (!t->reader.attached)
		return -EPERM;
	ring = read_from(t, &packet->number);
	if (!ring)
		return 0;
	content = ring_content(ring, packet->number);
	packet->bytes = ring_subbuf_base(ring, packet->number);
	packet->size = ring_subbuf_bytes(ring);
	packet->events = 0;
	if (!content || !decode_begin(ring, packet->number, content, &cursor))
		return -EBADMSG;
	cursor.payloads = t->payloads;
	packet->cursor = cursor;
	packet->begin = cursor.time;
	memset(&event, 0, sizeof(event));
	while ((result = decode_next(&cursor, &event)) == DECODE_EVENT)
		packet->events += !(event.flags & EVENT_STAMP_ONLY);
	if (result == DECODE_BAD)
		return -EBADMSG;
	packet->end = decode_end(ring, packet->number, cursor.time);
	memcpy(&header, packet->bytes, sizeof(header));
	packet->lost = header.events_discarded;
	return 1;
}

/* The packet's next event: its time, id and payload. False: there is no other. */
static inline bool next(struct packet *packet, struct event *event)
{
	do {
		memset(event, 0, sizeof(*event));
		if (decode_next(&packet->cursor, event) != DECODE_EVENT)
			return false;
	} while (event->flags & EVENT_STAMP_ONLY);
	return true;
}

/* Gives the sub-buffer back to the writers; packet->bytes are theirs from now on. */
static inline void release(struct tracer *t, const struct packet *packet)
{
	bool copied = t->scheme.ring.mode == RING_OVERWRITE;

	ring_consume(copied ? &t->spare.ring : &t->scheme.ring, packet->number + 1);
}

#include "extras/take/metadata.h"

#endif
