// SPDX-License-Identifier: MIT
/*
 * The ring's cold half. Invariants, I4 here, are those of core/subbuf.h. It is compiled once for
 * all rows, and LOCKED: a flush may come beside writers of other CPUs, whose claim it must not
 * tear.
 */
#include "schemes/core/ring.h"

void ring_init(struct ring *ring, const struct ring_config *config, uint8_t *base,
	       struct subbuf *subbufs, enum ring_tail form, uint32_t header_bytes)
{
	*ring = (struct ring){
		.base = base,
		.subbufs = subbufs,
		.flush_number = (local_uint)-1,
		.mode = config->mode,
		.form = form,
		.header_bytes = header_bytes,
		.subbuf_shift = config->subbuf_shift,
		.count_shift = config->count_shift,
		.stamp_bits = config->stamp_bits,
		.counter_bits = config->counter_bits,
		.packed_bits = PACKED_BITS,
		.packed_unit_shift = PACKED_UNIT_SHIFT,
		.fixed_bytes = config->fixed_bytes,
		.cpu = config->cpu,
	};
	if (ring_tail_is_numbered(ring)) {
		/* Number 0 counts as full and read: the first writer then opens a sub-buffer. */
		subbufs[0].commits = ring_subbuf_bytes(ring);
		ring->tail = ring_subbuf_bytes(ring);
		ring->consumed = 1;
	} else if (!ring_has_commits(ring)) {
		ring->tail = ring_subbuf_bytes(ring) / RING_PACKED_UNIT;
		ring->consumed = 1;
	}
}

static void flush_offset(struct ring *ring)
{
	local_uint offset = shared_load("flush: tail", &ring->tail), room;

	do {
		room = ring_room(ring, offset);
		if (!room)
			return;
	} while (!local_cmpxchg("flush: tail", &ring->tail, &offset, offset + room)); /* I4 */
	ring_pad(ring, ring_next_number(ring, offset) - 1, offset & (ring_subbuf_bytes(ring) - 1));
}

static void flush_numbered(struct ring *ring)
{
	local_uint tail = shared_load("flush: tail", &ring->tail), end = ring_subbuf_bytes(ring);

	do {
		if (ring_tail_index(tail) >= end)
			return;
		/* I4 */
	} while (!local_cmpxchg("flush: tail", &ring->tail, &tail,
				ring_tail_number(tail) << RING_INDEX_BITS | end));
	ring_pad(ring, ring_tail_number(tail), ring_tail_index(tail));
}

static void flush_packed(struct ring *ring)
{
	local_uint tail = shared_load("flush: tail", &ring->tail);
	uint64_t offset, room, next;

	do {
		offset = ring_packed_offset(ring, tail);
		room = ring_room(ring, offset);
		if (!room)
			return;
		next = (offset + room) >> ring_packed_unit_shift(ring) & ring_packed_mask(ring);
		/* I4 */
	} while (!local_cmpxchg("flush: tail", &ring->tail, &tail,
				(tail & ~ring_packed_mask(ring)) | next));
	ring_pad(ring, ring_packed_number(ring, offset), offset & (ring_subbuf_bytes(ring) - 1));
}

bool ring_flush(struct ring *ring, uint64_t stamp)
{
	uint64_t tail = shared_load("flush: tail", &ring->tail), first, last;

	if (ring_tail_is_numbered(ring))
		flush_numbered(ring);
	else if (ring_tail_is_packed(ring))
		flush_packed(ring);
	else
		flush_offset(ring);
	/*
	 * Nothing was open: the newest sub-buffer ends when its writers say. The one that opens the
	 * next may have been interrupted by this flush, and its stamp is older.
	 */
	if (once_load(&ring->tail) == tail)
		return false;
	ring_readable(ring, &first, &last);
	once_store(&ring->flush_number, last - 1);
	once_store(&ring->flush_stamp, stamp);
	return true;
}

/*
 * Has the writer, since its tail was `tail`, come so far that what completes it may be of another
 * time? It has if it may have opened that sub-buffer's slot again: then the slot has a later
 * number. Not if it wrote all that the offset can tell apart in between, which no writer of the row
 * does, either. And it has if the ring was empty then, which slot 0 would not say any more.
 */
static bool has_gone_on(const struct ring *ring, uint64_t tail)
{
	uint64_t now, moved, most = ring_bytes(ring) - 2 * ring_subbuf_bytes(ring);

	fence(__ATOMIC_ACQUIRE);
	now = shared_load("read: tail once more", &ring->tail);
	moved = (now - tail) & ring_packed_mask(ring);
	if (moved && !(tail & ring_packed_mask(ring)))
		return true;
	return moved << ring_packed_unit_shift(ring) > most;
}

uint64_t ring_packed_end(const struct ring *ring, uint64_t *tail)
{
	uint64_t end = ring_packed_next(ring, *tail);

	while (has_gone_on(ring, *tail)) {
		*tail = once_load(&ring->tail);
		end = ring_packed_next(ring, *tail);
	}
	return end;
}

uint64_t ring_end(const struct ring *ring, bool *open)
{
	uint64_t tail = shared_load("read: tail", &ring->tail), end;

	if (ring_tail_is_numbered(ring)) {
		*open = ring_tail_index(tail) < ring_subbuf_bytes(ring);
		return ring_tail_number(tail) + 1;
	}
	if (ring_tail_is_packed(ring)) {
		end = ring_packed_end(ring, &tail);
		*open = ring_room(ring, ring_packed_offset(ring, tail));
		return end;
	}
	*open = ring_room(ring, tail);
	return ring_next_number(ring, tail);
}

void ring_readable(const struct ring *ring, uint64_t *first, uint64_t *last)
{
	uint64_t count = ring_count_mask(ring) + 1, end;
	bool open;

	end = ring_end(ring, &open);
	*first = once_load(&ring->consumed);
	if (end > count && end - count > *first)
		*first = end - count;
	/* A writer overwrote half of it and then started over in another ring. */
	if (!ring_has_commits(ring) && *first < end && ring_subbuf(ring, *first)->number != *first)
		++*first;
	/* A nested writer may have opened one more since the flush: that one is not complete. */
	*last = end - open;
	if (*last < *first)
		*last = *first;
}

uint32_t ring_content(const struct ring *ring, uint64_t number)
{
	const struct subbuf *subbuf = ring_subbuf(ring, number);
	uint64_t rounds = (number >> ring_count_shift(ring)) + 1;
	local_uint content;

	if (ring_has_commits(ring) && (uint32_t)shared_load("read: commits", &subbuf->commits) !=
					      (uint32_t)(rounds << ring_subbuf_shift(ring)))
		return 0;
	/* I1 to I3: what the last commit stands behind is there, also for another CPU. */
	fence(__ATOMIC_ACQUIRE);
	content = shared_load("read: content", &subbuf->content);
	if (once_load(&subbuf->number) != number)
		return 0;
	/* A tag of another number is left over from an earlier round: this one is full. */
	if ((content ^ (local_uint)(number << RING_INDEX_BITS)) >> RING_INDEX_BITS || !content)
		return (uint32_t)ring_subbuf_bytes(ring);
	return (uint32_t)ring_tail_index(content);
}

uint32_t ring_record_count(const struct ring *ring, uint64_t number)
{
	const struct subbuf *subbuf = ring_subbuf(ring, number);

	return ring_records(ring, number, subbuf->commits, ring_subbuf_bytes(ring)) -
	       (uint32_t)subbuf->records_before;
}

uint64_t ring_total_records(const struct ring *ring)
{
	uint64_t slot, total = 0;
	const struct subbuf *subbuf;

	for (slot = 0; slot <= ring_count_mask(ring); slot++) {
		subbuf = &ring->subbufs[slot];
		/* A slot never opened holds the number of another. */
		if (ring_subbuf(ring, subbuf->number) == subbuf &&
		    ring_content(ring, subbuf->number))
			total += ring_records(ring, subbuf->number, subbuf->commits,
					      ring_subbuf_bytes(ring));
	}
	return total;
}

void ring_consume(struct ring *ring, uint64_t number)
{
	/* A writer of another CPU that sees it may overwrite what has been read here. */
	fence(__ATOMIC_RELEASE);
	if (number > ring->consumed)
		/* One store: a writer sees the number before it or this one. */
		shared_store("read: consumed", &ring->consumed, number);
}
