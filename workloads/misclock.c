// SPDX-License-Identifier: MIT
#include "workloads/misclock.h"

#include <string.h>

#include "base/rng.h"
#include "judge/judge.h"
#include "judge/player.h"
#include "schemes/core/clock.h"
#include "schemes/core/points.h"

#define BEGIN (UINT64_C(1) << 42) /* no step back goes below 0 */
#define BEFORE 40 /* events */
#define BEHIND 300
#define GAP_MOST 200 /* ticks between events */
#define POINTS_ABOUT 12 /* of an event */

/* One play; the hook at the points of its writers sees it. */
struct play {
	enum misclock kind;
	uint64_t ticks;
	struct buffer *buffer;
	uint64_t random;
	uint64_t steps; /* back, so far */
	bool armed; /* to happen in the event that is recorded now */
	unsigned int points; /* of it, until then */
	unsigned int nested_points; /* and of the one that interrupts it */
	bool nested; /* one interrupts it now */
	uint64_t interrupts; /* so many did */
	uint64_t reads_most;
};

const struct misclock_words misclock_words[MISCLOCKS] = {
	[MISCLOCK_BETWEEN] = { "between", "back between two events" },
	[MISCLOCK_RESERVE] = { "reserve", "back inside an event" },
	[MISCLOCK_NESTED] = { "nested", "back inside an interrupting event" },
	[MISCLOCK_OFTEN] = { "often", "back before every 50th event" },
	[MISCLOCK_OLDER] = { "older", "older in an interrupting event" },
	[MISCLOCK_STOPPED] = { "stopped", "still for 100 events" },
	[MISCLOCK_AHEAD] = { "ahead", "far ahead at once" },
	[MISCLOCK_RATE] = { "rate", "faster and slower by 1000" },
	[MISCLOCK_TRACED] = { "traced", "each read records an event" },
};

static void step_back(struct play *play)
{
	virtual_clock.now -= play->ticks;
	play->steps++;
	play->armed = false;
}

static void interrupt(struct play *play)
{
	play->nested = true;
	play->interrupts++;
	play->buffer->driver->interrupt(play->buffer->scheme, &play->buffer->writer,
					CONTEXT_LEVEL_1);
	play->nested = false;
}

/*
 * The clock that is about to be read records an event first; its own guard lets no more through.
 * Nor does a row that keeps interrupts out: what its clock records is lost there.
 */
static void trace_read(struct play *play, const char *label)
{
	/* Who never ends has shown it: the tracer is switched off. */
	if (play->nested || !strstr(label, "clock") || play->reads_most >= MISCLOCK_READS_MOST)
		return;
	interrupt(play);
	if (points.clock_reads > play->reads_most)
		play->reads_most = points.clock_reads;
}

/* An interrupt comes, and with it what the clock does. */
static void interrupt_steps(struct play *play)
{
	uint64_t before = virtual_clock.now;

	if (play->kind == MISCLOCK_OLDER)
		step_back(play);
	interrupt(play);
	if (play->kind == MISCLOCK_OLDER)
		virtual_clock.now = before;
	else if (play->armed)
		step_back(play); /* it had no so many points */
}

static void at_point(void *arg, const char *label)
{
	struct play *play = arg;
	/* Where nobody can interrupt a writer, an interrupt comes behind it. */
	bool blocks = play->buffer->driver->blocks && !play->nested;

	if (play->kind == MISCLOCK_TRACED && !blocks)
		trace_read(play, label);
	if (!play->armed || (blocks && play->kind != MISCLOCK_RESERVE) ||
	    (play->nested ? play->nested_points-- : play->points--))
		return;
	if (play->kind == MISCLOCK_RESERVE || play->nested)
		step_back(play);
	else
		interrupt_steps(play);
}

/* What happens before an event of any number. */
static void before_event(struct play *play, struct player *player, unsigned int event)
{
	uint64_t gap = 1 + rng_next(&play->random) % GAP_MOST;

	if (play->kind == MISCLOCK_RATE)
		gap = rng_next(&play->random) & 1 ? gap * 1000 : (gap + 999) / 1000;
	if (play->kind == MISCLOCK_STOPPED && event >= BEFORE && event < BEFORE + MISCLOCK_STILL)
		virtual_clock.step = gap = 0;
	else
		virtual_clock.step = 1;
	if (play->kind == MISCLOCK_AHEAD && event == BEFORE)
		virtual_clock.now += play->ticks; /* no player: beats are late as well */
	player_pass(player, gap);
	if (play->kind == MISCLOCK_OFTEN && event >= BEFORE && !((event - BEFORE) % MISCLOCK_EVERY))
		step_back(play);
	if (event != BEFORE)
		return;
	if (play->kind == MISCLOCK_BETWEEN)
		step_back(play);
	play->armed = play->kind == MISCLOCK_RESERVE || play->kind == MISCLOCK_NESTED ||
		      play->kind == MISCLOCK_OLDER;
	play->points = (unsigned int)(rng_next(&play->random) % POINTS_ABOUT);
	play->nested_points = (unsigned int)(rng_next(&play->random) % POINTS_ABOUT);
}

/* Time that goes by does so for beats too, whatever the clock says. */
static void keep_beats(struct player *player, uint64_t went_back)
{
	player->beat_next -= went_back;
	player->beat_latest -= went_back;
}

static void play_events(struct play *play, struct player *player)
{
	unsigned int event;
	uint64_t steps;

	for (event = 0; event < BEFORE + BEHIND; event++) {
		steps = play->steps;
		before_event(play, player, event);
		points.hook = at_point;
		points.arg = play;
		points.clock_reads = 0;
		player_event(player);
		if (play->armed && play->buffer->driver->blocks)
			interrupt_steps(play);
		if (points.clock_reads > play->reads_most)
			play->reads_most = points.clock_reads;
		points.hook = NULL;
		/* Of a clock that is only older for a while, nothing is left. */
		if (play->kind != MISCLOCK_OLDER)
			keep_beats(player, (play->steps - steps) * play->ticks);
	}
	player_look(player);
}

/* The worst of all: broken, then not met, then kept. */
static unsigned int badness(enum verdict verdict)
{
	return verdict == VERDICT_BROKEN ? 2 : verdict == VERDICT_NEED_NOT_MET;
}

static void add(struct misclock_result *sum, const struct check *check, const struct play *play,
		const struct judgement *judgement)
{
	sum->events += check->events;
	sum->steps += play->steps;
	sum->interrupts += play->interrupts;
	check_damage_add(&sum->damage, &check->damage);
	sum->inexact += check->inexact;
	sum->extended += check->extended;
	sum->lost += buffer_ring(play->buffer)->lost;
	if (play->reads_most > sum->reads_most)
		sum->reads_most = play->reads_most;
	/* Kept, had the tracer not been switched off. */
	if (play->reads_most >= MISCLOCK_READS_MOST && sum->verdict == VERDICT_KEPT)
		sum->verdict = VERDICT_NEED_NOT_MET;
	if (badness(judgement->verdict) > badness(sum->verdict)) {
		sum->verdict = judgement->verdict;
		sum->objection = judgement->text;
	}
}

int misclock_play(const struct driver *driver, enum misclock kind, uint64_t ticks, double hz,
		  unsigned int plays, uint64_t seed, struct misclock_result *result)
{
	struct ring_config config = buffer_config(driver, 11, 5);
	struct play play = { .kind = kind, .ticks = ticks };
	struct judgement judgement;
	struct player player;
	struct buffer buffer;
	struct check check;
	unsigned int i;
	int error;

	*result = (struct misclock_result){ .verdict = VERDICT_KEPT };
	error = buffer_open(&buffer, driver, &config);
	for (i = 0; i < plays && !error; i++) {
		struct judge_given given = { .ample = true };

		play.buffer = &buffer;
		play.random = rng_seed(seed, i);
		play.steps = play.reads_most = play.interrupts = 0;
		play.armed = false;
		player_clock(BEGIN + (rng_next(&play.random) & bits_mask(32)), 1);
		error = buffer_reset(&buffer, &config);
		buffer_check(&buffer, &check);
		player_begin(&player, &buffer, player_every(driver, driver->stamp_bits, hz));
		result->ticks -= virtual_clock.now;
		play_events(&play, &player);
		result->ticks += virtual_clock.now;
		given.beat_worst_ticks = player.beat_worst;
		given.nested = play.interrupts;
		given.gap_ticks = kind == MISCLOCK_AHEAD ? ticks : 0;
		given.steps = play.steps;
		given.equal_stamps = play.steps || kind == MISCLOCK_STOPPED;
		judge_buffer(&buffer, &check, &given, &judgement);
		add(result, &check, &play, &judgement);
	}
	virtual_clock.step = 1;
	if (buffer.base)
		buffer_close(&buffer);
	return error;
}
