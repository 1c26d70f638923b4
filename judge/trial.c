// SPDX-License-Identifier: MIT
#include "judge/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "judge/judge.h"
#include "judge/player.h"
#include "judge/trapped.h"
#include "schemes/core/clock.h"
#include "schemes/core/points.h"
#include "schemes/parts/restart.h"

#define GAPS_END 63 /* log2: two stamps further apart than that are in no order */
#define SLOW_EVENTS 12
#define VIRTUAL_HZ 1e9
#define STEPS_END 40 /* log2 of the largest step back */

/* A nested writer at one of the play's stops. */
struct nest {
	unsigned int stop; /* counted from 1; 0: none */
	unsigned int stops; /* that there were */
	uint64_t jump[2]; /* ticks that pass before and after it */
	unsigned int came;
};

struct trial_run {
	struct row_trial *trial;
	enum trial_kind kind;
	const struct driver *driver;
	struct buffer buffer;
	struct player player;
	struct check check;
	struct nest nest;
	uint64_t steps; /* times that the clock went back */
	uint64_t longest; /* gap, ticks */
	bool cheap;
};

/* ---- the plays' clock and ring ---- */

static uint64_t wrap_of(const struct trial_run *play)
{
	return UINT64_C(1) << play->check.far_bits;
}

/* Does the row see time pass with beats in it only? One that ages sees any gap at the next beat. */
static bool beats(const struct trial_run *play)
{
	return play->driver->desc->needs & NEED_BEAT && !play->driver->desc->ages;
}

/* The cheap clock is the caller's to advance: here it follows the virtual one. */
static void around_beat(void *arg, bool begins)
{
	(void)arg;
	(void)begins;
	cheap_clock.now = virtual_clock.now;
}

static void start(struct trial_run *play, uint64_t now, uint64_t step)
{
	player_clock(now, step);
	cheap_clock.now = now;
	buffer_reset(&play->buffer, &play->buffer.config);
	buffer_check(&play->buffer, &play->check);
	player_begin(&play->player, &play->buffer,
		     beats(play) ? player_every(play->driver, play->check.stamp_bits, VIRTUAL_HZ) :
				   0);
	play->player.around = around_beat;
	play->nest = (struct nest){ .stop = 0 };
	play->steps = play->longest = 0;
}

static void event(struct trial_run *play)
{
	cheap_clock.now = virtual_clock.now;
	player_event(&play->player);
	if (play->cheap)
		virtual_clock.now = cheap_clock.now + 1;
}

/* An event, and the clock then `gap` ticks after the stamp that it took. */
static void event_and_gap(struct trial_run *play, uint64_t gap)
{
	uint64_t stamp = virtual_clock.now + play->cheap;

	event(play);
	if (gap > play->longest)
		play->longest = gap;
	player_until(&play->player, 1, stamp + gap - play->cheap);
	if (play->driver->desc->ages)
		player_beat(&play->player);
}

/* The first objection, with what was played; the gap is that before the event it is about. */
static void explain(const struct trial_run *play, const struct judgement *judgement,
		    const char *what)
{
	char *why = play->trial->why;
	const struct violation *first = NULL;
	unsigned int oracle;
	char gap[64] = "";

	if (why[0] || judgement->verdict != VERDICT_BROKEN)
		return;
	for (oracle = 0; oracle < ORACLES && !first; oracle++)
		if (play->check.first[oracle].text == judgement->text)
			first = &play->check.first[oracle];
	if (first && play->longest && first->payload.stamp) {
		int64_t ticks = (int64_t)(first->payload.stamp - first->previous);

		snprintf(gap, sizeof(gap),
			 ticks < 0 ? " after a step of %" PRIi64 " ticks" :
				     " after a gap of %" PRIi64 " ticks",
			 ticks);
	}
	snprintf(why, sizeof(play->trial->why), "%s%s%s: %s%s",
		 play->kind == TRIAL_TIMED ? "timed code, " :
		 play->kind == TRIAL_CHEAP ? "code of the cheap clock, " :
					     "",
		 what, play->nest.came ? " of a nested writer" : "",
		 judgement->text ? judgement->text : "gave up, and promises to finish", gap);
}

static void finish(struct trial_run *play, const char *what)
{
	struct row_trial *trial = play->trial;
	struct check *sum = play->driver->timed ? &trial->timed : &trial->check;
	struct judge_given given = {
		.nested = play->nest.came,
		.steps = play->steps,
		.gap_ticks = play->longest,
		.ample = !(virtual_clock.step >> play->check.far_bits),
		.equal_stamps = !virtual_clock.step,
	};
	struct judgement judgement;

	player_look(&play->player);
	given.beat_worst_ticks = play->player.beat_worst;
	judge_buffer(&play->buffer, &play->check, &given, &judgement);
	trial->events[play->kind] += play->check.events;
	if (virtual_clock.step >> play->check.far_bits)
		play->check.tries.slow += play->check.events;
	trial->stuck += buffer_ring(&play->buffer)->stuck;
	explain(play, &judgement, what);
	if (judgement.excused)
		check_merge_objections(sum, &play->check, judgement.excused);
	else
		check_merge(sum, &play->check);
}

/* ---- gaps ---- */

static void play_gaps(struct trial_run *play, uint64_t now)
{
	const struct scheme_desc *desc = play->driver->desc;
	unsigned int k, end = beats(play) ? play->check.far_bits + 3 : GAPS_END, i;
	uint64_t gap;

	start(play, now, 1);
	for (k = play->check.far_bits; k < end; k++) {
		for (i = 0; i < 3; i++) {
			gap = (UINT64_C(1) << k) + i - 1;
			if (judge_gap_beyond(desc, play->check.stamp_bits, gap + 2))
				break;
			event_and_gap(play, gap);
			/* One at once, so that the gap is all that lies before the other. */
			event_and_gap(play, 0);
		}
	}
	event(play);
	finish(play, "gaps of all sizes");
}

/* Where the upper bits are counted by beats, a clock that gets to each of them. */
static void play_carries(struct trial_run *play)
{
	uint64_t half = wrap_of(play) / 2;
	unsigned int k;

	for (k = play->check.far_bits; k < GAPS_END; k++) {
		start(play, (UINT64_C(1) << k) - half, 1);
		event_and_gap(play, half - 1);
		event_and_gap(play, half / 2);
		event(play);
		finish(play, "a carry into each bit");
	}
}

#define WIDTHS_FROM 8 /* of a field that could hold a stamp's low bits */
#define ALL_WIDTHS 50 /* log2 of a stamp at the corner of every width up to here */

/* A gap of about 2^k right after a stamp of `now`. */
static void play_corner(struct trial_run *play, uint64_t now, unsigned int k)
{
	unsigned int i;
	uint64_t gap;

	for (i = 0; i < 3; i++) {
		gap = (UINT64_C(1) << k) + i - 1;
		if (judge_gap_beyond(play->driver->desc, play->check.stamp_bits, gap + 2))
			return;
		start(play, now, 1);
		event_and_gap(play, gap);
		event(play);
		finish(play, "a gap after a stamp with equal low bits");
	}
}

/*
 * Right after stamps whose low bits are all 0, all 1, or one off, at each width: there a saved time
 * shows that is cut to a width, or that stands for "none". A wrap after each, and gaps of all sizes
 * after those that are at the corner of every width.
 */
static void corners(struct trial_run *play)
{
	unsigned int width, k, end = beats(play) ? play->check.far_bits + 3 : GAPS_END;
	int64_t off;

	for (off = -2; off <= 1; off++) {
		for (width = WIDTHS_FROM; width < GAPS_END; width++)
			play_corner(play, (UINT64_C(1) << width) + (uint64_t)off,
				    play->check.far_bits);
		for (k = play->check.far_bits; k < end; k++)
			play_corner(play, (UINT64_C(1) << ALL_WIDTHS) + (uint64_t)off, k);
	}
}

static void gaps(struct trial_run *play)
{
	play_gaps(play, 1000);
	/* Across 2^32, and across the end of 64 bits. */
	play_gaps(play, (UINT64_C(1) << 32) - 40);
	play_gaps(play, -UINT64_C(3000));
	if (beats(play))
		play_carries(play);
}

/* ---- interrupts ---- */

static void interrupt(struct trial_run *play)
{
	struct nest *nest = &play->nest;

	nest->came++;
	virtual_clock.now += nest->jump[0];
	play->driver->interrupt(play->buffer.scheme, &play->buffer.writer, CONTEXT_LEVEL_1);
	virtual_clock.now += nest->jump[1];
}

/* A stop of the interrupted writer: a point, or a trapped read of the clock. */
static void at_stop(void *arg)
{
	struct trial_run *play = arg;

	if (play->nest.stop && ++play->nest.stops == play->nest.stop)
		interrupt(play);
}

static void at_point(void *arg, const char *label)
{
	(void)label;
	at_stop(arg);
}

/* An event that is interrupted at its `stop`; how many stops it had. */
static unsigned int play_interrupt(struct trial_run *play, unsigned int position,
				   unsigned int jumps, unsigned int stop)
{
	uint64_t wrap = wrap_of(play) + 1;

	start(play, 12345, 1);
	if (position)
		event_and_gap(play, position > 1 ? wrap + 4 : 0);
	play->nest.stop = play->driver->blocks ? 0 : stop;
	play->nest.jump[0] = jumps & 1 ? wrap : 0;
	play->nest.jump[1] = jumps & 2 ? wrap : 0;
	if (!play->driver->timed) {
		points.hook = at_point;
		points.arg = play;
	}
	event(play);
	points.hook = NULL;
	play->nest.stop = 0;
	/* Where writers block interrupts, they come after the event; one more comes into nobody. */
	if (play->driver->blocks || stop == 1)
		interrupt(play);
	event(play);
	finish(play, "an interrupt");
	return play->nest.stops;
}

static void interrupts(struct trial_run *play)
{
	/* Time passes only with beats in it where a row needs them. */
	unsigned int jumps, jumps_end = beats(play) ? 1 : 4, position, stop;

	/* A row that rejects nested writers keeps its records even where interrupts should be
	 * masked. */
	if (play->driver->desc->needs & NEED_MASKED_INTERRUPTS && !play->driver->desc->turns_away)
		return;
	for (position = 0; position < 3; position++)
		for (jumps = 0; jumps < jumps_end; jumps++)
			for (stop = 1; play_interrupt(play, position, jumps, stop) >= stop; stop++)
				;
}

/* ---- clocks ---- */

static void slow(struct trial_run *play)
{
	static const unsigned int factors[] = { 1, 1, 5 };
	unsigned int i, event_at;

	for (i = 0; i < 3; i++) {
		start(play, 12345, factors[i] * wrap_of(play) + (i == 1));
		for (event_at = 0; event_at < SLOW_EVENTS; event_at++)
			event(play);
		finish(play, "a slow clock");
	}
}

static void steps(struct trial_run *play)
{
	unsigned int k, i;

	if (!(play->driver->desc->promises & PROMISE_STEP_PROOF))
		return;
	start(play, UINT64_C(1) << 62, 1);
	for (k = 0; k < STEPS_END; k++) {
		for (i = 0; i < 3; i++) {
			event(play);
			virtual_clock.now -= (UINT64_C(1) << k) + i - 1;
			play->steps++;
		}
		event_and_gap(play, 100);
	}
	event(play);
	finish(play, "a clock that goes back");
}

/* ---- the code that is timed ---- */

static void timed(struct trial_run *play)
{
	const struct scheme_desc *desc = play->driver->desc;

	if (!trapped_begin(at_stop, play))
		return;
	gaps(play);
	steps(play);
	/* A section that is not the kernel's to start over, and a payload that cannot say inexact.
	 */
	if (!play->driver->restarts && !desc->zeros_per_nested)
		interrupts(play);
	trapped_end();
}

static void cheap(struct trial_run *play)
{
	play->cheap = true;
	gaps(play);
	steps(play);
}

/* ---- the trial ---- */

static const struct {
	const char *name;
	void (*play)(struct trial_run *play);
} kinds[TRIAL_KINDS] = {
	[TRIAL_GAPS] = { "gaps", gaps },
	[TRIAL_CORNERS] = { "corners", corners },
	[TRIAL_INTERRUPTS] = { "interrupts", interrupts },
	[TRIAL_SLOW] = { "slow", slow },
	[TRIAL_STEPS] = { "steps", steps },
	[TRIAL_TIMED] = { "timed", timed },
	[TRIAL_CHEAP] = { "cheap", cheap },
};

const char *trial_kind_name(enum trial_kind kind)
{
	return kinds[kind].name;
}

static bool wanted(enum trial_kind kind)
{
	const char *list = getenv("STAMPEDE_TRIALS");

	return !list || strstr(list, kinds[kind].name);
}

/* False: no memory. */
static bool play_kind(struct row_trial *trial, enum trial_kind kind, const struct driver *driver,
		      bool detached)
{
	/* Sub-buffers end where it is to be seen, and otherwise in no play's way. */
	bool large = kind != TRIAL_INTERRUPTS;
	struct ring_config config = buffer_config(driver, large ? RING_TIMED_SUBBUF_SHIFT : 9,
						  large ? RING_TIMED_COUNT_SHIFT : 4);
	struct trial_run play = { .trial = trial, .kind = kind, .driver = driver };

	/* Timed sections run like any code, but only while the kernel knows nothing of them. */
	if (driver->timed && driver->restarts && !detached && !restart_unsupported())
		return true;
	config.cpu = driver->restarts && detached ? (uint32_t)restart_cpu() : 0;
	if (buffer_open(&play.buffer, driver, &config))
		return false;
	/* How long a wrap is has to be known before the first play's clock is set. */
	buffer_check(&play.buffer, &play.check);
	kinds[kind].play(&play);
	buffer_close(&play.buffer);
	return true;
}

bool trial_play(struct row_trial *trial, const struct driver *counting, const struct driver *timed,
		const struct driver *cheap)
{
	struct virtual_clock clock = virtual_clock;
	struct points before = points;
	bool detached = counting->restarts && restart_detach(), good = true;
	unsigned int kind;

	*trial = (struct row_trial){ .stuck = 0 };
	check_init(&trial->check, counting->desc, counting->stamp_bits);
	check_init(&trial->timed, timed->desc, timed->stamp_bits);
	trial->timed.windowless = true;
	for (kind = 0; kind < TRIAL_KINDS && good; kind++)
		if (wanted((enum trial_kind)kind))
			good = play_kind(trial, (enum trial_kind)kind,
					 kind == TRIAL_TIMED ? timed :
					 kind == TRIAL_CHEAP ? cheap :
							       counting,
					 detached);
	if (detached)
		restart_attach();
	virtual_clock = clock;
	points = before;
	return good;
}

const struct row_trial *trial_of(const struct driver *driver)
{
	static struct row_trial trials[DRIVERS_MAX];
	static bool tried[DRIVERS_MAX], good[DRIVERS_MAX];
	unsigned int i;

	for (i = 0; strcmp(drivers_counting[i]->row, driver->row) != 0; i++)
		;
	if (!tried[i]) {
		tried[i] = true;
		end_hangs(20); /* a trial takes less than 1 s */
		good[i] = !drivers_counting[i]->unsupported() &&
			  trial_play(&trials[i], drivers_counting[i],
				     driver_find(drivers_timed, driver->row),
				     driver_find(drivers_cheap, driver->row));
		end_hangs(0);
	}
	return good[i] ? &trials[i] : NULL;
}
