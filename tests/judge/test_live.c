// SPDX-License-Identifier: MIT
/*
 * A reader that takes sub-buffers while a ring is written: what it may take and what not, step by
 * step on the virtual clock. That it keeps this up beside a writer that does not wait is tested by
 * the workload live.
 */
#include "tests/support/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "judge/live.h"
#include "schemes/core/handover.h"
#include "schemes/format/format_ctf.h"
#include "tests/support/play.h"
#include "tests/support/scratch.h"

#define SUBBUF_SHIFT 9
#define COUNT_SHIFT 2 /* four of 512 bytes */

static struct play play;
static struct live live;

static struct ring *ring(void)
{
	return buffer_ring(&play.buffer);
}

static void start(const struct driver *driver, enum ring_mode mode)
{
	const struct stage stage = {
		.bits = 27,
		.subbuf_shift = SUBBUF_SHIFT,
		.count_shift = COUNT_SHIFT,
		.mode = mode,
		.now = 1 << 20,
		.step = 1,
	};

	play_open(&play, driver, SUBBUF_SHIFT + COUNT_SHIFT);
	play_start(&play, &stage);
	assert_int_equal(live_open(&live, &play.buffer), 0);
	assert_int_equal(live_attach(&live, &play.buffer), 0);
}

static void end(void)
{
	live_close(&live);
	play_close(&play);
}

/* The reader is done: what the writer wrote is judged. */
static void end_kept(void)
{
	live_detach(&live);
	play_end(&play);
	play_assert_kept(&play, 0);
	end();
}

/* Events until `count` sub-buffers are closed. */
static void write_until(uint64_t count)
{
	bool open;

	for (;;) {
		uint64_t closed = ring_end(ring(), &open);

		if (closed - open >= count)
			return;
		play_event(&play);
	}
}

/* Who must not be interrupted at all records no events that could be judged here. */
static void each_row(void (*test)(const struct driver *driver))
{
	const struct driver *const *row;

	for (row = play_rows(); *row; row++)
		if (!(*row)->desc->untimed)
			test(*row);
}

#define OF_EACH_ROW(test) \
	static void test(void **state) \
	{ \
		each_row(test##_row); \
	}

/* Nothing that is open, all that is closed, and each event once. */
static void discard_row(const struct driver *driver)
{
	uint64_t first, taken;
	unsigned int i;

	start(driver, RING_DISCARD);
	first = ring_start_number(ring());
	assert_int_equal(live_take(&live, &play.check), 0);
	play_event(&play);
	assert_int_equal(live_take(&live, &play.check), 0);
	for (i = 1; i < 40; i++) {
		write_until(first + i);
		taken = play.check.events;
		if (live_take(&live, &play.check) != 1)
			fail_msg("%s: sub-buffer %u was not taken", driver->row, i);
		assert_true(play.check.events > taken);
		assert_int_equal(live_take(&live, &play.check), 0);
	}
	assert_int_equal(ring()->lost, 0);
	assert_int_equal(live.taken, 39);
	end_kept();
	assert_int_equal(play.check.skipped, 0);
}

OF_EACH_ROW(discard)

/* A reader that does not come: the ring fills, and what is lost is counted; then it goes on. */
static void late_row(const struct driver *driver)
{
	uint64_t first, events;
	unsigned int i;

	start(driver, RING_DISCARD);
	first = ring_start_number(ring());
	for (i = 0; i < 400; i++)
		play_event(&play);
	if (!ring()->lost)
		fail_msg("%s: nothing was lost", driver->row);
	if (live_take(&live, &play.check) < 3)
		fail_msg("%s: a full ring was not taken", driver->row);
	events = play.check.events;
	write_until(first + 6);
	live_take(&live, &play.check);
	assert_true(play.check.events > events);
	end_kept();
}

OF_EACH_ROW(late)

/*
 * An overwriting ring: the newest closed ones but the oldest slot, which the next switch may write
 * into before the tail says so. What was overwritten is known by its number.
 */
static void overwrite_row(const struct driver *driver)
{
	const uint64_t count = 1 << COUNT_SHIFT;
	uint64_t first, laps, end_number, taken;
	bool open;

	start(driver, RING_OVERWRITE);
	live_detach(&live);
	/* Larger events than the least, which the reader of copies has to be told. */
	play.buffer.writer.extra_bytes = 8;
	assert_int_equal(buffer_reset(&play.buffer, &play.buffer.config), 0);
	buffer_check(&play.buffer, &play.check);
	assert_int_equal(live_attach(&live, &play.buffer), 0);
	first = ring_start_number(ring());
	for (laps = 1; laps < 30; laps++) {
		write_until(first + laps * (count + 1));
		play_event(&play);
		end_number = ring_end(ring(), &open);
		taken = live_take(&live, &play.check);
		/* Of four the open one and the oldest are not to be had. */
		if (taken != count - 2 || ring()->consumed != end_number - open)
			fail_msg("%s: lap %u: %u taken, up to %u of %u", driver->row,
				 (unsigned int)laps, (unsigned int)taken,
				 (unsigned int)ring()->consumed, (unsigned int)end_number);
		assert_int_equal(live_take(&live, &play.check), 0);
	}
	assert_int_equal(live.reader.torn, 0);
	end_kept();
	assert_true(play.check.skipped > 0);
}

OF_EACH_ROW(overwrite)

/* A writer that is interrupted in the middle of a record: its sub-buffer waits for it. */
static uint64_t taken_inside;
static unsigned int calls;

static void inside(void *arg, const char *label)
{
	calls++;
	points.hook = NULL;
	taken_inside += live_take(arg, &play.check);
	points.hook = inside;
}

static void interrupted_in(const struct driver *driver, enum ring_mode mode)
{
	uint64_t first;
	unsigned int i;

	start(driver, mode);
	first = ring_start_number(ring());
	taken_inside = calls = 0;
	points.arg = &live;
	for (i = 0; i < 600; i++) {
		points.hook = inside;
		play.driver->run(play.buffer.scheme, &play.buffer.writer, 1);
		points.hook = NULL;
	}
	assert_true(calls > 1000);
	if (taken_inside + 1 < ring()->consumed - first)
		fail_msg("%s: taken %u of %u", driver->row, (unsigned int)taken_inside,
			 (unsigned int)(ring()->consumed - first));
	assert_int_equal(ring()->lost, 0);
	assert_int_equal(live.reader.torn, 0);
	end_kept();
	/* Who looks at each point is never lapped: none was passed over, complete or not. */
	if (play.check.skipped)
		fail_msg("%s: %u events passed over", driver->row,
			 (unsigned int)play.check.skipped);
}

static void interrupted_row(const struct driver *driver)
{
	interrupted_in(driver, RING_DISCARD);
	interrupted_in(driver, RING_OVERWRITE);
}

OF_EACH_ROW(interrupted)

/* The writer comes while the reader copies: its first look at the ring's bytes faults. */
static uint64_t writer_events;
static unsigned int came, partly;
static bool packed; /* whose end is not told by the tail alone */

static void allow_reads(bool allow)
{
	assert_int_equal(mprotect(play.buffer.base, play.buffer.base_bytes,
				  allow ? PROT_READ | PROT_WRITE : PROT_NONE),
			 0);
}

static void in_a_copy(int signal)
{
	came++;
	allow_reads(true);
	play.driver->run(play.buffer.scheme, &play.buffer.writer, writer_events);
}

/* How many copies were overtaken by a writer of so many events. */
static uint64_t overtaken_by(const struct driver *driver, uint64_t events)
{
	const struct sigaction faults = { .sa_handler = in_a_copy };
	struct sigaction before;
	uint64_t torn, first, last, offered, got;
	bool open;

	start(driver, RING_OVERWRITE);
	packed = ring_tail_is_packed(ring());
	writer_events = events;
	assert_int_equal(sigaction(SIGSEGV, &faults, &before), 0);
	for (came = 0; came < 12;) {
		write_until(ring()->consumed + 3);
		last = ring_end(ring(), &open);
		first = ring_oldest_safe(ring(), ring()->consumed, last);
		offered = last - open - first;
		torn = live.reader.torn;
		allow_reads(false);
		got = live_take(&live, &play.check);
		allow_reads(true);
		/* It came just before the first one's slot, and behind the look that chose that. */
		if (!packed && ring_end(ring(), &open) - first == ring_count_mask(ring()) + 1) {
			assert_int_equal(live.reader.torn, torn + 1);
			assert_true(got + 1 >= offered);
			partly++;
		}
		/* What a torn copy held comes a second time. */
		live_take(&live, &play.check);
	}
	assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
	torn = live.reader.torn;
	end_kept();
	return torn;
}

/* A few events leave it whole; no copy is believed behind rounds of the ring. */
static void overtaken_row(const struct driver *driver)
{
	uint64_t events;

	assert_int_equal(overtaken_by(driver, 1), 0);
	for (events = 5; events < 100; events += 7)
		overtaken_by(driver, events);
	if (overtaken_by(driver, 400) < 12)
		fail_msg("%s: a copy is not known as overtaken", driver->row);
}

static void overtaken(void **state)
{
	partly = 0;
	each_row(overtaken_row);
	assert_true(partly > 100);
}

/* What the reader wrote into the packet of a copy. */
static const struct ctf_packet_header *copied(uint64_t number)
{
	return (const void *)ring_subbuf_base(buffer_ring(&live.spare), number);
}

/* A copy ends where the next packet begins or, if nothing is behind it, at the flush. */
static void copies_have_their_ends(void **state)
{
	const struct ctf_packet_header *next;
	uint64_t number, last;

	start(driver_find(drivers_counting, "full_tsc"), RING_OVERWRITE);
	ring()->lost = 3; /* before the next is opened, and after it */
	write_until(3);
	ring()->lost = 5;
	assert_int_equal(live_take(&live, &play.check), 2);
	number = ring()->consumed - 1;
	next = (const void *)ring_subbuf_base(ring(), number + 1);
	assert_int_equal(next->packet_seq_num, number + 1);
	assert_true(next->timestamp_begin > copied(number)->timestamp_begin);
	assert_int_equal(copied(number)->timestamp_end, next->timestamp_begin);
	assert_int_equal(copied(number)->events_discarded, 3);
	play_event(&play);
	last = next->timestamp_begin;
	play_pass(&play, 1000);
	play.driver->flush(play.buffer.scheme);
	play.check.closed_by_flush++;
	assert_int_equal(live_take(&live, &play.check), 1);
	assert_true(ring()->flush_stamp >= last + 1000);
	assert_int_equal(copied(number + 1)->timestamp_end, ring()->flush_stamp);
	assert_int_equal(copied(number + 1)->events_discarded, 5);
	ring()->lost = 0;
	end_kept();
}

/* The writer goes round the ring while the reader looks from the tail to the slots. */
static struct subbuf *slots; /* a page of their own */
static size_t page;

static void in_a_look(int signal)
{
	came++;
	assert_int_equal(mprotect(slots, page, PROT_READ | PROT_WRITE), 0);
	play.driver->run(play.buffer.scheme, &play.buffer.writer, writer_events);
}

static void round_the_ring(void **state)
{
	static const char *const rows[] = { "packed_word", "packed_last", "restartable" };
	const struct sigaction faults = { .sa_handler = in_a_look };
	struct sigaction before;
	uint64_t end_number, behind;
	unsigned int i;
	bool open;

	page = (size_t)sysconf(_SC_PAGESIZE);
	slots = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(slots != MAP_FAILED);
	for (i = 0; i < COUNT(rows); i++) {
		start(driver_find(drivers_counting, rows[i]), RING_OVERWRITE);
		memset(slots, 0, page);
		memcpy(slots, play.buffer.subbufs, sizeof(*slots) << COUNT_SHIFT);
		ring()->subbufs = slots;
		write_until(ring_start_number(ring()) + 9);
		assert_int_equal(sigaction(SIGSEGV, &faults, &before), 0);
		for (came = 0; came < 40;) {
			writer_events = 1 + 3 * came;
			assert_int_equal(mprotect(slots, page, PROT_NONE), 0);
			end_number = ring_end(ring(), &open);
			/* It was that, when the reader looked. */
			behind = ring_end(ring(), &open) - end_number;
			if (behind >= 1 << COUNT_SHIFT)
				fail_msg("%s: %u events, and the end is %lld behind", rows[i],
					 (unsigned int)writer_events, (long long)behind);
		}
		assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
		end();
	}
	munmap(slots, page);
}

/* A packed tail has not all bits of the offset: a copy's slots tell the reader the others. */
static void beyond_the_offsets(void **state)
{
	struct ring *its;
	unsigned int i;

	start(driver_find(drivers_counting, "packed_word"), RING_OVERWRITE);
	its = ring();
	its->packed_bits = 10; /* 4 KiB: two rings */
	((struct ring *)live.spare.scheme)->packed_bits = 10;
	for (i = 0; i < 50; i++) {
		write_until(5 * (i + 1));
		assert_true(live_take(&live, &play.check) >= 2);
	}
	end_kept();
	assert_true(play.check.events > 50 * 2 * 5);
}

static void refused(void **state)
{
	const struct driver *driver = driver_find(drivers_counting, "full_tsc");
	struct live other, none = { .taken = 0 }, small;
	struct play play2;

	start(driver, RING_OVERWRITE);
	assert_int_equal(live_open(&other, &play.buffer), 0);
	assert_fails(live_attach(&other, &play.buffer), -EBUSY, "has a reader already");
	/* Nor does who was refused let go of what the other one reads. */
	live_detach(&other);
	assert_fails(live_attach(&other, &play.buffer), -EBUSY, "has a reader already");
	live_detach(&live);
	assert_fails(live_attach(&none, &play.buffer), -ENOMEM, "no room for a copy");
	play_open(&play2, driver, SUBBUF_SHIFT + COUNT_SHIFT - 1);
	assert_int_equal(live_open(&small, &play2.buffer), 0);
	assert_fails(live_attach(&small, &play.buffer), -ENOMEM, "no room for a copy");
	live_close(&small);
	play_close(&play2);
	/* Whoever lost its reader takes another. */
	assert_int_equal(live_attach(&other, &play.buffer), 0);
	live_close(&other);
	/* In place no copy is needed. */
	play.buffer.config.mode = RING_DISCARD;
	assert_int_equal(buffer_reset(&play.buffer, &play.buffer.config), 0);
	assert_int_equal(live_attach(&none, &play.buffer), 0);
	live_detach(&none);
	end();
}

/*
 * The tail was loaded before the ring's first event, or some sub-buffers ago, and what completes it
 * is looked at behind that: the end is one that there was meanwhile.
 */
static void of_a_tail_that_is_old(void **state)
{
	uint64_t tail, seen, before, now;
	unsigned int i, rings = 0, went;
	bool open;

	for (i = 0; drivers_counting[i]; i++) {
		if (drivers_counting[i]->unsupported())
			continue;
		start(drivers_counting[i], RING_OVERWRITE);
		if (ring()->form != RING_TAIL_PACKED) {
			end();
			continue;
		}
		rings++;
		for (went = 0; went < 3 << COUNT_SHIFT; went++) {
			tail = ring()->tail;
			before = ring_end(ring(), &open);
			write_until(went + 1 + went % (2 << COUNT_SHIFT));
			play_event(&play);
			now = ring_end(ring(), &open);
			seen = tail;
			assert_in_range(ring_packed_end(ring(), &seen), before, now);
			/* An empty ring's is loaded again. */
			assert_true(tail || seen);
		}
		end();
	}
	assert_true(rings > 5);
}

/* A ring that is full for ever would not end. */
static int begin(void **state)
{
	alarm(60);
	return 0;
}

TESTS_OF(begin, NULL, NULL, NULL, discard, late, overwrite, interrupted, overtaken,
	 copies_have_their_ends, round_the_ring, beyond_the_offsets, of_a_tail_that_is_old, refused)
