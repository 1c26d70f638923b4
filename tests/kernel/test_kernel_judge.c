// SPDX-License-Identifier: MIT
/* tests/kernel/judge.c on sub-buffers made by hand: what it objects to, what it must let pass. */
#include "tests/support/test.h"
#include "tests/kernel/judge.h"

#include "schemes/format/format_ftrace.h"

#define ENTRY 10
#define EXIT 11
#define MARKER 5
#define TASK 0
#define HARDIRQ 0x08
#define WRAP (UINT64_C(1) << JUDGE_FIELD_BITS)
#define MS UINT64_C(1000000)

static const struct event_ids ids = { ENTRY, EXIT };
static struct pages a, b;
static struct decoded decoded_a, decoded_b;
static struct judgement judgement;

static uint8_t *begin_page(struct pages *pages, uint64_t time)
{
	uint8_t *page = pages->data[pages->count];
	uint64_t none = 0;

	memset(page, 0, JUDGE_PAGE_BYTES);
	memcpy(page, &time, sizeof(time));
	memcpy(page + 8, &none, sizeof(none));
	pages->bytes[pages->count++] = FTRACE_HEADER_BYTES;
	return page;
}

static uint8_t *room(struct pages *pages, uint32_t bytes)
{
	unsigned int last = pages->count - 1;
	uint8_t *at = pages->data[last] + pages->bytes[last];
	uint64_t commit;

	pages->bytes[last] += bytes;
	commit = pages->bytes[last] - FTRACE_HEADER_BYTES;
	memcpy(pages->data[last] + 8, &commit, sizeof(commit));
	return at;
}

/* common fields and a number behind them: an interrupt's, or the first letters of a text */
static void add(struct pages *pages, uint32_t type, uint64_t value, uint16_t id, uint8_t flags,
		int32_t number)
{
	uint8_t *at = room(pages, (type ? FTRACE_TIME_BYTES : 0) + 16);
	uint64_t delta = type ? 0 : value;

	if (type)
		at = ftrace_put_time(at, type, value, JUDGE_FIELD_BITS);
	at = ftrace_put(at, 12, delta);
	memcpy(at, &id, sizeof(id));
	at[2] = flags;
	memcpy(at + 8, &number, sizeof(number));
}

static void interrupt_in_b(uint64_t entry, uint64_t leave, int number, int leaving)
{
	add(&b, FTRACE_TYPE_ABSOLUTE, entry, ENTRY, HARDIRQ, number);
	add(&b, FTRACE_TYPE_ABSOLUTE, leave, EXIT, HARDIRQ, leaving);
}

/*
 * Markers at 0 and 1 us; an interrupt's event at 10 us, a stop before the claim; the interrupted
 * marker with `delta` stored, and the next one at `next`. An earlier interrupt is in B.
 */
static void play(uint64_t delta, uint64_t next)
{
	a.count = b.count = 0;
	begin_page(&a, 100 * MS);
	begin_page(&b, 50 * MS);
	interrupt_in_b(50 * MS, 51 * MS, 4, 4);
	add(&a, 0, 0, MARKER, TASK, 'm');
	add(&a, 0, 1000, MARKER, TASK, 'm');
	add(&a, FTRACE_TYPE_ABSOLUTE, 100 * MS + 10000, ENTRY, HARDIRQ, 4);
	add(&a, 0, delta, MARKER, TASK, 'm');
	add(&a, FTRACE_TYPE_ABSOLUTE, next, MARKER, TASK, 'm');
}

static void look(void)
{
	assert_true(judge_decode(&a, &decoded_a));
	assert_true(judge_decode(&b, &decoded_b));
	judge(&decoded_a, &decoded_b, &ids, &judgement);
}

static void sees_lost_wraps(void **state)
{
	uint64_t true_delta = 2 * WRAP + 5 * MS;

	play(true_delta % WRAP, 100 * MS + true_delta + MS);
	interrupt_in_b(100 * MS + 12000, 100 * MS + true_delta - MS, 4, 4);
	look();
	assert_int_equal(judgement.first.kind, WRONG_IN_INTERRUPT);
	assert_int_equal(judgement.first.event, 3);
	assert_int_equal(judgement.first.wraps_low, 2);
	assert_int_equal(judgement.first.wraps_high, 2);
	assert_int_equal(judgement.in_interrupt, 1);
	assert_int_equal(judgement.nested, 1);
	/* A later next event leaves room for more wraps: then it is not said how many. */
	play(true_delta % WRAP, 100 * MS + true_delta + WRAP + MS);
	interrupt_in_b(100 * MS + 12000, 100 * MS + true_delta - MS, 4, 4);
	look();
	assert_int_equal(judgement.first.wraps_low, 2);
	assert_int_equal(judgement.first.wraps_high, 3);
}

static void passes_a_right_delta(void **state)
{
	play(40 * MS, 142 * MS);
	interrupt_in_b(100 * MS + 12000, 139 * MS, 4, 4);
	look();
	assert_int_equal(judgement.first.kind, WRONG_NOT);
	assert_int_equal(judgement.interrupts, 2);
}

/* The time of the event before, said not to be known better. */
static void passes_a_zero_delta(void **state)
{
	play(0, 400 * MS);
	interrupt_in_b(100 * MS + 9000, 390 * MS, 4, 4);
	look();
	assert_int_equal(judgement.first.kind, WRONG_NOT);
	assert_int_equal(judgement.zero, 1);
}

static void needs_the_interrupts_end(void **state)
{
	play(5 * MS, 400 * MS);
	add(&b, FTRACE_TYPE_ABSOLUTE, 100 * MS + 12000, ENTRY, HARDIRQ, 4);
	look();
	assert_int_equal(judgement.first.kind, WRONG_NOT);
	play(5 * MS, 400 * MS);
	interrupt_in_b(100 * MS + 12000, 390 * MS, 4, 3);
	look();
	assert_int_equal(judgement.first.kind, WRONG_NOT);
}

/* B's event of the entry may be taken late; A's shows that the interrupt had begun. */
static void takes_the_earlier_entry(void **state)
{
	play(5 * MS, 400 * MS);
	interrupt_in_b(108 * MS, 390 * MS, 4, 4);
	look();
	assert_int_equal(judgement.first.kind, WRONG_IN_INTERRUPT);
	assert_int_equal(judgement.first.event, 3);
	/* Another interrupt's event says nothing. */
	play(5 * MS, 400 * MS);
	interrupt_in_b(108 * MS, 390 * MS, 3, 3);
	look();
	assert_int_equal(judgement.first.kind, WRONG_NOT);
	/* Nor one that B may have lost. */
	play(5 * MS, 400 * MS);
	b.count = 0;
	begin_page(&b, 108 * MS);
	interrupt_in_b(108 * MS, 390 * MS, 4, 4);
	look();
	assert_int_equal(judgement.first.kind, WRONG_NOT);
}

static void sees_times_go_back(void **state)
{
	play(60 * MS, 170 * MS);
	interrupt_in_b(100 * MS + 12000, 101 * MS, 4, 4);
	a.bytes[0] -= 24; /* the next marker goes to a page of its own */
	room(&a, 0);
	begin_page(&a, 110 * MS);
	add(&a, 0, 0, ENTRY, HARDIRQ, 4);
	look();
	assert_int_equal(judgement.first.kind, WRONG_BACKWARDS);
	assert_int_equal(judgement.first.event, 3);
	assert_int_equal(judgement.backwards, 1);
}

static void skips_padding(void **state)
{
	uint8_t *at;

	play(40 * MS, 142 * MS);
	at = room(&a, 24); /* with a length: its delta counts */
	put_u32(at, 7 << FTRACE_TYPE_BITS | FTRACE_TYPE_PADDING);
	put_u32(at + 4, 20);
	add(&a, 0, 3, MARKER, TASK, 'm');
	at = room(&a, 8); /* the page's rest */
	put_u32(at, FTRACE_TYPE_PADDING);
	look();
	assert_int_equal(decoded_a.count, 6);
	assert_true(decoded_a.event[5].time_ns == 142 * MS + 10);
	put_u32(a.data[0] + a.bytes[0] - 8 - 16 - 20, 4000); /* longer than the page */
	assert_false(judge_decode(&a, &decoded_a));
}

static void refuses_what_is_broken(void **state)
{
	play(40 * MS, 142 * MS);
	a.bytes[0] -= 6;
	assert_false(judge_decode(&a, &decoded_a));
	play(40 * MS, 142 * MS);
	a.bytes[0] = 8;
	assert_false(judge_decode(&a, &decoded_a));
}

static void measures_pages(void **state)
{
	uint64_t commit = 100 | UINT64_C(1) << 31;
	uint8_t page[JUDGE_PAGE_BYTES] = { 0 };

	memcpy(page + 8, &commit, sizeof(commit));
	assert_int_equal(judge_page_bytes(page, sizeof(page)), 116);
	assert_int_equal(judge_page_bytes(page, 116), 116);
	assert_int_equal(judge_page_bytes(page, 115), 0);
	assert_int_equal(judge_page_bytes(page, 15), 0);
}

TESTS(sees_lost_wraps, passes_a_right_delta, passes_a_zero_delta, needs_the_interrupts_end,
      takes_the_earlier_entry, sees_times_go_back, skips_padding, refuses_what_is_broken,
      measures_pages)
