// SPDX-License-Identifier: MIT
/* The linter at its edges: what is just no finding, and what just is one. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "traces/lint.h"

static struct lint lint;
static char *said;
static size_t said_bytes;

static void begin(unsigned int bits)
{
	lint = (struct lint){ .place_name = "event", .unit = "ns", .hz = 1000000000, .bits = bits };
	assert_int_equal(lint_stream(&lint, 7, "s%d", 0), 0);
}

static void end(void)
{
	FILE *out;

	free(said);
	out = open_memstream(&said, &said_bytes);
	lint_finish(&lint);
	lint_print(&lint, out, "t", false);
	fclose(out);
	lint_free(&lint);
}

/* What is printed ends in, or has, these words. */
static void finds(const char *words)
{
	end();
	if (!strstr(said, words))
		fail_msg("no '%s' in %s", words, said);
}

static void put(int64_t time)
{
	const struct lint_event event = { .time = time, .place = (uint64_t)time };

	lint_event(&lint, &event);
}

static void put_as(enum lint_what what, int64_t time, int64_t until)
{
	const struct lint_event event = {
		.what = what, .time = time, .end = until, .place = 1, .order = LINT_UNORDERED
	};

	lint_event(&lint, &event);
}

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

static void spans(void **state)
{
	begin(0);
	put_as(LINT_BEGIN, 100, 0), put_as(LINT_BEGIN, 100, 0), put_as(LINT_END, 100, 0);
	put_as(LINT_BEGIN, 105, 0), put_as(LINT_END, 110, 0), put_as(LINT_END, 110, 0);
	put_as(LINT_END, 50, 0);
	finds("nothing found");
	begin(0);
	put_as(LINT_BEGIN, 100, 0), put_as(LINT_BEGIN, 99, 0), put_as(LINT_END, 98, 0);
	put_as(LINT_BEGIN, 100, 0), put_as(LINT_END, 110, 0), put_as(LINT_END, 109, 0);
	put_as(LINT_BEGIN, 200, 0), put_as(LINT_END, 210, 0);
	finds("parent: begins before its parent, by 1 ns; time 99, before it 100, after it 98\n"
	      "s0: event 1: parent: ends before it begins, by 1 ns; time 98, before it 99, after "
	      "it 100\n"
	      "s0: event 1: parent: ends before its child, by 1 ns; time 109, before it 110, after "
	      "it "
	      "200\n");
	begin(0);
	put_as(LINT_SPAN, 100, 100), put_as(LINT_SPAN, 101, 100);
	finds("parent: ends before it begins, by 1 ns; time 101, before it 100\n");
	begin(0); /* one inside the other, and one behind it */
	put_as(LINT_SPAN, 110, 120), put_as(LINT_SPAN, 100, 120), put_as(LINT_SPAN, 120, 130);
	finds("nothing found");
	begin(0);
	put_as(LINT_SPAN, 119, 121), put_as(LINT_SPAN, 100, 120);
	finds("overlap: span begins 1 ns before the end of one that it is not part of; time 119, "
	      "before "
	      "it 100\n");
	begin(0);
	lint.tolerance = 1;
	put_as(LINT_SPAN, 119, 125), put_as(LINT_SPAN, 100, 120), put_as(LINT_SPAN, 110, 118);
	finds("nothing found");
	begin(0);
	lint.tolerance = 1;
	put_as(LINT_SPAN, 100, 120), put_as(LINT_SPAN, 110, 121);
	finds("nothing found");
	begin(0);
	lint.tolerance = 1;
	put_as(LINT_SPAN, 118, 122), put_as(LINT_SPAN, 100, 120);
	finds("overlap");
	begin(0);
	lint_packet_whole(&lint, 0, 1, 100, 120);
	lint_packet_whole(&lint, 0, 2, 110, 115);
	finds("event 2: overlap: packet begins 10 ns before");
	begin(0);
	lint_packet_whole(&lint, 0, 1, 120, 130);
	lint_packet_whole(&lint, lint_stream(&lint, 8, "s1"), 1, 110, 125);
	lint_packet_whole(&lint, 0, 2, 100, 120);
	finds("nothing found");
}

/* Of one fault one finding, though the time goes back, too. */
static void ordered_spans(void **state)
{
	const struct lint_event events[] = {
		{ .what = LINT_BEGIN, .time = 100 },
		{ .what = LINT_END, .time = 99 },
		{ .time = 200, .order = LINT_UNORDERED },
		{ .time = 199 },
	};
	unsigned int i;

	begin(0);
	for (i = 0; i < 4; i++)
		lint_event(&lint, &events[i]);
	finds("0 at the time of their predecessor, 0 lost; found parent 1\n");
	begin(0);
	put_as(LINT_SPAN, 100, 100), put_as(LINT_SPAN, 101, 100);
	finds("found parent 1\n");
	begin(0);
	put(100), put_as(LINT_INSTANT, 50, 0), put(100);
	finds("1 at the time of their predecessor, 0 lost; nothing found");
	begin(0); /* those of begin and end, and whole ones */
	put_as(LINT_BEGIN, 100, 0), put_as(LINT_END, 120, 0), put_as(LINT_SPAN, 119, 121);
	finds("overlap: span begins 1 ns before the end of one that it is not part of; time 119, "
	      "before "
	      "it 100\n");
	begin(0);
	put_as(LINT_SPAN, 100, 110), put_as(LINT_SPAN, 100, 120);
	finds("nothing found");
}

static void zeros(void **state)
{
	begin(0);
	put(0), put(1);
	finds("found zero 1\n");
	begin(0);
	put(0), put(0), put(100), put(199);
	finds("s0: event 0: zero: zero; time 0, after it 0\n"
	      "s0: event 0: zero: zero; time 0, after it 100\n");
	begin(0);
	put(0), put(100), put(200);
	finds("nothing found");
	begin(0);
	put(100), put_as(LINT_INSTANT, 0, 0), put(200);
	finds("nothing found");
	begin(0);
	put(100), put(0), put(-1), put(1), put(200);
	finds("found back 1, zero 2\n");
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

TESTS(a_step_back_of_one, steps_of_about_a_range, chance, an_event_and_its_packet, the_packet_after,
      spans, ordered_spans, zeros, another_unit, too_late, losses, many_findings, streams_apart)
