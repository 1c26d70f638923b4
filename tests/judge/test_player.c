// SPDX-License-Identifier: MIT
/* judge/player: when beats come on the virtual clock, in which order, and how long none came. */
#include "tests/support/test.h"
#include "judge/player.h"
#include "schemes/core/clock.h"
#include "schemes/core/points.h"

#define BEGIN 1000000u
#define MOST 16

/* Who beat when. */
static struct {
	const void *who;
	uint64_t at;
} seen[MOST];
static unsigned int count;
static struct buffer buffers[2];
static struct player players[2];
static struct check check;

static void around(void *arg, bool begins)
{
	assert_true(count < MOST);
	assert_true(((struct player *)arg)->beating);
	if (begins) {
		seen[count].who = arg;
		seen[count++].at = virtual_clock.now;
	}
}

static void start(uint64_t first_every, uint64_t second_every, uint64_t step)
{
	unsigned int i;

	player_clock(BEGIN, step);
	for (i = 0; i < 2; i++) {
		assert_int_equal(buffer_reset(&buffers[i], &buffers[i].config), 0);
		player_begin(&players[i], &buffers[i], i ? second_every : first_every);
		players[i].around = around;
		players[i].arg = &players[i];
	}
	count = 0;
}

static void was(unsigned int i, unsigned int who, uint64_t at)
{
	assert_ptr_equal(seen[i].who, &players[who]);
	assert_int_equal(seen[i].at, BEGIN + at);
}

/* 70 70+70 and 100 100+100: the earlier is first, whichever it is. */
static void beats_come_in_their_order(void **state)
{
	start(100, 70, 0);
	player_until(players, 2, BEGIN + 210);
	assert_int_equal(count, 5);
	was(0, 1, 70);
	was(1, 0, 100);
	was(2, 1, 140);
	was(3, 0, 200);
	was(4, 1, 210);
	assert_int_equal(virtual_clock.now, BEGIN + 210);
	assert_int_equal(players[0].beats, 2);
	assert_int_equal(players[1].beats, 3);
}

static void time_never_goes_back(void **state)
{
	start(0, 70, 0);
	player_pass(players, 500); /* of the first alone */
	assert_int_equal(count, 0);
	start(0, 0, 0);
	player_pass(players, 500);
	player_until(players, 2, BEGIN + 100);
	assert_int_equal(virtual_clock.now, BEGIN + 500);
	assert_int_equal(count, 0);
}

/* A beat that is late by itself is followed by one a whole period after its begin. */
static void the_longest_time_without_a_beat_is_known(void **state)
{
	start(100, 0, 0);
	player_pass(players, 100);
	assert_int_equal(players[0].beat_worst, 100);
	virtual_clock.now += 350;
	player_beat(&players[0]);
	assert_int_equal(players[0].beat_worst, 350);
	assert_int_equal(players[0].beat_next, BEGIN + 550);
	player_pass(players, 200);
	assert_int_equal(players[0].beat_worst, 350);
	virtual_clock.now += 400;
	player_look(&players[0]);
	assert_true(players[0].beat_worst > 350);
	assert_false(players[0].beating);
}

/* From before one beat to after the next: what the reads of the clock take is in it. */
static void reads_of_the_clock_are_in_it(void **state)
{
	uint64_t begin;

	start(1000, 0, 7);
	begin = players[0].beat_latest; /* to open a ring takes a read, too */
	player_pass(players, 1000);
	assert_int_equal(count, 1);
	assert_true(players[0].beat_worst > 1000);
	assert_int_equal(players[0].beat_latest, begin + 1000);
}

/* A clock anew, and of one row the next event, of another a beat when it needs one. */
static void clocks_events_and_periods(void **state)
{
	const struct driver *row = driver_find(drivers_counting, "heartbeat_compact");

	points.arg = &count;
	start(100, 0, 3);
	assert_null(points.arg);
	players[0].around = NULL;
	player_event(&players[0]);
	player_beat(&players[0]);
	buffer_check(&buffers[0], &check);
	buffer_drain(&buffers[0], &check);
	assert_int_equal(check.events, 2);
	assert_int_equal(player_every(driver_find(drivers_counting, "packed_word"), 27, 1e9), 0);
	assert_int_equal(player_every(row, 27, 1e9), driver_beat_ticks(row, 27, 1e9));
	assert_in_range(player_every(row, 27, 1e9), 1, 1 << 27);
}

static int open_both(void **state)
{
	const struct driver *driver = driver_find(drivers_counting, "heartbeat_compact");
	struct ring_config config = buffer_config(driver, 12, 4);

	return buffer_open(&buffers[0], driver, &config) ||
	       buffer_open(&buffers[1], driver, &config);
}

static int close_both(void **state)
{
	buffer_close(&buffers[0]);
	buffer_close(&buffers[1]);
	return 0;
}

TESTS_OF(open_both, close_both, NULL, NULL, beats_come_in_their_order, time_never_goes_back,
	 the_longest_time_without_a_beat_is_known, reads_of_the_clock_are_in_it,
	 clocks_events_and_periods)
