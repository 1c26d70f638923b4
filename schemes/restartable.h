/* SPDX-License-Identifier: MIT */
/*
 * The whole record is written inside a restartable section, and the plain store of the tail at its
 * end publishes it: no read-modify-write, no commit counter, no hole that another writer has to
 * fill. A writer that is interrupted before that store starts over.
 *
 * Source: Stampede. The sections are rseq (Desnoyers, Turner and others, Linux 4.18), and before it
 * the restartable sequences of Bershad, 1992; the word is packed_word's.
 *
 * restartable  the kernel sends an interrupted section to its abort address: on a signal,
 *              preemption or migration. The section also compares the CPU that it is on with the
 *              ring's, so all threads of a CPU share its ring and may move; by_cpu has the rings.
 * rewind       (RESTART_BY_HANDLER) without rseq: every signal handler calls restart_target() and
 *              sets the PC that it will return to. One thread per ring: a preemption is not seen.
 *
 * restartable_full (PACKED_WHOLE): the whole stamp in every header, independent of the previous
 *              record. By handlers the row would have less to do than any floor.
 *
 * Layout: parts/packed.h.
 *
 * Shared words, only written inside sections: tail {upper bits | offset / 4}, by the last store;
 * the bytes after the tail; number and lost_before of the slot after it; content of the slot that a
 * writer leaves.
 *
 * I1 What a section wrote before it was interrupted lies after the tail, and the next section that
 *    reaches its end writes it anew.
 * I2 The clock is read inside the section, after the tail, or (long way) between a look at the tail
 *    and a section that finds it unchanged: stamps are in buffer order.
 * I3 The word holds the upper bits of the record before, as in packed_word; with whole stamps none.
 * I4 A writer that fills or leaves a sub-buffer always writes content: an opening that was
 *    interrupted may have left another one there.
 * Only the long way claims from an earlier look, and there the ABA of packed_word is possible.
 *
 * Needs x86-64, whose sections are written (parts/restart_x86_64.h), and rseq but for rewind.
 * Known failure: single-stepping restarts a section for ever (restart_detach() helps). rewind
 * without a handler that rewinds: the interrupted record overwrites those that came in between.
 * Clock reads per event: 1; one more for every attempt that was interrupted after it.
 */
#ifndef STAMPEDE_SCHEMES_RESTARTABLE_H
#define STAMPEDE_SCHEMES_RESTARTABLE_H

#include "schemes/parts/packed.h"
#include "schemes/parts/restart.h"

#define SCHEME_RESTARTS
struct source;
static inline void payload_prepare(struct source *src, uint32_t len, struct payload *payload);
static inline void payload_stamp(struct source *src, uint64_t stamp, struct payload *payload);
static inline void payload_published(struct source *src);

struct scheme_ring {
	struct ring ring;
	void *const *by_cpu; /* rings of all CPUs; NULL: this one follows its thread */
	uint64_t restarts; /* sections that were interrupted */
	uint64_t moves; /* found the thread on another CPU than the ring's */
};

static const struct scheme_desc scheme_desc = {
#ifdef RESTART_BY_HANDLER
	.title = "record inside a section that signal handlers restart",
#else
	.title = "record inside a section that the kernel restarts (rseq)",
#endif
	.source = "Stampede",
	.promises = PACKED_EVERY ? PROMISES : PROMISE_ALL,
	.extension = PACKED_EVERY ? EXTEND_ALWAYS : EXTEND_ON_CARRY,
	.clock_reads = 1,
};

#define SCHEME_TAIL RING_TAIL_PUBLISHED
#define SCHEME_START

_Static_assert(offsetof(struct subbuf, lost_before) == offsetof(struct subbuf, number) + 8 &&
		       offsetof(struct ring_opening, lost_before) ==
			       offsetof(struct ring_opening, number) + 8,
	       "number and lost_before are written by one copy");

/* The ring of the CPU that the thread is on now; NULL if there is none. */
static struct scheme_ring *restart_moved(struct scheme_ring *s)
{
	int cpu = restart_cpu();

	__atomic_fetch_add(&s->moves, 1, __ATOMIC_RELAXED); /* threads of all CPUs may count here */
	if (cpu < 0)
		return NULL;
	if (s->by_cpu)
		return (struct scheme_ring *)s->by_cpu[cpu];
	s->ring.cpu = (uint32_t)cpu;
	return s;
}

#define RESTART_HEADER_MOST 16
#define RESTART_HEAD_MOST 32 /* of the payload */

/* Written by one section on the long way. */
struct restart_record {
	struct ctf_packet_header packet;
	uint8_t bytes[RESTART_HEADER_MOST + RESTART_HEAD_MOST]; /* of the record, but the body */
	uint64_t content;
	struct restart_copy copy[4];
	unsigned int copies;
};
_Static_assert(offsetof(struct restart_record, bytes) == CTF_PACKET_HEADER_BYTES,
	       "a packet's header and its first record are one copy");

static inline void restart_add(struct restart_record *record, void *to, const void *from,
			       uint64_t bytes)
{
	record->copy[record->copies++] = (struct restart_copy){ to, from, bytes };
}

/* The books of a sub-buffer that this record opens, fills to its end, or neither. */
static inline void restart_books(struct ring *ring, struct restart_record *record, uint64_t offset,
				 const struct packed_claim *claim, uint64_t stamp)
{
	uint64_t inside = offset & (ring_subbuf_bytes(ring) - 1), number = claim->number;

	if (claim->opens) {
		struct subbuf *opened = ring_subbuf(ring, number);

		/* First: from here on the slot is not what it was. */
		restart_add(record, &opened->number, &claim->opening.number, 2 * sizeof(uint64_t));
		/*
		 * All of it, so that nothing of the stack is copied where the reader fills in
		 * later.
		 */
		record->packet = (struct ctf_packet_header){ .magic = 0 };
		ctf_header_put(ring, &record->packet, number, stamp);
		POINT_PATH("switch");
	}
	if (claim->opens && inside)
		record->content = (number - 1) << RING_INDEX_BITS | inside;
	else if (!((claim->start + claim->size) & (ring_subbuf_bytes(ring) - 1)))
		record->content = number << RING_INDEX_BITS | ring_subbuf_bytes(ring);
	else
		return;
	restart_add(record, &ring_subbuf(ring, record->content >> RING_INDEX_BITS)->content,
		    &record->content, sizeof(record->content));
}

/* One attempt on the long way, which takes any case. */
RESERVE_SLOW enum restart_end restart_attempt(struct scheme_ring *s, uint32_t id, uint32_t len,
					      struct source *src, struct restart_seen seen)
{
	struct ring *ring = &s->ring;
	uint64_t tail = seen.tail, stamp = seen.stamp;
	struct restart_record record;
	struct packed_claim claim;
	struct payload payload;
	uint8_t *at, *end;
	uint64_t before; /* bytes of the packet's header that go with the record */

	record.copies = 0;
	if (!packed_fit(ring, id, len, tail, stamp, false, &claim)) {
		if (ring_moved(ring, tail))
			return RESTART_CHANGED;
		ring_lost(ring, claim.size);
		return RESTART_NOT_PLAIN;
	}
	restart_books(ring, &record, ring_packed_offset(ring, tail), &claim, stamp);
	at = ring_at(ring, claim.start);
	end = packed_put(ring, record.bytes, id, len, stamp, claim.full);
	payload_stamp(src, stamp, &payload);
	memcpy(end, payload.head.from, payload.head.bytes);
	end += payload.head.bytes;
	before = claim.opens ? sizeof(record.packet) : 0;
	restart_add(&record, at - before,
		    (const uint8_t *)&record + offsetof(struct restart_record, bytes) - before,
		    before + (uint64_t)(end - record.bytes));
	if (payload.body.bytes)
		restart_add(&record, at + (end - record.bytes), payload.body.from,
			    payload.body.bytes);
	return restart_publish(ring, record.copy, record.copies, tail, claim.next);
}

static inline struct restart_seen restart_look(struct scheme_ring *s)
{
	uint64_t tail = shared_load("tail again", &s->ring.tail);

	return (struct restart_seen){ tail, clock_read("clock again") };
}

/*
 * Until the record is published or lost, in whatever ring that may then be. `seen` is of the plain
 * attempt, if that came so far.
 */
RESERVE_SLOW bool restart_slow(struct scheme_ring *s, uint32_t id, uint32_t len, struct source *src,
			       enum restart_end end, struct restart_seen seen)
{
	struct scheme_ring *now;

	for (;;) {
		if (end == RESTART_ABORTED) {
			/* The ring's threads may be on other CPUs when they count. */
			__atomic_fetch_add(&s->restarts, 1, __ATOMIC_RELAXED);
			POINT_COUNT(retries);
		} else if (end == RESTART_MOVED) {
			now = restart_moved(s);
			if (!now) {
				ring_lost(&s->ring, 0);
				return false;
			}
			s = now;
		}
#if SEAM_INTERRUPTS_AT_CLOCK
		else if (end == RESTART_NESTED)
			injection.nest();
#endif
		if (end != RESTART_NOT_PLAIN)
			seen = restart_look(s);
		end = restart_attempt(s, id, len, src, seen);
		if (end == RESTART_NOT_PLAIN)
			return false;
		if (end == RESTART_PUBLISHED)
			return true;
	}
}

RESERVE enum restart_end restart_begin(struct scheme_ring *s, uint32_t id, uint32_t len,
				       const struct payload *payload, struct restart_seen *seen)
{
	const struct ring *ring = &s->ring;
	struct restart_plain plain = {
		.units = packed_bytes(id, len, PACKED_EVERY) / RING_PACKED_UNIT,
		.block = -(ring_subbuf_bytes(ring) / RING_PACKED_UNIT),
		.slots = ring_bytes(ring) / RING_PACKED_UNIT - 1,
		.field = bits_mask(ring_stamp_bits(ring)),
		.stamp_bits = ring_stamp_bits(ring),
		.id = PACKED_EVERY ? id << CTF_ID_BITS | PACKED_ESCAPE : id,
		.payload = payload,
		.behind = clock_behind(ring->cpu),
	};

	return restart_record(&s->ring, &plain, seen);
}

#define SCHEME_RECORD
RECORD bool record(struct scheme_ring *s, uint32_t id, uint32_t len, struct source *src)
{
	enum restart_end end = RESTART_CHANGED;
	struct restart_seen seen;
	struct payload payload;

	payload_prepare(src, len, &payload);
	if (likely(id < PACKED_IDS))
		end = restart_begin(s, id, len, &payload, &seen);
	if (unlikely(end != RESTART_PUBLISHED) && !restart_slow(s, id, len, src, end, seen))
		return false;
	payload_published(src);
	return true;
}

#define SCHEME_FLUSH
static void flush(struct scheme_ring *s)
{
	struct ring *ring = &s->ring;
	uint64_t tail, offset, room, number, content, next;
	struct restart_copy copy = { NULL, &content, sizeof(content) };
	enum restart_end end;

	do {
		tail = shared_load("flush: tail", &ring->tail);
		offset = ring_packed_offset(ring, tail);
		room = ring_room(ring, offset);
		if (!room)
			break;
		number = ring_packed_number(ring, offset);
		content = number << RING_INDEX_BITS | (offset & (ring_subbuf_bytes(ring) - 1));
		copy.to = &ring_subbuf(ring, number)->content;
		next = (offset + room) / RING_PACKED_UNIT & ring_packed_mask(ring);
		end = restart_publish(ring, &copy, 1, tail,
				      (tail & ~ring_packed_mask(ring)) | next);
		/* Another CPU's ring cannot be closed from here. */
		if (end == RESTART_MOVED && restart_moved(s) != s)
			return;
	} while (end != RESTART_PUBLISHED);
	once_store(&ring->flush_stamp, clock_read("flush: clock"));
}

#ifndef RESTART_BY_HANDLER
#define SCHEME_JOIN /* by_cpu and moves */
#endif
#define SCHEME_UNSUPPORTED
static const char *scheme_unsupported(void)
{
#if SEAM_INTERRUPTS_CALLED
	return NULL; /* its sections are the model, or are run by who makes them start over */
#elif defined(RESTART_MODEL)
	return "sections that start over are written for x86-64 alone";
#elif defined(RESTART_BY_HANDLER)
	return NULL;
#else
	return restart_unsupported();
#endif
}

#endif
