// SPDX-License-Identifier: MIT
/* The linter at its edges: what is just no finding, and what just is one. */
#include "tests/support/linted.h"

static void a_step_back_of_one(void **state)
{
	begin(0);
	put(100), put(100), put(101), put(100), put(100), put(105);
	finds("s0: event 100: back: time goes back by 1 ns; time 100, before it 101, after it 100\n"
	      "t: 6 events in 1 streams, 2 at the time of their predecessor, 0 lost; found back "
	      "1\n");
	begin(0);
	lint.back_most = 10;
	put(100), put(90), put(100);
	finds("nothing found");
	begin(0);
	lint.back_most = 10;
	put(100), put(89), put(100);
	finds("back by 11 ns");
}

static void steps_of_about_a_range(void **state)
{
	/* 2^20 has a tolerance of 2^6 and one. */
	const int64_t range = 1 << 20, near = 65, time = 5 << 20;
	const int64_t by[] = { range - near, range + near, 3 * range - near, 3 * range + near };
	const int64_t no[] = { range - near - 1, range + near + 1, near };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		begin(20);
		put(time), put(time - by[i]);
		finds(i < 2 ? "about 1 * 2^20" : "about 3 * 2^20");
		begin(20);
		put(time), lint_packet_begin(&lint, 0, 3, true, time + by[i]);
		finds("event 3: wrap: begin of packet jumps ahead");
		begin(20);
		put(time), put(time + by[i]);
		finds("nothing found");
	}
	for (i = 0; i < 3; i++) {
		begin(20);
		put(time), put(time - no[i]);
		finds("found back 1\n");
		begin(20);
		put(time), lint_packet_begin(&lint, 0, 3, true, time + no[i]);
		finds("nothing found");
	}
	begin(0);
	put(1 << 21), put((1 << 21) - 1);
	finds("back by 1 ns");
	begin(4); /* a range so narrow has a tolerance, too */
	put(100), put(83);
	finds("wrap: time goes back by 17 ns, about 1 * 2^4;");
}

/* Of so many long gaps one is near a multiple by chance. */
static void chance(void **state)
{
	int64_t time, i, count;

	for (count = 81; count < 83; count++) {
		begin(20);
		put(time = 1 << 20);
		for (i = 1; i < count; i++) {
			lint_packet_begin(&lint, 0, 1, true, time += (3 << 19));
			lint_packet_end(&lint, 0, true, time += 5);
		}
		lint_packet_begin(&lint, 0, 1, true, time + (1 << 20));
		finds(count == 81 ? "found wrap 1\n" : "nothing found");
	}
}

static void an_event_and_its_packet(void **state)
{
	const int64_t ends[] = { 130, 129 };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin(0);
		lint_packet_begin(&lint, 0, 1, true, 100);
		put(100 - i), put(120), put(130), put(130);
		lint_packet_end(&lint, 0, true, ends[i]);
		lint_packet_begin(&lint, 0, 2, true, 130);
		put(130);
		lint_packet_end(&lint, 0, true, 130);
		finds(i ? "s0: event 99: packet: begins before its packet, by 1 ns; time 99, "
			  "before it "
			  "100, after it 120\n"
			  "s0: event 130: packet: lies behind the end of its packet, by 1 ns; time "
			  "130, "
			  "before it 120, after it 130\n"
			  "t: 5 events in 1 streams, 1 at the time of their predecessor, 0 lost; "
			  "found "
			  "packet 2\n" :
			  "streams");
	}
	begin(0);
	lint_packet_begin(&lint, 0, 1, true, 100);
	lint_packet_end(&lint, 0, true, 100);
	lint_packet_begin(&lint, 0, 2, true, 99);
	lint_packet_end(&lint, 0, true, 98);
	finds("event 0: packet: packet ends before it begins, by 1 ns; time 98, before it 99\n"
	      "s0: event 2: overlap: packet begins before its predecessor ends, by 1 ns; time 99, "
	      "before it 100\n");
	begin(0); /* no times of packets: events are still in order */
	lint_packet_begin(&lint, 0, 1, false, 0);
	put(100);
	lint_packet_end(&lint, 0, false, 0);
	lint_packet_begin(&lint, 0, 2, false, 0);
	put(99);
	lint_packet_end(&lint, 0, false, 0);
	finds("found back 1\n");
	begin(0); /* begins, but no ends */
	lint_packet_begin(&lint, 0, 1, true, 100);
	put(110);
	lint_packet_begin(&lint, 0, 2, true, 109);
	put(109);
	lint_packet_begin(&lint, 0, 3, true, 0);
	finds("event 2: back: begin of packet goes back by 1 ns; time 109, before it 110, after it "
	      "109\n"
	      "s0: event 3: zero: packet begins at zero, or below; time 0, before it 109\n");
}

/* What was wrong in a packet is not held against the next. */
static void the_packet_after(void **state)
{
	begin(0);
	lint_packet_begin(&lint, 0, 1, true, 100);
	put(130);
	lint_packet_end(&lint, 0, true, 120);
	lint_packet_begin(&lint, 0, 2, true, 121);
	lint_packet_end(&lint, 0, true, 125);
	lint_packet_begin(&lint, 0, 2, true, 125);
	put(126);
	finds("found packet 1\n");
	begin(0);
	lint_packet_begin(&lint, 0, 1, true, 100);
	put(130);
	lint_packet_end(&lint, 0, true, 120);
	lint_packet_begin(&lint, 0, 2, true, 125);
	put(126);
	finds("found packet 1\n");
	begin(0);
	lint_packet_begin(&lint, 0, 1, true, 100);
	put(100);
	lint_packet_end(&lint, 0, true, 100);
	put(99); /* in no packet */
	lint_packet_begin(&lint, 0, 2, true, 98);
	put(98);
	finds("found back 1, overlap 1\n");
}

/* A zero is wrong where the trace is a minute from it, and eight times its own length. */
static void zeros(void **state)
{
	begin(0);
	lint.hz = 2;
	put(0), put(0), put(121);
	finds("s0: event 0: zero: zero; time 0, after it 0\n"
	      "s0: event 0: zero: zero; time 0, after it 121\n");
	begin(0);
	lint.hz = 2;
	put(0), put(120);
	finds("nothing found");
	begin(0);
	lint.hz = 1;
	put(0), put(800), put(899);
	finds("found zero 1\n");
	begin(0);
	lint.hz = 1;
	put(0), put(800), put(901);
	finds("nothing found");
	begin(0);
	put(0), put(0);
	finds("0 lost; no time but 0: nothing to check\n");
	begin(0);
	lint_clockless(&lint, 0), lint_clockless(&lint, 0);
	finds("t: 2 events in 1 streams, 0 at the time of their predecessor, 1 streams without a "
	      "clock, 0 lost; no clock: nothing to check\n");
	begin(0); /* the other stream is judged */
	lint_clockless(&lint, lint_stream(&lint, 8, "s1"));
	put(100), put(99);
	finds("1 streams without a clock, 0 lost; found back 1\n");
	begin(0);
	put(100), put_as(LINT_INSTANT, 0, 0), put(200);
	finds("nothing found");
	begin(0);
	put(100), put(0), put(-1), put(1), put(200);
	finds("found back 1, zero 2\n");
	begin(0); /* a span from zero is one, and so is one that is wrong */
	put_as(LINT_SPAN, 0, 10), put_as(LINT_SPAN, 5, 15);
	finds("overlap: span begins 5 ns before the end of one that it is not part of, and ends 5 "
	      "ns after it; time 5, before it 0\n");
	begin(0);
	put_as(LINT_SPAN, -5, 3), put_as(LINT_SPAN, -2, 20);
	finds("found overlap 1, zero 2\n");
	begin(0); /* begins and ends stay pairs, though one of them has no time */
	put_as(LINT_BEGIN, 100, 0), put_as(LINT_BEGIN, -1, 0), put_as(LINT_END, 120, 0);
	put_as(LINT_END, 130, 0), put_as(LINT_BEGIN, 140, 0), put_as(LINT_END, 150, 0);
	finds("0 lost; found zero 1\n");
}

static int64_t first_of_eight = 64000;

/* Eight events from there to 65000, then one that is about so many times as large. */
static const char *after_eight(int64_t suspect, int64_t next)
{
	int i;

	begin(0);
	put(first_of_eight);
	for (i = 1; i < 8; i++)
		put(64000 + i * 1000 / 7);
	put(suspect);
	if (next)
		put(next);
	end();
	return strstr(said, "found ") ? strstr(said, "found ") : "";
}

static void another_unit(void **state)
{
	int i;
	const int64_t near = 1000 + 1000; /* their length, and a 64th of the first */

	assert_string_equal(after_eight((65000 + near) * 1000 + 999, 65001), "found unit 1\n");
	assert_string_equal(after_eight((65000 + near + 1) * 1000, 65001), "found back 1\n");
	assert_string_equal(after_eight((65000 - near) * 1000, 65001), "found unit 1\n");
	assert_string_equal(after_eight((65000 - near) * 1000 - 1, 65001), "found back 1\n");
	assert_string_equal(after_eight(67, 65001), "found unit 1\n");
	assert_non_null(
		strstr(said, "unit: about a 1000th of its neighbours' times; time 67, before"));
	assert_string_equal(after_eight(68, 65001), "found back 1\n");
	assert_string_equal(after_eight(63, 65001), "found unit 1\n");
	assert_string_equal(after_eight(62, 65001), "found back 1\n");
	/* Nearer to zero than to each other; and one event less. */
	first_of_eight = 32500;
	assert_string_equal(after_eight(65000000, 65001), "found back 1\n");
	first_of_eight = 32501;
	assert_string_equal(after_eight(65000000, 65001), "found unit 1\n");
	first_of_eight = -1;
	assert_string_equal(after_eight(65000000, 65001), "found zero 1, unit 1\n");
	first_of_eight = 64000;
	begin(0);
	put(64000), put(64000), put(64000), put(64000), put(64000), put(64000), put(64000);
	put(64000000), put(64001);
	finds("found back 1\n");
	begin(0);
	put(-1), put(-1), put(-1), put(-1), put(-1), put(-1), put(-1), put(-1), put(-1), put(5);
	finds("found zero 9\n");
	/* The packet may end, or the next begin, before another event comes. */
	begin(0);
	for (i = 0; i < 8; i++)
		put(64000);
	put(64000000);
	lint_packet_end(&lint, 0, true, 64001);
	put(64000000);
	lint_packet_begin(&lint, 0, 1, true, 64002);
	finds("found unit 2\n");
	/* It may be that the time has passed. */
	assert_string_equal(after_eight(65000000, 65000001), "");
	assert_string_equal(after_eight(65000000, 0), "");
	assert_string_equal(after_eight(65000000, 65000 + 16000), "found unit 1\n");
	assert_string_equal(after_eight(65000000, 65000 + 16001), "found back 1\n");
}

/* That the time has passed can be; not if eight events say the same. */
static void another_unit_from_there_on(void **state)
{
	int i;

	for (i = 7; i < 9; i++) {
		int n;

		begin(0);
		for (n = 0; n < 8; n++)
			put(64000 + n);
		for (n = 0; n < i; n++)
			put(64010000 + n);
		finds(i == 7 ? "nothing found" :
			       "event 64010000: unit: from here on about 1000 times the times "
			       "before; time 64010000,");
	}
	begin(0); /* counted anew where the times come back */
	for (i = 0; i < 8; i++)
		put(64000 + i);
	put(64010000), put(64010001), put(64009);
	for (i = 0; i < 7; i++)
		put(64010002 + i);
	finds("lost; found back 1\n");
	begin(0); /* a begin of another unit is a begin */
	for (i = 0; i < 8; i++)
		put_as(LINT_BEGIN, 64000 + i, 0), put_as(LINT_END, 64000 + i, 0);
	put_as(LINT_BEGIN, 64010000, 0), put_as(LINT_END, 64011, 0);
	finds("predecessor, 0 lost; found unit 1\n");
}

static void too_late(void **state)
{
	struct lint_event event = { .time = 100, .least = 100, .order = LINT_UNORDERED };

	begin(0);
	lint_event(&lint, &event);
	event.least = 101;
	lint_event(&lint, &event);
	finds("clock: before what all streams had reached, by 1 ns; time 100, before it 100\n");
}

static void losses(void **state)
{
	begin(0);
	put(100);
	lint_loss(&lint, 0, 5, 17, NULL);
	lint_loss(&lint, 0, 6, (uint64_t)-3, "wrong");
	finds("s0: event 6: loss: wrong: -3; time 100, before it 100\n"
	      "t: 1 events in 1 streams, 0 at the time of their predecessor, 17 lost; found loss "
	      "1\n");
}

static void many_findings(void **state)
{
	int i;

	begin(0);
	for (i = 0; i < 10; i++)
		put(-1);
	end();
	assert_null(strstr(said, "more"));
	begin(0);
	put(100);
	lint_add(&lint, LINT_UNIT, &(struct lint_event){ .place = 5 }, "first");
	for (i = 0; i < 11; i++)
		put(-1);
	end();
	assert_non_null(strstr(said, "t: zero: 1 more\n"));
	assert_non_null(
		strstr(said, "s0: event 5: unit: first; time 0, before it 100, after it -1\n"));
}

/* Sixteen events each: a second stream at `first`, and a third, of the first's time. */
static void apart(int64_t first, uint64_t hz, int events)
{
	int64_t base = INT64_C(1) << 40;
	int i;

	begin(0);
	lint.hz = hz;
	for (i = 0; i < 32; i++) {
		struct lint_event event = { .stream = 0, .time = base + i };

		event.stream = lint_stream(&lint, (uint64_t)(7 + i % 2 * 2), "s%d", i % 2 * 2);
		lint_event(&lint, &event);
	}
	for (i = 0; i < events; i++) {
		const struct lint_event event = { .stream = lint_stream(&lint, 8, "s1"),
						  .time = first + i };

		lint_event(&lint, &event);
	}
}

static void streams_apart(void **state)
{
	const int64_t base = INT64_C(1) << 40, last = base + 31;

	apart(last + 600, 10, 16); /* a minute of a clock of 10 Hz */
	finds("nothing found");
	apart(last + 601, 10, 16);
	finds("s1: event 0: clock: all its times are after those of the other streams, by 601 ns; "
	      "time 1099511628408, before it 1099511627807\n");
	apart(last + 601, 10, 15);
	finds("nothing found");
	apart(base - 601 - 15, 10, 16);
	finds("clock: all its times are before those of the other streams, by 601 ns");
	apart(last + 8 * 30 + 7, 1, 16); /* eight times the longest, of 30 */
	finds("nothing found");
	apart(last + 8 * 30 + 8, 1, 16);
	finds("found clock 1\n");
	apart(base * 1000, 1, 16);
	finds("found unit 1\n");
	apart(base / 1000, 1, 16);
	finds("found unit 1\n");
	apart(base / 100, 1, 16);
	finds("found clock 1\n");
}

/* So many ns back, after gaps of 20 ms at most. */
static void back_by(uint64_t by, const char *words)
{
	const int64_t base = INT64_C(1) << 50;

	begin(0);
	put(base), put(base + 20000000), put(base + 20000000 - (int64_t)by);
	finds(words);
}

static void named_ranges(void **state)
{
	const double wrap = 0x1p64 / 3.2e9;

	back_by((uint64_t)wrap - 19999000, "wrap: time goes back by 5744608523 ns, a gap less than "
					   "2^64 ns / 3200 MHz;");
	back_by((uint64_t)(0x1p64 / 825e6), "2^64 ns / 825 MHz;");
	back_by(UINT64_C(4294967296000) - 20000000, "a gap less than 2^32 us;");
	back_by(UINT64_C(4294967296) - 20000000, "a gap less than 2^32 ns;");
	back_by(UINT64_C(4294967296) - 40000001, "found wrap 1\n"); /* 4.26 GHz: named after it */
	back_by(3999999999, "back: time goes back by 3999999999 ns;"); /* gaps of over a 200th */
	begin(0);
	put(INT64_C(1) << 50), put((INT64_C(1) << 50) - 5744608523);
	finds("found back 1\n"); /* no gap is known */
}

TESTS(a_step_back_of_one, steps_of_about_a_range, chance, an_event_and_its_packet, the_packet_after,
      zeros, another_unit, another_unit_from_there_on, too_late, losses, many_findings,
      streams_apart, named_ranges)
