// SPDX-License-Identifier: MIT
/*
 * What a trial plays (judge/trial.h), seen from outside: a driver that writes down the virtual
 * clock at each call, and calls the row's own. Gaps, stops, clocks and steps are counted from that
 * alone.
 */
#include <setjmp.h>

#include "tests/support/test.h"
#include "tests/support/traps.h"
#include "judge/trial.h"
#include "schemes/core/clock.h"
#include "schemes/core/points.h"

#define BIT(k) (UINT64_C(1) << (k))

enum call { CALL_BEGIN, CALL_EVENT, CALL_NESTED, CALL_BEAT };

static struct seen {
	enum call call;
	bool inside; /* an event that has begun */
	uint64_t now, after; /* the clock before and after it */
	uint64_t step;
} seen[20000];
static unsigned int count;
static bool inside;
static struct driver spy;
static const struct driver *real;
static enum trial_kind kind;
static struct row_trial trial;
/* Planted: each event is a lost one, too; the clock goes back in a nested writer. */
static bool loses, goes_back;

static struct seen *note(enum call call)
{
	assert_true(count < COUNT(seen));
	seen[count] = (struct seen){
		.call = call,
		.inside = inside,
		.now = kind == TRIAL_CHEAP ? cheap_clock.now : virtual_clock.now,
		.step = virtual_clock.step,
	};
	assert_true(kind == TRIAL_SLOW || virtual_clock.step == 1);
	if (call == CALL_BEAT && kind == TRIAL_CHEAP)
		assert_true(cheap_clock.now == virtual_clock.now);
	return &seen[count++];
}

static void spy_init(void *scheme, const struct ring_config *config, uint8_t *base,
		     struct subbuf *subbufs, struct writer *writer)
{
	bool small = kind == TRIAL_INTERRUPTS;

	assert_int_equal(config->subbuf_shift, small ? 9 : RING_TIMED_SUBBUF_SHIFT);
	assert_int_equal(config->count_shift, small ? 4 : RING_TIMED_COUNT_SHIFT);
	assert_int_equal(config->cpu, 0);
	note(CALL_BEGIN);
	real->init(scheme, config, base, subbufs, writer);
}

static void spy_run(void *scheme, struct writer *writer, uint64_t events)
{
	struct seen *its = note(CALL_EVENT);

	assert_int_equal(events, 1);
	inside = true;
	real->run(scheme, writer, events);
	inside = false;
	if (loses) {
		writer->entered[CONTEXT_TASK]++;
		writer->failed[CONTEXT_TASK]++;
		writer->losses.of[LOSS_FULL]++;
		((struct ring *)scheme)->lost++;
	}
	its->after = virtual_clock.now;
}

static void spy_interrupt(void *scheme, struct writer *writer, unsigned int context)
{
	struct seen *its = note(CALL_NESTED);

	assert_int_equal(context, CONTEXT_LEVEL_1);
	real->interrupt(scheme, writer, context);
	virtual_clock.now -= goes_back ? 1000 : 0;
	its->after = virtual_clock.now;
}

static void spy_beat(void *scheme, struct writer *writer)
{
	note(CALL_BEAT);
	real->beat(scheme, writer);
}

/* What the kind's play of the row calls of the build that it is of. */
static void play(enum trial_kind of, const char *row)
{
	const struct driver *timed = driver_find(drivers_timed, row);
	const struct driver *cheap = driver_find(drivers_cheap, row);
	const struct virtual_clock clock = { .now = 77, .step = 1 };
	const struct points before = { .arg = &spy };

	kind = of;
	real = kind == TRIAL_TIMED ? timed :
	       kind == TRIAL_CHEAP ? cheap :
				     driver_find(drivers_counting, row);
	spy = *real;
	spy.init = spy_init;
	spy.run = spy_run;
	spy.interrupt = spy_interrupt;
	spy.beat = spy_beat;
	count = 0;
	virtual_clock = clock;
	points = before;
	assert_int_equal(setenv("STAMPEDE_TRIALS", trial_kind_name(kind), 1), 0);
	assert_true(trial_play(
		&trial,
		kind == TRIAL_TIMED || kind == TRIAL_CHEAP ? driver_find(drivers_counting, row) :
							     &spy,
		kind == TRIAL_TIMED ? &spy : timed, kind == TRIAL_CHEAP ? &spy : cheap));
	assert_int_equal(unsetenv("STAMPEDE_TRIALS"), 0);
	assert_int_equal(trial.stuck, 0);
	if (!loses && !goes_back)
		assert_string_equal(trial.why, "");
	assert_true(!trial.check.windowless && trial.timed.windowless);
	/* All that the rest of the program may have under way is as it was. */
	assert_memory_equal(&virtual_clock, &clock, sizeof(clock));
	assert_ptr_equal(points.arg, &spy);
}

static unsigned int plays(void)
{
	unsigned int i, all = 0;

	/* The first makes the ring, before anything is played on it. */
	for (i = 1; i < count; i++)
		all += seen[i].call == CALL_BEGIN;
	return all;
}

/* Ticks between the stamps of the event at `i` and the one before it; a stamp is the read at `now`.
 */
static uint64_t gap_at(unsigned int i)
{
	return seen[i].now - seen[i - 1].now;
}

static unsigned int events_after(uint64_t gap)
{
	unsigned int i, all = 0;

	for (i = 1; i < count; i++)
		all += seen[i].call == CALL_EVENT && seen[i - 1].call == CALL_EVENT &&
		       gap_at(i) == gap;
	return all;
}

/* A tick less than a power of two, the power, and one more; an event at once after each. */
static void assert_gaps_of_every_size(void)
{
	const uint64_t from[] = { 1000, BIT(32) - 40, -UINT64_C(3000) };
	unsigned int k, i, begins = 0, over_64 = 0;

	for (k = 27; k < 63; k++)
		for (i = 0; i < 3; i++)
			assert_int_equal(events_after(BIT(k) + i - 1), 3);
	/* Of the three begins one is just before 2^32, one just before the end of 64 bits. */
	for (i = 1; i + 1 < count; i++) {
		if (seen[i].call == CALL_BEGIN) {
			if (begins == 3)
				break;
			assert_true(seen[i].now == from[begins++]);
		} else if (seen[i - 1].call == CALL_EVENT) {
			over_64 += seen[i].now < seen[i - 1].now;
			if (gap_at(i) > 1000 && seen[i + 1].call == CALL_EVENT)
				assert_true(gap_at(i + 1) < 20);
		}
	}
	assert_true(over_64 >= 1);
	assert_int_equal(begins, 3);
}

static void gaps_of_every_size(void **state)
{
	play(TRIAL_GAPS, "packed_word");
	assert_int_equal(plays(), 3);
	assert_gaps_of_every_size();
	assert_int_equal(trial.events[TRIAL_GAPS], 3 * (36 * 3 * 2 + 1));
	assert_true(trial.check.tries.gap_sizes == (BIT(62) - 1) - (BIT(27) - 1) + BIT(62));
	/* Up to the longest gap that a row says it can tell, and not by the clock's own ticks more.
	 */
	play(TRIAL_GAPS, "nested_stamps");
	assert_int_equal(events_after(BIT(58) + 1), 3);
	assert_int_equal(events_after(BIT(59) - 1), 0);
	play(TRIAL_CHEAP, "packed_word");
	assert_int_equal(plays(), 3);
	assert_gaps_of_every_size();
	play(TRIAL_CHEAP, "packed_upper"); /* steps, too */
	assert_int_equal(plays(), 3 + 1);
	if (!traps_here())
		return;
	play(TRIAL_TIMED, "packed_word");
	assert_gaps_of_every_size();
	count = 0;
	play(TRIAL_TIMED, "packed_upper");
	assert_gaps_of_every_size();
	assert_true(seen[1 + 3 * (1 + 36 * 3 * 2 + 1)].now == BIT(62));
}

/* An event at each corner of each width, a gap, an event: a wrap, and after one corner of all every
 * size. */
static void gaps_after_corners(void **state)
{
	unsigned int width, i, at = 1, all = 4 * ((62 - 7) + (63 - 27));

	play(TRIAL_CORNERS, "packed_word");
	assert_int_equal(plays(), 3 * all);
	for (width = 8; width < 63; width++)
		for (i = 0; i < 3; i++, at += 3) {
			assert_true(seen[at].now == BIT(width) - 2);
			assert_true(seen[at + 1].now == seen[at].now);
			assert_true(gap_at(at + 2) == BIT(27) + i - 1);
		}
	for (i = 0; i < 36 * 3; i++, at += 3)
		assert_true(seen[at].now == BIT(50) - 2 &&
			    gap_at(at + 2) == BIT(27 + i / 3) + i % 3 - 1);
	assert_true(seen[at].now == BIT(8) - 1);
	/* Of a row that needs beats no gap is longer than some wraps. */
	play(TRIAL_CORNERS, "heartbeat");
	assert_int_equal(plays(), 3 * 4 * ((62 - 7) + 3));
}

/* Of a row with beats: gaps of some wraps, and a clock that gets to each of the bits above them. */
static void gaps_with_beats(void **state)
{
	unsigned int i, k = 27, begins = 0, events = 0, beats = 0, carries = 0, left = 0;
	uint64_t stamps[3];

	play(TRIAL_GAPS, "heartbeat");
	assert_int_equal(plays(), 3 + 36);
	for (i = 1; i < count; i++) {
		events += seen[i].call == CALL_EVENT;
		beats += seen[i].call == CALL_BEAT;
		if (seen[i].call == CALL_BEGIN && ++begins > 3)
			carries += seen[i].now == BIT(k++) - BIT(26);
	}
	assert_int_equal(carries, 36);
	/* The ring's begin is the first beat's; each wrap in a gap has some. */
	assert_int_equal(events, 3 * (3 * 3 * 2 + 1) + 36 * 3);
	assert_int_equal(trial.events[TRIAL_GAPS], events + beats);
	for (i = 2; i < count; i++)
		assert_true(seen[i].call == CALL_BEGIN || gap_at(i) < BIT(29) + 20);
	assert_true(beats >= 3 * 6);
	/* The bit carries between the first event and the second. */
	for (i = count - 1; seen[i].call != CALL_BEGIN; i--)
		if (seen[i].call == CALL_EVENT)
			stamps[left++ % 3] = seen[i].now;
	assert_true(left == 3 && stamps[2] < BIT(62) && stamps[1] == stamps[2] + BIT(26) - 1 &&
		    stamps[0] == stamps[1] + BIT(25) && stamps[0] > BIT(62));
}

/* One play: at most one event before; the event, with `inside` or not; one after both; an event. */
static unsigned int interrupted_play(unsigned int i, unsigned int position, unsigned int jumps,
				     bool *in_event, bool *behind)
{
	const uint64_t wrap = BIT(27) + 1;
	const struct seen *event;

	assert_int_equal(seen[i].call, CALL_BEGIN);
	assert_int_equal(seen[i].now, 12345);
	i++;
	if (position) {
		assert_int_equal(seen[i].call, CALL_EVENT);
		i++;
		if (position > 1)
			assert_true(gap_at(i) == wrap + 4);
		else
			assert_true(gap_at(i) < 20);
	}
	event = &seen[i++];
	assert_int_equal(event->call, CALL_EVENT);
	*in_event = seen[i].call == CALL_NESTED && seen[i].inside;
	if (*in_event) {
		assert_int_equal(seen[i].now - event->now > wrap - 1, jumps & 1);
		assert_int_equal(event->after - seen[i].after > wrap - 1, jumps >> 1);
		assert_true(event->after - event->now < 2 * wrap + 40);
		i++;
	}
	*behind = seen[i].call == CALL_NESTED;
	if (*behind) {
		assert_false(seen[i].inside);
		assert_true(seen[i].now - event->after == (jumps & 1 ? wrap : 0));
		assert_true(seen[i + 1].now - seen[i].after == (jumps & 2 ? wrap : 0));
		i++;
	}
	assert_int_equal(seen[i].call, CALL_EVENT);
	return i + 1;
}

static void interrupts_at_every_stop(void **state)
{
	unsigned int position, jumps, stop, i = 1, all = 0;
	bool in_event, behind;

	play(TRIAL_INTERRUPTS, "packed_word");
	for (position = 0; position < 3; position++)
		for (jumps = 0; jumps < 4; jumps++) {
			for (stop = 1, in_event = true; in_event; stop++, all++) {
				i = interrupted_play(i, position, jumps, &in_event, &behind);
				assert_int_equal(behind, stop == 1);
			}
			assert_true(stop > 3); /* and one more, at which nothing came */
		}
	assert_int_equal(i, count);
	assert_int_equal(plays(), all);
	/* Writers of this row cannot be interrupted: what came meanwhile runs afterwards. */
	play(TRIAL_INTERRUPTS, "delta_sync_hard");
	for (position = 0, i = 1; position < 3; position++)
		for (jumps = 0; jumps < 4; jumps++) {
			i = interrupted_play(i, position, jumps, &in_event, &behind);
			assert_true(!in_event && behind);
		}
	assert_int_equal(i, count);
	play(TRIAL_INTERRUPTS, "simple_remote"); /* which needs interrupts masked, and loses none */
	assert_int_equal(trial.events[TRIAL_INTERRUPTS] > 0,
			 driver_find(drivers_counting, "simple_remote")->desc->turns_away);
}

static void clocks_of_a_wrap_a_read(void **state)
{
	static const uint64_t steps[] = { BIT(27), BIT(27) + 1, 5 * BIT(27) };
	unsigned int play_at, event_at, i = 1;

	play(TRIAL_SLOW, "packed_word");
	for (play_at = 0; play_at < 3; play_at++) {
		assert_int_equal(seen[i].call, CALL_BEGIN);
		assert_int_equal(seen[i].now, 12345);
		for (event_at = 0, i++; event_at < 12; event_at++, i++) {
			assert_int_equal(seen[i].call, CALL_EVENT);
			assert_true(seen[i].step == steps[play_at]);
		}
	}
	assert_int_equal(i, count);
	assert_int_equal(trial.check.tries.slow, 36);
	play(TRIAL_SLOW, "heartbeat"); /* beats are of no use at such a clock, and stay away */
	for (i = 0; i < count; i++)
		assert_int_not_equal(seen[i].call, CALL_BEAT);
	play(TRIAL_INTERRUPTS, "heartbeat"); /* wraps without a beat are nothing it has to keep */
	for (i = 2; i < count; i++)
		assert_true(seen[i].call == CALL_BEGIN || seen[i - 1].call == CALL_BEGIN ||
			    seen[i].now - seen[i - 1].now < 20 || seen[i].now - 12345 < BIT(28));
}

static void steps_back_of_every_size(void **state)
{
	unsigned int k, j, i = 1, backs = 0;

	play(TRIAL_STEPS, "packed_upper");
	assert_int_equal(seen[i].call, CALL_BEGIN);
	assert_true(seen[i++].now == BIT(62));
	for (k = 0; k < 40; k++) {
		for (j = 0; j < 3; j++, i++)
			assert_true(seen[i].after - seen[i + 1].now == BIT(k) + j - 1);
		assert_int_equal(seen[i + 1].now - seen[i].now, 100);
		i++;
	}
	assert_int_equal(i + 1, count);
	/* Those that a field of 27 bits would take for a wrap are tries. */
	for (i = 2; i + 1 < count; i++)
		backs += seen[i + 1].now < seen[i].now && (seen[i + 1].now ^ seen[i].now) >> 27;
	assert_in_range(trial.check.tries.backs, 3 * (40 - 27), backs);
	play(TRIAL_STEPS, "packed_word");
	assert_int_equal(trial.events[TRIAL_STEPS], 0);
}

/* Whose events are lost without need, but at a clock that may be too slow for any. */
static void planted_faults(void **state)
{
	play(TRIAL_CHEAP, "heartbeat");
	loses = true;
	play(TRIAL_SLOW, "packed_word");
	assert_string_equal(trial.why, "");
	play(TRIAL_STEPS, "packed_upper");
	assert_non_null(strstr(trial.why, "lost though nothing filled the ring"));
	loses = false;
	if (!traps_here())
		return;
	/* Its play has no gaps: those of the plays before are over. */
	goes_back = true;
	play(TRIAL_TIMED, "packed_word");
	assert_non_null(strstr(trial.why, "an interrupt of a nested writer: "));
	assert_null(strstr(trial.why, " after a "));
	goes_back = false;
}

static sigjmp_buf before;

static void on_fault(int number)
{
	siglongjmp(before, number);
}

#ifdef __x86_64__
static uint64_t read_clock(void) /* its low 32 bits */
{
	uint64_t now;

	__asm__ volatile("rdtsc" : "=a"(now) : : "rdx", "memory"); /* a trap writes memory */
	return now;
}

static void on_read(void *reads)
{
	*(uint64_t *)reads += 1 + (read_clock() != 50);
}
#endif

/* A hook may read the clock; a fault of an instruction that begins as a read does is the row's own.
 */
static void reads_and_faults(void **state)
{
	struct sigaction now;
	uint64_t reads = 0;

	if (!traps_here())
		return;
#ifdef __x86_64__
	signal(SIGSEGV, on_fault);
	for (reads = 0; reads < 2;) {
		assert_true(trapped_begin(on_read, &reads));
		virtual_clock = (struct virtual_clock){ .now = 50, .step = 7 };
		assert_true(read_clock() == 57 && virtual_clock.now == 64);
		if (reads > 1 && !sigsetjmp(before, 1)) {
			__asm__ volatile("movzbl (%0), %%eax" : : "r"(0l) : "eax");
			fail();
		}
		trapped_end();
		sigaction(SIGSEGV, NULL, &now);
		assert_ptr_equal(now.sa_handler, on_fault);
	}
	signal(SIGSEGV, SIG_DFL);
#endif
	assert_int_equal(reads, 2);
}

TESTS(gaps_of_every_size, gaps_after_corners, gaps_with_beats, interrupts_at_every_stop,
      clocks_of_a_wrap_a_read, steps_back_of_every_size, planted_faults, reads_and_faults)
