// SPDX-License-Identifier: MIT
/*
 * The linter at its edges: what is just no finding, and what just is one. A case
 * (tests/data/lint_edges.txt) is a trace in words, | and what is said of it; none is "nothing
 * found". Of the stream s0, or of sN after `@N`:
 *
 *   100        an event at that time, which is its place, too
 *   ~100       one out of order                  100-120    a span, out of order
 *   b100 e120  begin and end of a span, in order; B and E: out of order; b100:7 of the name 7
 *   [100 ]120  a packet begins (at place 1) and ends; [ and ] alone: without a time
 *   {100-120   a packet that may be anywhere
 *   -          an event of a stream without a clock
 *   bits=20 hz=2 may=10 blur=1 step=3   of the clock: step is of the spans that follow
 *   9*(5+3)    nine events, from 5 on, each 3 after the one before
 */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "traces/lint.h"

static struct lint lint;
static char *said;

static void begin(unsigned int bits)
{
	lint = (struct lint){ .place_name = "event", .unit = "ns", .hz = 1000000000, .bits = bits };
	assert_int_equal(lint_stream(&lint, 7, "s%d", 0), 0);
}

static void end(void)
{
	size_t bytes;
	FILE *out;

	free(said);
	out = open_memstream(&said, &bytes);
	lint_finish(&lint);
	lint_print(&lint, out, "t");
	fclose(out);
	lint_free(&lint);
}

/* What is printed has these words. */
static void finds(const char *words)
{
	end();
	if (!strstr(said, *words ? words : " lost; nothing found\n"))
		fail_msg("no '%s' in %s", words, said);
}

static void put(struct lint_event event, int64_t time)
{
	event.time = time;
	lint_event(&lint, &event);
}

/* A word of digits, `-` and `:`. */
static void put_number(const char *word, struct lint_event event)
{
	long time, step, count;
	char *rest;

	if (sscanf(word, "%ld*(%ld+%ld)", &count, &time, &step) == 3) {
		for (; count--; time += step)
			put(event, time);
		return;
	}
	time = strtol(word, &rest, 10);
	if (*rest == ':')
		event.name = (uint32_t)strtoul(rest + 1, &rest, 10);
	if (*rest == '-') {
		event.what = LINT_SPAN;
		event.end = strtol(rest + 1, &rest, 10);
		event.order = LINT_UNORDERED;
		if (*rest == ':')
			event.name = (uint32_t)strtoul(rest + 1, &rest, 10);
	}
	if (*rest)
		fail_msg("what is '%s'?", word);
	event.place = event.what || event.order ? 1 : (uint64_t)time;
	put(event, time);
}

static void put_word(const char *word, struct lint_event *with)
{
	static const char letters[] = "~bBeE";
	static const enum lint_what whats[] = { LINT_INSTANT, LINT_BEGIN, LINT_BEGIN, LINT_END,
						LINT_END };
	const char *letter = strchr(word, '=') ? NULL : strchr(letters, *word);
	struct lint_event event = *with;
	long time = strtol(word + 1, NULL, 10), until;
	bool has = word[1];

	if (letter) {
		event.what = whats[letter - letters];
		event.order = strchr("~BE", *word) ? LINT_UNORDERED : LINT_ORDERED;
		put_number(word + 1, event);
	} else if (*word == '@')
		with->stream = lint_stream(&lint, (uint64_t)(7 + time), "s%ld", time);
	else if (*word == '[')
		lint_packet_begin(&lint, event.stream, 1, has, time);
	else if (*word == ']')
		lint_packet_end(&lint, event.stream, has, time);
	else if (sscanf(word, "{%ld-%ld", &time, &until) == 2)
		lint_packet_whole(&lint, event.stream, 1, time, until);
	else if (!strcmp(word, "-"))
		lint_clockless(&lint, event.stream);
	else if (sscanf(word, "bits=%u", &lint.bits) == 1 ||
		 sscanf(word, "hz=%lu", &lint.hz) == 1 ||
		 sscanf(word, "may=%lu", &lint.back_most) == 1 ||
		 sscanf(word, "blur=%ld", &lint.streams[0].blur) == 1 ||
		 sscanf(word, "step=%u", &with->step) == 1)
		;
	else
		put_number(word, event);
}

static void judge(const char *trace, const char *wanted)
{
	struct lint_event with = { .stream = 0 };
	char *words = strdup(trace), *rest = words, *word;

	begin(0);
	while ((word = strsep(&rest, " ")))
		put_word(word, &with);
	free(words);
	finds(wanted);
}

static void traces(void **state)
{
	FILE *file = fopen("tests/data/lint_edges.txt", "r");
	char line[2000], *wanted, *at;
	unsigned int tried = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		line[strcspn(line, "\n")] = '\0';
		wanted = strchr(line, '|');
		*wanted++ = '\0';
		while ((at = strstr(wanted, "\\n"))) {
			*at = '\n';
			memmove(at + 1, at + 2, strlen(at + 1));
		}
		judge(line, wanted);
		tried++;
	}
	assert_true(tried > 65);
	fclose(file);
}

/* A trace that is a format with one number, and what is said of it. */
static void judge_of(const char *format, int64_t number, const char *words)
{
	char trace[400];

	snprintf(trace, sizeof(trace), format, number);
	judge(trace, words);
}

/* 2^20 has a tolerance of 2^6 and one. */
static void steps_of_about_a_range(void **state)
{
	const int64_t range = 1 << 20, near = 65, time = 5 << 20;
	const int64_t by[] = { range - near,
			       range + near,
			       3 * range - near,
			       3 * range + near,
			       range - near - 1,
			       range + near + 1,
			       near };
	unsigned int i;

	for (i = 0; i < 7; i++) {
		judge_of("bits=20 5242880 %ld", time - by[i],
			 i < 2 ? "about 1 * 2^20" :
			 i < 4 ? "about 3 * 2^20" :
				 "found back 1\n");
		judge_of("bits=20 5242880 [%ld", time + by[i],
			 i < 4 ? "event 1: wrap: begin of packet jumps ahead" : "");
		judge_of("bits=20 5242880 %ld", time + by[i], "");
	}
}

/* Of so many long gaps one is near a multiple by chance. */
static void chance(void **state)
{
	int64_t time, i, count;

	for (count = 81; count < 83; count++) {
		begin(20);
		put((struct lint_event){ .stream = 0 }, time = 1 << 20);
		for (i = 1; i < count; i++) {
			lint_packet_begin(&lint, 0, 1, true, time += (3 << 19));
			lint_packet_end(&lint, 0, true, time += 5);
		}
		lint_packet_begin(&lint, 0, 1, true, time + (1 << 20));
		finds(count == 81 ? "found wrap 1\n" : "");
	}
}

/* Eight events to 65000, then one that is about so many times as large, then another. */
static void another_unit(void **state)
{
#define TO_65000 "64142 64285 64428 64571 64714 64857 65000 "
	static const char from_64000[] = "64000 " TO_65000 "%ld 65001";
	static const char after_65000000[] = "64000 " TO_65000 "65000000 %ld";
	const int64_t near = 1000 + 1000; /* their length, and a 64th of the first */
	const char *unit = "found unit 1\n", *back = "found back 1\n";

	judge_of(from_64000, (65000 + near) * 1000 + 999, unit);
	judge_of(from_64000, (65000 + near + 1) * 1000, back);
	judge_of(from_64000, (65000 - near) * 1000, unit);
	judge_of(from_64000, (65000 - near) * 1000 - 1, back);
	judge_of(from_64000, 67, unit);
	judge_of(from_64000, 67, "unit: about a 1000th of its neighbours' times; time 67, before");
	judge_of(from_64000, 68, back);
	judge_of(from_64000, 63, unit);
	judge_of(from_64000, 62, back);
	/* Nearer to zero than to each other; and one below it. */
	judge_of("%ld " TO_65000 "65000000 65001", 32500, back);
	judge_of("%ld " TO_65000 "65000000 65001", 32501, unit);
	judge_of("%ld " TO_65000 "65000000 65001", -1, "found zero 1, unit 1\n");
	/* It may be that the time has passed. */
	judge_of(after_65000000, 65000001, "");
	judge_of("64000 " TO_65000 "%ld", 65000000, "");
	judge_of(after_65000000, 65000 + 16000, unit);
	judge_of(after_65000000, 65000 + 16001, back);
}

static void late_and_lost(void **state)
{
	struct lint_event event = { .time = 100, .least = 100, .order = LINT_UNORDERED };
	int i;

	begin(0);
	lint_event(&lint, &event);
	event.least = 101;
	lint_event(&lint, &event);
	finds("clock: before what all streams had reached, by 1 ns; time 100, before it 100\n");
	begin(0);
	put_number("100", (struct lint_event){ .stream = 0 });
	lint_loss(&lint, 0, 5, 17, NULL);
	lint_loss(&lint, 1, 5, 4, "wrong"); /* of a stream that is not there */
	lint_loss(&lint, 0, 6, (uint64_t)-3, "wrong");
	finds("before all events: event 5: loss: wrong: 4; time 0\n"
	      "s0: event 6: loss: wrong: -3; time 100\n"
	      "t: 1 events in 2 streams, 0 at the time of their predecessor, 17 lost; found loss "
	      "2\n");
	begin(0); /* ten of a kind are shown */
	put_number("100", (struct lint_event){ .stream = 0 });
	lint_add(&lint, LINT_UNIT, &(struct lint_event){ .place = 5 }, "first");
	for (i = 0; i < 11; i++)
		put_number("-1", (struct lint_event){ .stream = 0 });
	finds("t: zero: 1 more\n");
	assert_non_null(
		strstr(said, "s0: event 5: unit: first; time 0, before it 100, after it -1\n"));
	judge_of("%ld*(-1+0)", 10, "found zero 10\n");
	assert_null(strstr(said, "more"));
}

/* Sixteen events each: a second stream at `first`, and a third, of the first's time, 2^40. */
static void streams_apart(void **state)
{
#define TWO " 16*(1099511627776+2) @2 16*(1099511627777+2) @1 "
	static const char ten_hz[] = "hz=10" TWO "16*(%ld+1)", one_hz[] = "hz=1" TWO "16*(%ld+1)";
	const int64_t base = INT64_C(1) << 40, last = base + 31;

	judge_of(ten_hz, last + 600, ""); /* a minute of a clock of 10 Hz */
	judge_of(ten_hz, last + 601,
		 "s1: event 0: clock: all its times are after those of the other streams, by 601 "
		 "ns; time 1099511628408, before it 1099511627807\n");
	judge_of("hz=10" TWO "15*(%ld+1)", last + 601, "");
	judge_of(ten_hz, base - 601 - 15,
		 "clock: all its times are before those of the other streams, by 601 ns");
	judge_of(one_hz, last + 8 * 30 + 7, ""); /* eight times the longest, of 30 */
	judge_of(one_hz, last + 8 * 30 + 8, "found clock 1\n");
	judge_of(one_hz, base * 1000, "found unit 1\n");
	judge_of(one_hz, base / 1000, "found unit 1\n");
	judge_of(one_hz, base / 100, "found clock 1\n");
}

/* Few of so round a time are so by chance. */
static void round_by_chance(void **state)
{
	char trace[2000];
	unsigned int i, n, bytes;

	for (i = 30; i < 33; i += 2) {
		for (n = bytes = 0; n < i; n++)
			bytes += (unsigned)snprintf(trace + bytes, sizeof(trace) - bytes, "%u-%u ",
						    1000001 + n * 1000, 1000006 + n * 1000);
		snprintf(trace + bytes, sizeof(trace) - bytes,
			 "step=3 100000-200000 110000-201000");
		judge(trace, i == 30 ? "" : "found parent 1\n");
	}
}

/* So many ns back from 2^50 + 20 ms, after gaps of 20 ms at most. */
static void named_ranges(void **state)
{
	const int64_t last = (INT64_C(1) << 50) + 20000000;
	const struct {
		int64_t by;
		const char *finds;
	} ranges[] = {
		{ (int64_t)(0x1p64 / 3.2e9) - 19999000,
		  "wrap: time goes back by 5744608523 ns, a gap less than 2^64 ns / 3200 MHz;" },
		{ (int64_t)(0x1p64 / 825e6), "2^64 ns / 825 MHz;" },
		{ 4294967296000 - 20000000, "a gap less than 2^32 us;" },
		{ 4294967296 - 20000000, "a gap less than 2^32 ns;" },
		{ 4294967296 - 40000001, "found wrap 1\n" }, /* 4.26 GHz: named after it */
		{ 3999999999, "back: time goes back by 3999999999 ns;" }, /* gaps of over a 200th */
	};
	unsigned int i;

	for (i = 0; i < 6; i++)
		judge_of("1125899906842624 1125899926842624 %ld", last - ranges[i].by,
			 ranges[i].finds);
	judge_of("1125899906842624 %ld", last - 20000000 - 5744608523, "found back 1\n");
}

/* Two threads with spans each, by loops or not, of which one's clock is `factor` times as fast. */
static void two_rates(unsigned int count, double factor, int64_t off, int64_t lasts, bool loops,
		      const char *words)
{
	struct lint_event span = { .what = LINT_SPAN, .order = LINT_UNORDERED };
	unsigned int i;
	int64_t time;

	begin(0);
	lint_stream(&lint, 8, "s1");
	for (i = 0; i < count; i++) {
		time = 1000000 + (i * 100 + (loops ? 0 : i * i % 7 * 10)) * 1000;
		span.stream = 0;
		span.end = time + 50000;
		put(span, time);
		span.stream = 1;
		time = 1000000 + (int64_t)((double)(time - 1000000) * factor) + (i == 5 ? off : 0);
		span.end = time + lasts;
		put(span, time);
	}
	finds(words);
}

static void rates(void **state)
{
	const char *found = "found rate 1\n";

	two_rates(
		16, 1.98, 0, 1000, true,
		"s1: event 0: rate: its clock runs 1.98 times as fast as that of s0; time 1000000");
	two_rates(16, 0.5, 0, 1000, false, "rate: its clock runs 0.5 times as fast as that of s0");
	two_rates(15, 1.98, 0, 1000, true, "");
	two_rates(400, 1.0011, 0, 1000, true, found);
	two_rates(400, 1.0009, 0, 1000, true, "");
	two_rates(400, 1, 0, 1000, true, "");
	/* A 50th of the time between two; of loops a 10,000th. The 7th is 70 us after the 6th. */
	two_rates(400, 2, 2700, 1000, false, found);
	two_rates(400, 2, 2900, 1000, false, "");
	two_rates(400, 2, 19, 1000, true, found);
	two_rates(400, 2, 21, 1000, true, "");
	two_rates(400, 1.98, 0, 190000, true, ""); /* busy: it may only be slower */
	two_rates(400, 1000, 0, 1000, true, "unit: all its times are 1000 times those of s0;");
}

TESTS(traces, steps_of_about_a_range, chance, another_unit, late_and_lost, streams_apart,
      round_by_chance, named_ranges, rates)
