// SPDX-License-Identifier: MIT
/*
 * The ring under nested writers: writers and a flush, interrupted at each of their points and at
 * each pair of them, in all forms of pen_form().
 */
#include "tests/support/test.h"
#include "tests/support/ring_pen.h"

/* Compiled here once more, so that a flush has points. */
#include "schemes/core/ring.c"

static struct pen pen;

struct nesting {
	uint32_t start; /* bytes in the open sub-buffer; 0: none is open */
	uint32_t size; /* of the record that is interrupted */
	unsigned int burst;
	uint32_t burst_size;
};

/* Two writers and a flush, interrupted at the given points; false if there are fewer points. */
static bool interrupted_run(struct pen_form form, const struct nesting *nesting, unsigned int one,
			    unsigned int two)
{
	unsigned int calls;

	pen_start(&pen, form);
	if (nesting->start)
		pen_write(&pen, nesting->start);
	pen.burst = nesting->burst;
	pen.burst_size = nesting->burst_size;
	pen.at[0] = one;
	pen.at[1] = two;
	points.hook = pen_interrupt;
	points.arg = &pen;
	pen_write(&pen, nesting->size);
	pen_write(&pen, 3);
	ring_flush(&pen.ring, 0);
	calls = pen.calls;
	pen_verify(&pen);
	return calls >= (two ? two : one);
}

static uint64_t interrupt_everywhere(struct pen_form form, const struct nesting *nesting)
{
	unsigned int one, two;
	uint64_t lost = 0;

	for (one = 1; interrupted_run(form, nesting, one, 0); one++) {
		lost += pen.ring.lost;
		/* Nested in nested, or again in the interrupted writer. */
		for (two = one + 1; nesting->burst == 1; two++) {
			if (!interrupted_run(form, nesting, one, two))
				break;
			lost += pen.ring.lost;
		}
	}
	assert_true(one > 8); /* a plain write has four points at least */
	return lost;
}

static void interrupted_at_every_point(void **state)
{
	static const uint32_t starts[] = { 0, 1, 28, 46, 48 }, sizes[] = { 1, 18, 48 };
	static const uint32_t bursts[][2] = { { 1, 1 },	 { 1, 20 }, { 1, 48 }, { 1, 0 },
					      { 3, 20 }, { 5, 40 }, { 12, 40 } };
	struct nesting nesting;
	unsigned int form, s, z, b;
	uint64_t lost;

	for (form = 0; form < PEN_FORMS; form++) {
		lost = 0;
		for (s = 0; s < 5; s++)
			for (z = 0; z < 3; z++)
				for (b = 0; b < 7; b++) {
					nesting = (struct nesting){ starts[s], sizes[z],
								    bursts[b][0], bursts[b][1] };
					lost += interrupt_everywhere(pen_form(form), &nesting);
				}
		/* Some nested writers came round to a slot that was still in use. */
		assert_true(lost);
	}
}

static void lose_one_at_the_padding(void *arg, const char *label)
{
	if (strcmp(label, "pad: content") || pen.calls++)
		return;
	assert_null(pen_write(&pen, PEN_ROOM));
}

/* An event lost while a sub-buffer is being opened belongs to a later one: it is newer. */
static void what_is_lost_during_a_switch_comes_after_it(void **state)
{
	uint64_t next;

	for (unsigned int i = 0; pen_next(&pen, i); i++) {
		if (pen_form(i).mode == RING_OVERWRITE || pen_form(i).tail == RING_TAIL_NUMBERED)
			continue;
		next = pen_fill(&pen, 40);
		ring_consume(&pen.ring, next - pen_slots(&pen) + 1);
		points.hook = lose_one_at_the_padding;
		assert_at(pen_write(&pen, 40), next, PEN_HEADER);
		points.hook = NULL;
		assert_int_equal(pen.ring.lost, 1);
		assert_int_equal(ring_subbuf(&pen.ring, next)->lost_before, 0);
		ring_consume(&pen.ring, next);
		assert_at(pen_write(&pen, 40), next + 1, PEN_HEADER);
		assert_int_equal(ring_subbuf(&pen.ring, next + 1)->lost_before, 1);
	}
}

TESTS(interrupted_at_every_point, what_is_lost_during_a_switch_comes_after_it)
