// SPDX-License-Identifier: MIT
/*
 * The ring: switch, overwrite, discard, commit counts, flush. Each test runs over all forms of the
 * tail word, both modes, two and four sub-buffers, from the start and far behind it (pen_form()).
 */
#include "tests/support/test.h"
#include "tests/support/ring_pen.h"

static struct pen pen;

static bool numbered(void)
{
	return pen.ring.form == RING_TAIL_NUMBERED;
}

/* A size that the packed form cannot have. */
static bool odd(uint32_t size)
{
	return pen.ring.form == RING_TAIL_PACKED && size % RING_PACKED_UNIT;
}

/* Is the newest sub-buffer still open? By the tail's own bits, form by form. */
static bool tail_is_open(void)
{
	uint64_t bytes = ring_subbuf_bytes(&pen.ring), tail = pen.ring.tail;

	if (pen.ring.form == RING_TAIL_NUMBERED)
		return (tail & 0xfffff) < bytes;
	if (pen.ring.form == RING_TAIL_PACKED)
		tail = (tail & 0x7ffffff) * 4;
	return tail % bytes;
}

/* The ring holds [first, last); a reader may take all but the open one. */
static void assert_readable(uint64_t first, uint64_t last)
{
	uint64_t is_first, is_last;

	ring_readable(&pen.ring, &is_first, &is_last);
	assert_int_equal(is_first, first);
	assert_int_equal(is_last, last - (last > first && tail_is_open()));
}

static void init_sets_what_the_config_says(void **state)
{
	for (unsigned int i = 0; i < PEN_FORMS; i++) {
		pen_start(&pen, pen_form(i));
		assert_int_equal(ring_subbuf_bytes(&pen.ring), 64);
		assert_int_equal(ring_bytes(&pen.ring), 64 << pen_form(i).count_shift);
		assert_int_equal(ring_max_record(&pen.ring), 48);
		assert_int_equal(pen.ring.stamp_bits, 27);
		assert_int_equal(pen.ring.counter_bits, 64);
		assert_int_equal(pen.ring.fixed_bytes, 8);
		assert_int_equal(pen.ring.cpu, 3);
		assert_int_equal(pen.ring.mode, pen_form(i).mode);
		assert_int_equal(pen.ring.lost + pen.ring.refused + pen.ring.stuck, 0);
		/* Nothing is there to read, and nothing was recorded. */
		assert_readable(pen_first(&pen), pen_first(&pen));
		assert_int_equal(ring_total_records(&pen.ring), pen.before);
	}
}

static void the_first_record_opens_the_first_number(void **state)
{
	uint64_t first;

	for (unsigned int i = 0; pen_next(&pen, i); i++) {
		first = pen_first(&pen);
		assert_at(pen_write(&pen, 4), first, PEN_HEADER);
		assert_int_equal(pen.ring.tail, pen_tail_at(&pen, first, PEN_HEADER + 4));
		assert_at(pen_write(&pen, 8), first, PEN_HEADER + 4);
		assert_int_equal(ring_subbuf(&pen.ring, first)->number, first);
		assert_readable(first, first + 1);
		/* Not yet complete: nothing in it is readable. */
		assert_int_equal(ring_content(&pen.ring, first), 0);
	}
}

static void start_offset(struct pen_form form, uint32_t start, uint32_t size)
{
	bool fits = start + size <= PEN_ROOM;
	uint64_t first;

	pen_start(&pen, form);
	if (odd(start) || odd(size))
		return;
	first = pen_first(&pen);
	assert_at(pen_write(&pen, start), first, PEN_HEADER);
	if (fits) {
		assert_at(pen_write(&pen, size), first, PEN_HEADER + start);
		assert_int_equal(pen.ring.tail,
				 pen_tail_at(&pen, first, PEN_HEADER + start + size));
		assert_int_equal(pen_complete(&pen, first), start + size == PEN_ROOM);
	} else {
		assert_at(pen_write(&pen, size), first + 1, PEN_HEADER);
		assert_int_equal(pen.ring.tail, pen_tail_at(&pen, first + 1, PEN_HEADER + size));
		assert_true(pen_complete(&pen, first));
		assert_int_equal(ring_content(&pen.ring, first), PEN_HEADER + start);
		assert_int_equal(ring_record_count(&pen.ring, first), 1);
	}
	pen_verify(&pen);
}

/* A record of every size at every start offset: it fits, or opens the next sub-buffer. */
static void every_start_offset(void **state)
{
	uint32_t start, size;

	for (unsigned int i = 0; i < PEN_FORMS; i++)
		for (start = 1; start <= PEN_ROOM; start++)
			for (size = 1; size <= PEN_ROOM; size++)
				start_offset(pen_form(i), start, size);
}

/* A sub-buffer that is filled to its last byte is complete by itself: no padding, no tag. */
static void an_exact_fill_needs_no_padding(void **state)
{
	uint64_t first;

	for (unsigned int i = 0; pen_next(&pen, i); i++) {
		first = pen_first(&pen);
		pen_write(&pen, 20);
		pen_write(&pen, PEN_ROOM - 20);
		assert_true(pen_complete(&pen, first));
		assert_int_equal(ring_content(&pen.ring, first), PEN_BYTES);
		assert_int_equal(ring_record_count(&pen.ring, first), 2);
		/* Another writer finds it so and only opens the next. */
		assert_at(pen_write(&pen, 4), first + 1, PEN_HEADER);
		assert_true(pen_complete(&pen, first));
		assert_int_equal(ring_subbuf(&pen.ring, first)->content, 0);
		assert_int_equal(ring_content(&pen.ring, first), PEN_BYTES);
	}
}

static void overwriting_keeps_the_newest(void **state)
{
	unsigned int i, n;
	uint64_t number;

	for (i = 0; i < PEN_FORMS; i++) {
		if (pen_form(i).mode == RING_DISCARD)
			continue;
		pen_start(&pen, pen_form(i));
		for (n = 0; n < 400; n++) {
			number = pen_write(&pen, 1 + n * 11 % PEN_ROOM)->number;
			if (number >= pen.origin + pen_slots(&pen))
				assert_readable(number + 1 - pen_slots(&pen), number + 1);
			else
				assert_readable(pen_first(&pen), number + 1);
		}
		assert_true(number > pen.origin + 4 * pen_slots(&pen));
		pen_verify(&pen);
		assert_int_equal(pen.ring.lost, 0);
	}
}

static void discarding_loses_the_new_until_consumed(void **state)
{
	uint64_t first, full;
	unsigned int n;

	for (unsigned int i = 0; pen_next(&pen, i); i++) {
		if (pen_form(i).mode == RING_OVERWRITE)
			continue;
		first = pen_first(&pen);
		full = pen_fill(&pen, 28);
		/* What still fits is recorded, what does not is lost, and counted. */
		assert_at(pen_write(&pen, 12), full - 1, PEN_HEADER + 28);
		for (n = 1; n <= 3; n++) {
			assert_null(pen_write(&pen, 40));
			assert_int_equal(pen.ring.lost, n);
		}
		assert_readable(first, full);
		/* One sub-buffer consumed makes room for one. */
		ring_consume(&pen.ring, first + 1);
		assert_at(pen_write(&pen, 40), full, PEN_HEADER);
		assert_int_equal(ring_subbuf(&pen.ring, full)->lost_before, 3);
		assert_null(pen_write(&pen, 40));
		assert_readable(first + 1, full + 1);
		ring_consume(&pen.ring, full + 1);
		assert_readable(full + 1, full + 1);
		assert_at(pen_write(&pen, 48), full + 1, PEN_HEADER);
		assert_int_equal(ring_subbuf(&pen.ring, full + 1)->lost_before, 4);
	}
}

/*
 * A lost event of the numbered form puts its overshoot back: the index stays at the end however
 * many are lost, and never runs into the number.
 */
static void lost_events_leave_the_index_at_the_end(void **state)
{
	uint64_t last, tail, n;

	for (unsigned int i = 0; pen_next(&pen, i); i++) {
		if (pen_form(i).mode == RING_OVERWRITE)
			continue;
		last = pen_fill(&pen, 28) - 1;
		tail = pen.ring.tail;
		assert_null(pen_write(&pen, 24));
		/* The first of them padded the sub-buffer: it fitted no more. */
		if (numbered())
			tail = pen_tail_at(&pen, last, PEN_BYTES);
		assert_int_equal(pen.ring.tail, tail);
		assert_int_equal(pen_complete(&pen, last), numbered());
		for (n = 0; n < (RING_INDEX_MASK + 1) / PEN_ROOM + 100; n++) {
			assert_null(pen_write(&pen, PEN_ROOM));
			assert_int_equal(pen.ring.tail, tail);
		}
	}
}

/* Whatever is larger than an empty sub-buffer is refused: it can never be recorded. */
static void an_event_larger_than_a_sub_buffer_is_refused(void **state)
{
	uint32_t before, size;
	uint64_t tail;

	for (unsigned int i = 0; i < PEN_FORMS; i++) {
		for (before = 0; before <= PEN_ROOM; before += 16) {
			pen_start(&pen, pen_form(i));
			if (before)
				pen_write(&pen, before);
			tail = pen.ring.tail;
			for (size = PEN_ROOM + 1; size <= 4 * PEN_BYTES; size++)
				assert_null(pen_claim(&pen, size));
			assert_int_equal(pen.ring.tail, tail);
			assert_int_equal(pen.ring.refused, 4 * PEN_BYTES - PEN_ROOM);
			assert_int_equal(pen.ring.lost, 0);
			assert_non_null(pen_write(&pen, PEN_ROOM));
			pen_verify(&pen);
		}
	}
}

/*
 * A writer stopped before its commit owns its slot: whoever comes round loses its events, even in a
 * flight recorder and even with everything consumed, until the writer is done.
 */
static void a_slot_with_an_uncommitted_record_is_not_lapped(void **state)
{
	struct pen_record *stopped;
	uint64_t number;
	uint32_t size;

	for (unsigned int i = 0; i < PEN_FORMS; i++) {
		for (size = 1; size <= PEN_ROOM; size++) {
			pen_start(&pen, pen_form(i));
			stopped = pen_claim(&pen, size);
			number = stopped->number;
			while (pen_write(&pen, 33))
				ring_consume(&pen.ring, pen.records[pen.count - 1].number);
			assert_int_equal(pen.records[pen.count - 1].number,
					 number + pen_slots(&pen) - 1);
			ring_consume(&pen.ring, number + pen_slots(&pen));
			assert_null(pen_write(&pen, 33));
			assert_int_equal(pen.ring.lost, 2);
			assert_int_equal(ring_content(&pen.ring, number), 0);
			pen_commit(&pen, stopped);
			assert_true(pen_complete(&pen, number));
			assert_at(pen_write(&pen, 33), number + pen_slots(&pen), PEN_HEADER);
			pen_verify(&pen);
		}
	}
}

/* The same with another slot than the first, reached after several rounds. */
static void a_writer_stopped_later_is_not_lapped_either(void **state)
{
	struct pen_record *stopped;
	unsigned int n;

	for (unsigned int i = 0; i < PEN_FORMS; i++) {
		for (n = 1; n < 12; n++) {
			pen_start(&pen, pen_form(i));
			while (pen.count < n)
				ring_consume(&pen.ring, pen_write(&pen, 40)->number);
			stopped = pen_claim(&pen, 40);
			ring_consume(&pen.ring, stopped->number);
			while (pen_write(&pen, 48))
				ring_consume(&pen.ring, pen.records[pen.count - 1].number);
			assert_int_equal(pen.count, n + pen_slots(&pen));
			pen_commit(&pen, stopped);
			pen_verify(&pen);
		}
	}
}

static void a_flush_closes_what_is_open(void **state)
{
	uint32_t size;
	uint64_t first;

	for (unsigned int i = 0; i < PEN_FORMS; i++) {
		for (size = 1; size <= PEN_ROOM; size++) {
			pen_start(&pen, pen_form(i));
			if (odd(size))
				continue;
			first = pen_first(&pen);
			pen_write(&pen, size);
			ring_flush(&pen.ring, 1000 + size);
			/* There is nothing to close where the record fills it. */
			assert_int_equal(pen.ring.flush_stamp, size < PEN_ROOM ? 1000 + size : 0);
			assert_true(pen_complete(&pen, first));
			assert_int_equal(ring_content(&pen.ring, first), PEN_HEADER + size);
			assert_int_equal(pen.ring.tail, pen_tail_at(&pen, first + !numbered(),
								    numbered() ? PEN_BYTES : 0));
			/* Twice is once, and the stamp that of the closing. */
			ring_flush(&pen.ring, 2000);
			assert_int_equal(pen.ring.flush_stamp, size < PEN_ROOM ? 1000 + size : 0);
			assert_int_equal(pen.ring.flush_number,
					 size < PEN_ROOM ? first : UINT64_MAX);
			assert_readable(first, first + 1);
			assert_at(pen_write(&pen, 1), first + 1, PEN_HEADER);
			pen_verify(&pen);
		}
	}
}

static void a_flush_of_nothing_changes_nothing(void **state)
{
	uint64_t tail;

	for (unsigned int i = 0; pen_next(&pen, i); i++) {
		tail = pen.ring.tail;
		ring_flush(&pen.ring, 17);
		assert_int_equal(pen.ring.tail, tail);
		assert_int_equal(pen.ring.flush_stamp, 0);
		assert_readable(pen_first(&pen), pen_first(&pen));
		pen_write(&pen, PEN_ROOM);
		tail = pen.ring.tail;
		ring_flush(&pen.ring, 18);
		assert_int_equal(pen.ring.tail, tail);
	}
}

static void consuming_never_goes_back(void **state)
{
	uint64_t first;

	for (unsigned int i = 0; pen_next(&pen, i); i++) {
		first = pen_first(&pen);
		pen_fill(&pen, 48);
		ring_consume(&pen.ring, first + 2);
		ring_consume(&pen.ring, first + 1);
		ring_consume(&pen.ring, 0);
		assert_readable(first + 2, first + pen_slots(&pen));
	}
}

/* A pad's tag stays in the slot; a later number that is full, or padded elsewhere, is not misled.
 */
static void tags_of_earlier_rounds_do_not_count(void **state)
{
	uint64_t first, far;
	uint32_t old;

	for (unsigned int i = 0; i < PEN_FORMS; i++) {
		for (old = 1; old < PEN_ROOM; old++) {
			pen_start(&pen, pen_form(i));
			if (odd(old))
				continue;
			first = pen_first(&pen);
			pen_write(&pen, old);
			ring_flush(&pen.ring, 0);
			assert_int_equal(ring_subbuf(&pen.ring, first)->content,
					 first << RING_INDEX_BITS | (PEN_HEADER + old));
			while (pen.records[pen.count - 1].number < first + pen_slots(&pen))
				ring_consume(&pen.ring, pen_write(&pen, PEN_ROOM)->number);
			assert_int_equal(ring_content(&pen.ring, first + pen_slots(&pen)),
					 PEN_BYTES);
			/* The number that the tag names is not there any more. */
			assert_int_equal(ring_content(&pen.ring, first), 0);
			/* Nor is one whose bytes would be the same modulo 2^32. */
			far = first + (pen_slots(&pen) << (32 - PEN_SHIFT)) + pen_slots(&pen);
			assert_int_equal(ring_content(&pen.ring, far), 0);
			while (pen.records[pen.count - 1].number < first + 2 * pen_slots(&pen))
				ring_consume(&pen.ring, pen_write(&pen, 44)->number);
			ring_flush(&pen.ring, 0);
			assert_int_equal(ring_content(&pen.ring, first + 2 * pen_slots(&pen)), 60);
			pen_verify(&pen);
		}
	}
}

/* Two rounds after a late start the byte half of a slot's commits runs over; the records stay
 * right. */
static void the_byte_half_carries_into_the_record_half(void **state)
{
	uint64_t commits, number, rounds, records;

	for (unsigned int i = 0; pen_next(&pen, i); i++) {
		if (!pen_form(i).late)
			continue;
		number = 0;
		while (number < pen.origin + 5 * pen_slots(&pen)) {
			pen_write(&pen, 12);
			number = pen_write(&pen, 24)->number;
			ring_consume(&pen.ring, number);
			ring_flush(&pen.ring, 0);
			rounds = number / pen_slots(&pen) - PEN_LATE_ROUNDS + 1;
			records = PEN_LATE_RECORDS + 2 * rounds;
			commits = ring_subbuf(&pen.ring, number)->commits;
			/* The carry is there ... */
			assert_int_equal(commits >> 32, records + (rounds >= 2));
			assert_int_equal((uint32_t)commits,
					 (uint32_t)((rounds - 2) * (uint64_t)PEN_BYTES));
			/* ... and is not taken for a record. */
			assert_int_equal(ring_record_count(&pen.ring, number), 2);
			assert_int_equal(ring_content(&pen.ring, number), PEN_HEADER + 36);
			assert_int_equal(ring_total_records(&pen.ring), pen.before + pen.count);
		}
	}
}

/* What is not complete is not counted, and a slot never opened holds nothing. */
static void totals_count_complete_slots(void **state)
{
	struct pen_record *open;

	for (unsigned int i = 0; pen_next(&pen, i); i++) {
		pen_write(&pen, 40);
		pen_write(&pen, 40);
		ring_flush(&pen.ring, 0);
		assert_int_equal(ring_total_records(&pen.ring), pen.before + 2);
		if (pen_form(i).mode == RING_OVERWRITE && pen_form(i).count_shift == 1) {
			open = pen_claim(&pen, 40);
			assert_int_equal(ring_total_records(&pen.ring), pen.before / 2 + 1);
			pen_commit(&pen, open);
		}
	}
}

TESTS(init_sets_what_the_config_says, the_first_record_opens_the_first_number, every_start_offset,
      an_exact_fill_needs_no_padding, overwriting_keeps_the_newest,
      discarding_loses_the_new_until_consumed, lost_events_leave_the_index_at_the_end,
      an_event_larger_than_a_sub_buffer_is_refused, a_slot_with_an_uncommitted_record_is_not_lapped,
      a_writer_stopped_later_is_not_lapped_either, a_flush_closes_what_is_open,
      a_flush_of_nothing_changes_nothing, consuming_never_goes_back,
      tags_of_earlier_rounds_do_not_count, the_byte_half_carries_into_the_record_half,
      totals_count_complete_slots)
