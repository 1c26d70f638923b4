// SPDX-License-Identifier: MIT
/* A live reader's books, and its walk: what the rows' own tests (test_live.c) do not ask. */
#include "tests/support/test.h"
#include "judge/live.h"
#include "tests/support/play.h"

static struct play play;
static struct live live;

static struct ring *ring(void)
{
	return buffer_ring(&play.buffer);
}

/* Four sub-buffers of 512 bytes, of which so many are closed, all in all. */
static void start_in(enum ring_mode mode, uint64_t closed)
{
	const struct stage stage = {
		.bits = 27,
		.subbuf_shift = 9,
		.count_shift = 2,
		.mode = mode,
		.now = 1 << 20,
		.step = 1,
	};
	uint64_t end;
	bool open;

	play_open(&play, driver_find(drivers_counting, "extended_header"), 11);
	play_start(&play, &stage);
	assert_int_equal(live_open(&live, &play.buffer), 0);
	assert_int_equal(live_attach(&live, &play.buffer), 0);
	do {
		play_event(&play);
		end = ring_end(ring(), &open);
	} while (end - open < ring_start_number(ring()) + closed);
}

static void start(uint64_t closed)
{
	start_in(RING_DISCARD, closed);
}

static void end(void)
{
	live_detach(&live);
	live_close(&live);
	play_close(&play);
}

/* A sub-buffer is given back that nobody has read: once it may still be read, that is a breach. */
static void given_back_unread(void **state)
{
	unsigned int read, more;

	for (read = 0; read < 2; read++)
		for (more = 0; more < 2; more++) {
			start(2);
			if (read)
				assert_int_equal(live_take(&live, &play.check), 2);
			ring_consume(ring(), ring_start_number(ring()) + (read ? 2 : 0) + more);
			/* Who takes looks for it, too. */
			if (read)
				assert_int_equal(live_take(&live, &play.check), 0);
			else
				live_check_given_back(ring(), &play.check);
			assert_int_equal(play.check.violations[ORACLE_CONSERVATION], more);
			if (more)
				assert_int_equal(play.check.first[ORACLE_CONSERVATION].offset, 0);
			end();
		}
}

/* What a writer has overwritten is none to give back, and one more is. */
static void given_back_overwritten(void **state)
{
	uint64_t oldest;
	bool open;

	start_in(RING_OVERWRITE, 9);
	oldest = ring_oldest_safe(ring(), ring_start_number(ring()), ring_end(ring(), &open));
	assert_true(oldest > ring_start_number(ring()) + 4);
	ring()->consumed = oldest;
	live_check_given_back(ring(), &play.check);
	assert_int_equal(play.check.violations[ORACLE_CONSERVATION], 0);
	ring()->consumed++;
	live_check_given_back(ring(), &play.check);
	assert_int_equal(play.check.violations[ORACLE_CONSERVATION], 1);
	end();
}

/* Who was detached has nothing to do with its ring any more, and no copies of it. */
static void the_next_ring(void **state)
{
	struct live other;

	start_in(RING_OVERWRITE, 9);
	assert_true(live_take(&live, &play.check) >= 2);
	live_detach(&live);
	assert_int_equal(live_open(&other, &play.buffer), 0);
	assert_int_equal(live_attach(&other, &play.buffer), 0);
	live_close(&live);
	assert_true(play.buffer.attached);
	live_close(&other);
	assert_false(play.buffer.attached);
	/* From its own first sub-buffer on. */
	assert_int_equal(live_open(&live, &play.buffer), 0);
	live.reader.copied = 1000;
	assert_int_equal(live_attach(&live, &play.buffer), 0);
	assert_int_equal(live.reader.copied, 0);
	end();
}

TESTS(given_back_unread, given_back_overwritten, the_next_ring)
