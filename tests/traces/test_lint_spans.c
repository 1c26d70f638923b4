// SPDX-License-Identifier: MIT
/* Spans at their edges: which nest, which are the same, and which are of another clock. */
#include "tests/support/linted.h"

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
	finds("overlap: span begins 1 ns before the end of one that it is not part of, and ends 1 "
	      "ns after it; time 119, before it 100\n");
	begin(0);
	lint.streams[0].blur = 1;
	put_as(LINT_SPAN, 119, 125), put_as(LINT_SPAN, 100, 120), put_as(LINT_SPAN, 110, 118);
	finds("nothing found");
	begin(0);
	lint.streams[0].blur = 1;
	put_as(LINT_SPAN, 100, 120), put_as(LINT_SPAN, 110, 121);
	finds("nothing found");
	begin(0);
	lint.streams[0].blur = 1;
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
	finds("overlap: span begins 1 ns before the end of one that it is not part of, and ends 1 "
	      "ns after it; time 119, before it 100\n");
	begin(0);
	put_as(LINT_SPAN, 100, 110), put_as(LINT_SPAN, 100, 120);
	finds("nothing found");
}

/* What is the end of a span, or lacks one. */
static void put_named(enum lint_what what, int64_t time, uint32_t name)
{
	const struct lint_event event = { .what = what, .time = time, .name = name };

	lint_event(&lint, &event);
}

static void pairs_by_name(void **state)
{
	begin(0);
	put_named(LINT_BEGIN, 100, 1), put_named(LINT_BEGIN, 105, 2);
	put_named(LINT_END, 110, 1), put_named(LINT_END, 115, 2);
	finds("found overlap 1\n");
	begin(0); /* the end is of the last of its name; a name that none has is of the last */
	put_named(LINT_BEGIN, 100, 1), put_named(LINT_BEGIN, 105, 1);
	put_named(LINT_END, 110, 1), put_named(LINT_END, 115, 3);
	finds("0 lost; nothing found");
	begin(0);
	put_named(LINT_BEGIN, 100, 1), put_named(LINT_BEGIN, 105, 2), put_named(LINT_END, 110, 1);
	put_named(LINT_END, 115, 2), put_named(LINT_END, 116, 2), put_named(LINT_BEGIN, 117, 2);
	finds("1 spans not ended, 1 spans not begun, 0 lost; found overlap 1\n");
	begin(0); /* written as a pair when it ends */
	put_named(LINT_BEGIN, 100, 1), put_named(LINT_END, 110, 1);
	put_named(LINT_BEGIN, 95, 2), put_named(LINT_END, 110, 2), put_named(LINT_BEGIN, 110, 1);
	finds("1 spans not ended, 0 lost; nothing found");
	begin(0);
	put_named(LINT_BEGIN, 100, 1), put_named(LINT_END, 110, 1);
	put_named(LINT_BEGIN, 95, 2), put_named(LINT_END, 109, 2);
	finds("found back 1, parent 1\n");
	begin(0);
	put_named(LINT_BEGIN, 100, 1), put_named(LINT_END, 110, 1);
	put_named(LINT_BEGIN, 95, 2), put_named(LINT_END, 111, 3);
	finds("found back 1\n");
	begin(0);
	put_named(LINT_BEGIN, 100, 1), put_named(LINT_END, 110, 1), put_named(LINT_BEGIN, 95, 2);
	finds("1 spans not ended, 0 lost; found back 1\n");
}

static void same_spans(void **state)
{
	const struct lint_event events[] = {
		{ .what = LINT_SPAN, .time = 100, .end = 110, .name = 1, .order = LINT_UNORDERED },
		{ .what = LINT_SPAN, .time = 100, .end = 110, .name = 2, .order = LINT_UNORDERED },
		{ .what = LINT_SPAN, .time = 100, .end = 111, .name = 1, .order = LINT_UNORDERED },
		{ .what = LINT_SPAN, .time = 100, .end = 110, .name = 2, .order = LINT_UNORDERED },
	};
	unsigned int i;

	begin(0);
	for (i = 0; i < 3; i++)
		lint_event(&lint, &events[i]);
	finds("predecessor, 0 lost; nothing found");
	begin(0);
	for (i = 0; i < 4; i++)
		lint_event(&lint, &events[i]);
	finds("predecessor, 1 spans twice, 0 lost; nothing found");
}

/* A child ends after its parent, most of it inside; or by what its times lose. */
static void resolutions(void **state)
{
	static const int64_t ns[] = { 1, 10, 100, 1000 };
	unsigned int step, over, i;

	begin(0);
	put_as(LINT_SPAN, 100, 120), put_as(LINT_SPAN, 105, 121);
	finds("parent: span ends 1 ns after the one that it begins in; time 105, before it 100\n");
	for (step = 1; step < 4; step++)
		for (over = 0; over < 2; over++) {
			const struct lint_event parent = {
				.what = LINT_SPAN, .time = 100000, .end = 200000, .step = step
			};
			const struct lint_event child = { .what = LINT_SPAN,
							  .time = 110000,
							  .end = 200000 + ns[step] + over,
							  .step = step,
							  .order = LINT_UNORDERED };

			begin(0);
			lint_event(&lint, &parent), lint_event(&lint, &child);
			finds(over ? "found parent 1\n" : "nothing found");
		}
	/* Of a begin and an end the finer counts, in pairs, too. */
	for (over = 0; over < 2; over++) {
		struct lint_event events[] = {
			{ .what = LINT_SPAN,
			  .time = 100000,
			  .end = 200000,
			  .order = LINT_UNORDERED },
			{ .what = LINT_BEGIN,
			  .time = over ? 200900 : 110000,
			  .name = 1,
			  .step = 3 },
			{ .what = LINT_END, .time = over ? 200900 : 200500, .name = 1 },
			{ .what = LINT_BEGIN, .time = 110000, .name = 2, .step = 3 },
			{ .what = LINT_END, .time = 200900, .name = 2 },
		};

		begin(0);
		for (i = 0; i < (over ? 5 : 3); i++)
			lint_event(&lint, &events[i]);
		finds("found parent 1\n");
	}
}

/* Few of so round a time are so by chance. */
static void round_by_chance(void **state)
{
	unsigned int i;

	for (i = 30; i < 33; i += 2) {
		struct lint_event span = { .what = LINT_SPAN, .order = LINT_UNORDERED };
		unsigned int n;

		begin(0);
		for (n = 0; n < i; n++) {
			span.time = 1000000 + n * 1000 + 1;
			span.end = span.time + 5;
			lint_event(&lint, &span);
		}
		span.step = 3;
		span.time = 100000, span.end = 200000;
		lint_event(&lint, &span);
		span.time = 110000, span.end = 201000;
		lint_event(&lint, &span);
		finds(i == 30 ? "nothing found" : "found parent 1\n");
	}
}

/* Two threads with spans each, by loops or not, of which one's clock is `factor` times as fast. */
static void two_rates(unsigned int count, double factor, int64_t off, int64_t lasts, bool loops)
{
	unsigned int i;

	begin(0);
	lint_stream(&lint, 8, "s1");
	for (i = 0; i < count; i++) {
		struct lint_event span = { .what = LINT_SPAN, .order = LINT_UNORDERED };

		span.time = 1000000 + (i * 100 + (loops ? 0 : i * i % 7 * 10)) * 1000;
		span.end = span.time + 50000;
		lint_event(&lint, &span);
		span.stream = 1;
		span.time = 1000000 + (int64_t)((double)(span.time - 1000000) * factor) +
			    (i == 5 ? off : 0);
		span.end = span.time + lasts;
		lint_event(&lint, &span);
	}
}

static void rates(void **state)
{
	const char *found = "found rate 1\n", *none = "nothing found";

	two_rates(16, 1.98, 0, 1000, true);
	finds("s1: event 0: rate: its clock runs 1.98 times as fast as that of s0; time 1000000");
	two_rates(16, 0.5, 0, 1000, false);
	finds("rate: its clock runs 0.5 times as fast as that of s0");
	two_rates(15, 1.98, 0, 1000, true), finds(none);
	two_rates(400, 1.0011, 0, 1000, true), finds(found);
	two_rates(400, 1.0009, 0, 1000, true), finds(none);
	two_rates(400, 1, 0, 1000, true), finds(none);
	/* A 50th of the time between two; of loops a 10,000th. The 7th span is 70 us after the 6th.
	 */
	two_rates(400, 2, 2700, 1000, false), finds(found);
	two_rates(400, 2, 2900, 1000, false), finds(none);
	two_rates(400, 2, 19, 1000, true), finds(found);
	two_rates(400, 2, 21, 1000, true), finds(none);
	two_rates(400, 1.98, 0, 190000, true), finds(none); /* busy: it may only be slower */
	two_rates(400, 1000, 0, 1000, true);
	finds("unit: all its times are 1000 times those of s0;");
}

TESTS(spans, ordered_spans, pairs_by_name, same_spans, resolutions, round_by_chance, rates)
