/* SPDX-License-Identifier: MIT */
/*
 * For tests of the ring: the smallest writers there can be, one per form of the tail word, on
 * sub-buffers of 64 bytes; a log of what they claimed; and what must hold of any such log. Each
 * record is filled with a byte of its own between claim and commit.
 */
#pragma once

#include <string.h>

#include "schemes/core/ring.h"

#if !SEAM_INTERRUPTS_CALLED
#error "the pen writes with a hook at each point: see counting_tests in the Makefile"
#endif

#define PEN_SHIFT 6
#define PEN_BYTES 64u
#define PEN_HEADER 16u
#define PEN_ROOM (PEN_BYTES - PEN_HEADER)
#define PEN_NUMBERS 512
#define PEN_UPPER (UINT64_C(0x1234) << PACKED_BITS)
#define PEN_RECORDS 2048

struct pen_record {
	uint64_t number;
	uint32_t index;
	uint32_t size;
	uint8_t mark;
	bool committed;
};

struct pen {
	struct ring ring;
	struct subbuf subbufs[8];
	uint8_t bytes[8 * PEN_BYTES] __attribute__((aligned(64)));
	uint64_t origin; /* first number of the log, a multiple of the count */
	uint64_t before; /* records that went through all slots before the log began */

	/* the log */
	unsigned int count;
	uint64_t lost;
	uint64_t refused;
	uint64_t covered[PEN_NUMBERS]; /* a bit per byte of a sub-buffer */
	uint32_t held[PEN_NUMBERS]; /* records of the number */

	/* who interrupts: `burst` records of `burst_size` (0: a flush) at these calls, from 1 */
	unsigned int calls;
	unsigned int at[3];
	unsigned int burst;
	uint32_t burst_size;

	struct pen_record records[PEN_RECORDS]; /* the first `count` of them */
};

/* What a test of the ring has to hold for: all of these. */
struct pen_form {
	enum ring_tail tail;
	enum ring_mode mode;
	uint32_t count_shift;
	bool late; /* two rounds before the byte half of the commit counters runs over */
};

#define PEN_FORMS 24

/* Form 0 .. PEN_FORMS - 1. */
static inline struct pen_form pen_form(unsigned int index)
{
	return (struct pen_form){
		.tail = (enum ring_tail)(index % 3),
		.mode = index / 3 & 1 ? RING_DISCARD : RING_OVERWRITE,
		.count_shift = index / 3 & 2 ? 2 : 1,
		.late = index / 3 & 4,
	};
}

/* The offset of the packed form runs over there, too. */
#define PEN_LATE_ROUNDS ((UINT64_C(1) << (32 - PEN_SHIFT)) - 2)
#define PEN_LATE_RECORDS UINT64_C(77777)

static inline uint64_t pen_slots(const struct pen *pen)
{
	return ring_count_mask(&pen->ring) + 1;
}

/* The tail word right behind a record that ends at `number`, `index`. */
static inline uint64_t pen_tail_at(const struct pen *pen, uint64_t number, uint64_t index)
{
	uint64_t offset = (number << PEN_SHIFT) + index;

	if (pen->ring.form == RING_TAIL_NUMBERED)
		return number << RING_INDEX_BITS | index;
	if (pen->ring.form == RING_TAIL_PACKED)
		return PEN_UPPER | (offset / RING_PACKED_UNIT & bits_mask(PACKED_BITS));
	return offset;
}

/* Complete, as the byte half of the commit counter says it. */
static inline bool pen_complete(const struct pen *pen, uint64_t number)
{
	return (uint32_t)ring_subbuf(&pen->ring, number)->commits ==
	       (uint32_t)((number / pen_slots(pen) + 1) * PEN_BYTES);
}

/* As if PEN_LATE_ROUNDS had passed, with PEN_LATE_RECORDS through each slot. */
static inline void pen_start_late(struct pen *pen)
{
	struct ring *ring = &pen->ring;
	uint64_t slots = ring_count_mask(ring) + 1, slot;

	pen->origin = PEN_LATE_ROUNDS * slots;
	pen->before = PEN_LATE_RECORDS * slots;
	for (slot = 0; slot < slots; slot++) {
		pen->subbufs[slot] = (struct subbuf){
			.commits = (PEN_LATE_ROUNDS << PEN_SHIFT) + PEN_LATE_RECORDS * RING_RECORD,
			.number = pen->origin - slots + slot,
			.records_before = PEN_LATE_RECORDS,
		};
	}
	ring->tail = ring->form == RING_TAIL_NUMBERED ?
			     pen_tail_at(pen, pen->origin - 1, PEN_BYTES) :
			     pen_tail_at(pen, pen->origin, 0);
	ring->consumed = pen->origin;
}

static inline void pen_start(struct pen *pen, struct pen_form form)
{
	struct ring_config config = {
		.mode = form.mode,
		.subbuf_shift = PEN_SHIFT,
		.count_shift = form.count_shift,
		.stamp_bits = 27,
		.counter_bits = 64,
		.fixed_bytes = 8,
		.cpu = 3,
	};

	points.hook = NULL;
	memset(pen, 0, offsetof(struct pen, records));
	memset(pen->bytes, 0xa5, sizeof(pen->bytes));
	ring_init(&pen->ring, &config, pen->bytes, pen->subbufs, form.tail, PEN_HEADER);
	if (form.late)
		pen_start_late(pen);
}

/* The number that the first record opens. Number 0 of the numbered form counts as full. */
static inline uint64_t pen_first(const struct pen *pen)
{
	return pen->origin ? pen->origin : pen->ring.form == RING_TAIL_NUMBERED;
}

static inline bool pen_claim_offset(struct pen *pen, uint64_t size, struct pen_record *record)
{
	struct ring *ring = &pen->ring;
	uint64_t offset = shared_load("offset", &ring->tail), start, number;
	struct ring_opening opening = { .number = 0 };
	bool opens;

	do {
		opens = size > ring_room(ring, offset);
		start = offset;
		if (opens) {
			number = ring_next_number(ring, offset);
			start = (number << PEN_SHIFT) + PEN_HEADER;
			if (size > ring_max_record(ring) ||
			    !ring_may_open(ring, number, &opening)) {
				ring_lost(ring, size);
				return false;
			}
		}
	} while (!local_cmpxchg("claim", &ring->tail, &offset, start + size));
	if (opens)
		ring_switched(ring, offset, &opening);
	record->number = start >> PEN_SHIFT;
	record->index = start & (PEN_BYTES - 1);
	assert_ptr_equal(ring_at(ring, start),
			 ring_subbuf_base(ring, record->number) + record->index);
	assert_ptr_equal(ring_subbuf_at(ring, start), ring_subbuf(ring, record->number));
	return true;
}

static inline bool pen_claim_numbered(struct pen *pen, uint64_t size, struct pen_record *record)
{
	struct ring *ring = &pen->ring;
	uint64_t tail;

	for (;;) {
		if (size > ring_max_record(ring))
			break;
		tail = local_xadd("claim", &ring->tail, size);
		record->number = ring_tail_number(tail);
		record->index = (uint32_t)ring_tail_index(tail);
		if (record->index + size <= PEN_BYTES)
			return true;
		if (!ring_move_on(ring, tail, size))
			break;
	}
	ring_lost(ring, size);
	return false;
}

static inline bool pen_claim_packed(struct pen *pen, uint64_t size, struct pen_record *record)
{
	struct ring *ring = &pen->ring;
	uint64_t tail = shared_load("tail", &ring->tail), offset, start, number, next;
	struct ring_opening opening = { .number = 0 };
	bool opens;

	do {
		offset = ring_packed_offset(ring, tail);
		number = ring_packed_number(ring, offset);
		opens = size > ring_room(ring, offset);
		start = offset;
		if (opens) {
			number = offset || ring->subbufs[0].commits ? number + 1 : 0;
			start = (number << PEN_SHIFT) + PEN_HEADER;
			if (size > ring_max_record(ring) ||
			    !ring_may_open(ring, number, &opening)) {
				ring_lost(ring, size);
				return false;
			}
		}
		next = PEN_UPPER | ((start + size) / RING_PACKED_UNIT & bits_mask(PACKED_BITS));
	} while (!local_cmpxchg("claim", &ring->tail, &tail, next));
	if (opens)
		ring_switched(ring, offset, &opening);
	record->number = number;
	record->index = start & (PEN_BYTES - 1);
	return true;
}

static inline bool pen_claim_by_form(struct pen *pen, uint64_t size, struct pen_record *record)
{
	if (pen->ring.form == RING_TAIL_NUMBERED)
		return pen_claim_numbered(pen, size, record);
	if (pen->ring.form == RING_TAIL_PACKED)
		return pen_claim_packed(pen, size, record);
	return pen_claim_offset(pen, size, record);
}

/* Claims, and writes the log; NULL if the event is lost. The packed form has whole units only. */
static inline struct pen_record *pen_claim(struct pen *pen, uint32_t size)
{
	struct pen_record record, *logged;
	uint64_t place, bits;

	if (pen->ring.form == RING_TAIL_PACKED)
		size = (uint32_t)bits_align(size, RING_PACKED_UNIT);
	record = (struct pen_record){ .size = size };
	if (!pen_claim_by_form(pen, size, &record)) {
		if (size > PEN_ROOM)
			pen->refused++;
		else
			pen->lost++;
		return NULL;
	}
	place = record.number - pen->origin;
	bits = bits_mask(size) << record.index;
	assert_true(place < PEN_NUMBERS && pen->count < PEN_RECORDS);
	assert_true(record.index >= PEN_HEADER && record.index + size <= PEN_BYTES);
	/* Nobody else was ever given one of these bytes. */
	assert_int_equal(pen->covered[place] & bits, 0);
	pen->covered[place] |= bits;
	pen->held[place]++;
	record.mark = (uint8_t)(pen->count * 7 + 1);
	logged = &pen->records[pen->count++];
	*logged = record;
	memset(ring_subbuf_base(&pen->ring, record.number) + record.index, record.mark, size);
	return logged;
}

static inline void pen_commit(struct pen *pen, struct pen_record *record)
{
	ring_commit(ring_subbuf(&pen->ring, record->number), record->size, RING_RECORD);
	record->committed = true;
}

static inline struct pen_record *pen_write(struct pen *pen, uint32_t size)
{
	struct pen_record *record = pen_claim(pen, size);

	if (record)
		pen_commit(pen, record);
	return record;
}

/* The record went to `number`, `index`. */
#define assert_at(record, at_number, at_index) \
	do { \
		const struct pen_record *at_ = (record); \
		assert_non_null(at_); \
		assert_int_equal(at_->number, at_number); \
		assert_int_equal(at_->index, at_index); \
	} while (0)

/* Fills the ring with one record of `size` per sub-buffer; returns the number that comes next. */
static inline uint64_t pen_fill(struct pen *pen, uint32_t size)
{
	uint64_t first = pen_first(pen), number;

	for (number = first; number < first + pen_slots(pen); number++)
		assert_at(pen_write(pen, size), number, PEN_HEADER);
	return number;
}

/* Every readable number holds exactly what the log says, byte by byte. */
static inline void pen_verify_readable(const struct pen *pen)
{
	const struct ring *ring = &pen->ring;
	uint64_t first, last, number, covered;
	const struct pen_record *record;
	uint32_t content, i, j;

	ring_readable(ring, &first, &last);
	assert_true(first <= last && last - first <= ring_count_mask(ring) + 1);
	for (number = first; number < last; number++) {
		covered = pen->covered[number - pen->origin];
		content = ring_content(ring, number);
		/* From the header's end on without a hole, and to nowhere else. */
		assert_int_equal(content, PEN_HEADER + (uint32_t)__builtin_popcountll(covered));
		assert_int_equal(covered, bits_mask(content) & ~bits_mask(PEN_HEADER));
		assert_int_equal(ring_record_count(ring, number), pen->held[number - pen->origin]);
	}
	for (i = 0; i < pen->count; i++) {
		record = &pen->records[i];
		if (record->number < first || record->number >= last)
			continue;
		for (j = 0; j < record->size; j++)
			assert_int_equal(ring_subbuf_base(ring, record->number)[record->index + j],
					 record->mark);
	}
}

/* Flushes and judges everything. */
static inline void pen_verify(struct pen *pen)
{
	struct ring *ring = &pen->ring;
	uint32_t i;

	points.hook = NULL;
	for (i = 0; i < pen->count; i++)
		assert_true(pen->records[i].committed);
	ring_flush(ring, 0);
	pen_verify_readable(pen);
	assert_int_equal(ring->lost, pen->lost);
	assert_int_equal(ring->refused, pen->refused);
	assert_int_equal(ring_total_records(ring), pen->before + pen->count);
}

/* Verifies the ring of this form, then starts the next form. False: all are done. */
static inline bool pen_next(struct pen *pen, unsigned int index)
{
	if (index)
		pen_verify(pen);
	if (index < PEN_FORMS)
		pen_start(pen, pen_form(index));
	return index < PEN_FORMS;
}

/* Runs at each point: the nested writers. */
static inline void pen_interrupt(void *arg, const char *label)
{
	struct pen *pen = arg;
	unsigned int i, j, call = ++pen->calls;

	(void)label;
	for (i = 0; i < sizeof(pen->at) / sizeof(pen->at[0]); i++)
		for (j = 0; pen->at[i] == call && j < pen->burst; j++)
			if (pen->burst_size)
				pen_write(pen, pen->burst_size);
			else
				ring_flush(&pen->ring, 0);
}
