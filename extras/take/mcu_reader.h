/* SPDX-License-Identifier: MIT */
/* What mcu_read_api.h declares. */
#pragma once

static inline void flush_open(struct recorder *t)
{
	flush(&t->scheme);
}

/*
 * Ticks of the sleeps behind a packet that the reader has not begun: they stand in its header, in
 * fields that only the reader writes. So a task that is suspended while it opens the packet does
 * not write over them.
 */
#define SLEPT(number) (UINT64_C(1) << 63 | (uint32_t)(number))
static inline uint64_t slept_behind(const struct ctf_packet_header *header, uint64_t number)
{
	return header->packet_size == SLEPT(number) ? header->timestamp_end : 0;
}

static inline void sleep(struct recorder *t, uint64_t ticks)
{
	struct ring *ring = &t->scheme.ring;
	struct ctf_packet_header *header;
	uint64_t next;
	bool open;

	flush(&t->scheme);
	next = ring_end(ring, &open);
	header = ctf_header(ring, next - 1);
	if ((uint32_t)next == t->times) {
		t->slept += ticks;
	} else {
		header->timestamp_end = slept_behind(header, next - 1) + ticks;
		header->packet_size = SLEPT(next - 1);
	}
	/*
	 * A task that is suspended in write() has a stamp from before: its claim fails. Behind a
	 * packet's end only the tail's offset means something.
	 */
	__atomic_fetch_add(&ring->tail, (local_uint)1 << PACKED_BITS, __ATOMIC_RELAXED);
}

/* The counter's times become times of 64 bits, as long as gaps are as short as mcu_api.h says. */
static inline void lengthen(struct recorder *t, uint64_t number, uint32_t bytes)
{
	struct ring *ring = &t->scheme.ring;
	struct ctf_packet_header *header = ctf_header(ring, number);
	struct cursor cursor;
	struct event event;
	uint64_t slept;
	uint8_t *at;

	t->time += t->slept;
	t->slept = 0;
	barrier();
	t->times = (uint32_t)number + 1; /* sleep() adds to `slept` from here on */
	barrier();
	slept = slept_behind(header, number);
	ctf_finish(ring, number, bytes);
	if (!ctf_cursor(ring, number, bytes, &cursor))
		return;
	cursor.payloads = t->words;
	t->time = bits_advance(t->time, header->timestamp_begin, COUNTER_BITS);
	header->timestamp_begin = t->time;
	for (cursor.time = t->time;; cursor.time = t->time) {
		at = ring_subbuf_base(ring, number) + (cursor.at - ring_subbuf_base(ring, number));
		if (decode_next(&cursor, &event) != DECODE_EVENT || event.id >= t->ids)
			break; /* the end, or what is torn */
		t->time = bits_advance(t->time, event.time, COUNTER_BITS);
		if (event.flags & EVENT_EXTENDED)
			put_u64(at + 4, t->time);
	}
	header->content_size = (uint64_t)(at - ring_subbuf_base(ring, number)) * 8;
	t->time += slept;
	header->timestamp_end =
		slept ? t->time :
			bits_advance(t->time,
				     ctf_end(ring, number, t->time & bits_mask(COUNTER_BITS)),
				     COUNTER_BITS);
}

static inline bool read(struct recorder *t, struct filled *packet)
{
	struct ring *ring = &t->scheme.ring;
	uint64_t first, last;
	uint32_t bytes;

	ring_readable(ring, &first, &last);
	bytes = first < last ? ring_content(ring, first) : 0;
	packet->torn = OVERWRITE && !bytes && first < last;
	if (packet->torn) { /* it ends where it was closed */
		bytes = once_load(&ring_subbuf(ring, first)->content);
		bytes = bytes >> RING_INDEX_BITS == (first & bits_mask(32 - RING_INDEX_BITS)) ?
				bytes & RING_INDEX_MASK :
				ring_subbuf_bytes(ring);
	}
	if (!bytes)
		return false;
	if (OVERWRITE && (int32_t)((uint32_t)first - t->times) > 0)
		t->times = (uint32_t)first;
	if (t->times == (uint32_t)first)
		lengthen(t, first, bytes);
	packet->bytes = ring_subbuf_base(ring, first);
	packet->size = (uint32_t)ring_subbuf_bytes(ring);
	packet->number = (uint32_t)first;
	return true;
}

static inline void release(struct recorder *t, const struct filled *packet)
{
	if (packet->number + 1 == t->times)
		ring_consume(&t->scheme.ring, (uint64_t)packet->number + 1);
}
