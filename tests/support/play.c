// SPDX-License-Identifier: MIT
#include "tests/support/play.h"

#include "tests/support/test.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "schemes/parts/mask.h"
#include "tests/support/support.h"

/* Interrupts of depth 0 .. 2 where they have to be signals. */
#define DEPTHS 3
#define PAD_SEED UINT64_C(0x5eed5eed5eed)
#define PAD_MOST 511

static struct play *playing;

/* ---- interrupts ---- */

static void nested_now(struct play *play)
{
	struct writer *writer = &play->buffer.writer;
	void *scheme = play->buffer.scheme;

	play->interrupts++;
	virtual_clock.now += play->plan.jump_before;
	play->depth++;
	if (play->plan.nested == NESTED_BEAT && !play->player.beating)
		play_beat(play);
	else if (play->plan.nested != NESTED_TIME)
		play->driver->interrupt(scheme, writer, CONTEXT_TASK + play->depth);
	play->depth--;
	virtual_clock.now += play->plan.jump_after;
}

static void handle_signal(int signal)
{
	nested_now(playing);
}

/* At each point of a writer. */
static void follow_plan(void *arg, const char *label)
{
	struct play *play = arg;
	unsigned int call = ++play->calls, i, j, burst = play->plan.burst ? play->plan.burst : 1;

	for (i = 0; i < 2; i++) {
		if (play->plan.at[i] == call)
			play->labels[i] = label;
		for (j = 0; play->plan.at[i] == call && play->depth < DEPTHS && j < burst; j++) {
			if (!play->masks)
				nested_now(play);
			else if (syscall(SYS_tgkill, getpid(), gettid(),
					 SIGRTMIN + (int)play->depth))
				fail_msg("tgkill failed");
		}
	}
}

static void see_whether_blocked(void *arg, const char *label)
{
	struct play *play = arg;
	sigset_t now;

	assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
	play->masks |= sigismember(&now, SIGRTMIN) == 1;
}

static void take_signals(void)
{
	struct sigaction action = { .sa_handler = handle_signal };
	int i;

	sigemptyset(&mask_signals);
	for (i = 0; i < DEPTHS; i++) {
		sigaddset(&mask_signals, SIGRTMIN + i);
		assert_int_equal(sigaction(SIGRTMIN + i, &action, NULL), 0);
	}
}

/* ---- set-up ---- */

/* Does it promise anything of times, or, as a baseline, nothing at all? */
static bool has_times(const struct scheme_desc *desc)
{
	return desc->untimed || !desc->promises ||
	       desc->promises & (PROMISE_MONOTONIC | PROMISE_EXACT | PROMISE_WINDOW);
}

const struct driver *const *play_rows(void)
{
	static const struct driver *rows[DRIVERS_MAX + 1];
	unsigned int i, count = 0;

	for (i = 0; drivers_counting[i]; i++)
		if (!drivers_counting[i]->unsupported() && has_times(drivers_counting[i]->desc))
			rows[count++] = drivers_counting[i];
	rows[count] = NULL;
	return rows;
}

void play_open(struct play *play, const struct driver *driver, uint32_t bytes_shift)
{
	static const struct stage first = { .bits = 27, .subbuf_shift = 9, .count_shift = 1 };
	struct ring_config config = buffer_config(driver, 9, bytes_shift - 9);

	*play = (struct play){ .driver = driver };
	points.hook = NULL;
	assert_int_equal(buffer_open(&play->buffer, driver, &config), 0);
	take_signals();
	play_start(play, &first);
	points.hook = see_whether_blocked;
	points.arg = play;
	driver->run(play->buffer.scheme, &play->buffer.writer, 1);
	points.hook = NULL;
}

void play_close(struct play *play)
{
	points.hook = NULL;
	buffer_close(&play->buffer);
	sigemptyset(&mask_signals);
}

const uint32_t *play_bits(const struct driver *driver)
{
	static const uint32_t narrow[] = { 3, 8, 16, 27, 0 };
	static uint32_t bits[6];
	unsigned int i, count = 0;

	/* Who cuts low bits needs a few more than those. */
	for (i = 0; narrow[i] && driver->stamp_bits < 64; i++)
		if (narrow[i] <= driver->stamp_bits &&
		    (!driver->desc->cut_bits || narrow[i] > driver->desc->cut_bits + 2))
			bits[count++] = narrow[i];
	if (!count || driver->stamp_bits != 27)
		bits[count++] = driver->stamp_bits;
	bits[count] = 0;
	return bits;
}

/* In ticks. A beat and the events around it take some reads: as late as may be is so much earlier.
 */
static uint64_t beat_period(const struct stage *stage, uint32_t bits)
{
	uint64_t wrap = UINT64_C(1) << bits, reads = 8 * stage->step + 1;

	if (stage->beats_per_wrap)
		return wrap / stage->beats_per_wrap;
	return wrap > reads ? wrap - reads : 1;
}

void play_start(struct play *play, const struct stage *stage)
{
	const struct driver *driver = play->driver;
	struct ring_config config = buffer_config(driver, stage->subbuf_shift, stage->count_shift);
	struct writer *writer = &play->buffer.writer;
	uint64_t every = 0;

	points.hook = NULL;
	play->stage = *stage;
	config.mode = stage->mode;
	config.stamp_bits = driver->stamp_bits < 64 && stage->bits < driver->stamp_bits ?
				    stage->bits :
				    driver->stamp_bits;
	/* A narrower counter than the row's own has the field's width, as in run-stress. */
	if (driver->counter_bits < 64 && stage->bits < driver->counter_bits &&
	    stage->bits != driver->stamp_bits)
		config.counter_bits = config.stamp_bits;
	writer->extra_bytes = 0; /* the reader of fixed payloads knows the least one */
	writer->random = 0x9e3779b97f4a7c15u;
	virtual_clock.now = stage->now;
	virtual_clock.step = stage->step;
	assert_int_equal(buffer_reset(&play->buffer, &config), 0);
	writer->extra_bytes = stage->extra_bytes;
	writer->random_extra = stage->extra_bytes;
	writer->high_every = stage->high_every;
	buffer_check(&play->buffer, &play->check);
	play->plan = (struct plan){ .burst = 0 };
	play->labels[0] = play->labels[1] = "never";
	play->calls = play->depth = play->interrupts = 0;
	play->unmet = 0;
	if (driver->desc->needs & NEED_BEAT && !driver->desc->ages && !stage->no_beats)
		every = beat_period(stage, config.stamp_bits);
	/* Cut bits shorten a wrap by a granule. */
	if (every > scheme_reach_ticks(driver->desc, config.stamp_bits) - 8 * stage->step)
		every -= bits_mask(scheme_cut_bits(driver->desc, config.stamp_bits));
	player_begin(&play->player, &play->buffer, every);
	points.clock_reads = points.atomics = points.retries = 0;
}

void play_plan(struct play *play, const struct plan *plan)
{
	play->plan = *plan;
	play->calls = 0;
	play->labels[0] = play->labels[1] = "never";
	points.hook = follow_plan;
	points.arg = play;
	playing = play;
}

/* ---- playing ---- */

void play_beat(struct play *play)
{
	player_beat(&play->player);
}

void play_pass(struct play *play, uint64_t ticks)
{
	player_pass(&play->player, ticks);
}

/* Because reads of the clock took so long. */
static bool beat_due(const struct play *play)
{
	return play->player.beat_every &&
	       (int64_t)(virtual_clock.now - play->player.beat_next) >= 0;
}

void play_event(struct play *play)
{
	if (beat_due(play))
		play_beat(play);
	player_event(&play->player);
}

/* A state of the writer's random sequence whose next value ends in `extra`. */
static uint64_t pad_state(uint32_t extra)
{
	static uint64_t states[PAD_MOST + 1];
	uint64_t seed, state;

	for (seed = 1; !states[extra]; seed++) {
		state = seed * PAD_SEED;
		if (next_random(&state) % (PAD_MOST + 1) == extra)
			states[extra] = seed * PAD_SEED;
	}
	return states[extra];
}

void play_event_of(struct play *play, uint32_t extra)
{
	struct writer *writer = &play->buffer.writer;

	assert_true(extra <= PAD_MOST);
	play->check.payload_most = play->driver->payload_bytes + PAD_MOST;
	if (beat_due(play))
		play_beat(play);
	writer->random = pad_state(extra);
	writer->random_extra = true;
	writer->extra_bytes = PAD_MOST;
	play->driver->run(play->buffer.scheme, writer, 1);
	writer->extra_bytes = play->stage.extra_bytes;
	writer->random_extra = play->stage.extra_bytes;
}

uint32_t play_room(const struct play *play)
{
	const struct ring *ring = buffer_ring(&play->buffer);

	if (ring_tail_is_numbered(ring))
		return (uint32_t)(ring_subbuf_bytes(ring) - ring_tail_index(ring->tail));
	if (ring_tail_is_packed(ring))
		return (uint32_t)ring_room(ring, ring_packed_offset(ring, ring->tail));
	return (uint32_t)ring_room(ring, ring->tail);
}

void play_drain(struct play *play)
{
	void (*hook)(void *arg, const char *label) = points.hook;

	points.hook = NULL;
	buffer_drain(&play->buffer, &play->check);
	points.hook = hook;
}

/* ---- judging ---- */

void play_end(struct play *play)
{
	struct judge_given given;
	struct judgement judgement;

	points.hook = NULL;
	player_look(&play->player);
	given = (struct judge_given){
		.beat_worst_ticks = play->player.beat_worst,
		.nested = play->interrupts,
		.equal_stamps = !play->stage.step,
	};
	buffer_drain(&play->buffer, &play->check);
	judge_totals(&play->buffer, &play->check, &given, &play->totals);
	judge_ring(buffer_ring(&play->buffer), &play->check, &play->totals, &given, &judgement);
	play->unmet |= judgement.unmet;
}

uint64_t play_written(const struct play *play)
{
	uint64_t written = 0;
	unsigned int context;

	for (context = 0; context < CONTEXTS; context++)
		written += play->totals.written[context];
	return written;
}

bool play_kept(const struct play *play, uint32_t excused_oracles)
{
	const struct check *check = &play->check;
	unsigned int oracle, bit;
	enum verdict verdict;

	/* Everybody owes these, in all circumstances but one. */
	for (oracle = ORACLE_CONSERVATION; oracle < ORACLES; oracle++)
		if (check->violations[oracle] && !(excused_oracles >> oracle & 1) &&
		    !(play->unmet & NEED_MASKED_INTERRUPTS))
			return false;
	for (bit = 1; bit & PROMISES; bit <<= 1) {
		verdict = check_promise(check, (enum scheme_promise)bit,
					buffer_ring(&play->buffer)->stuck, play->unmet);
		if (verdict == VERDICT_BROKEN)
			return false;
		if (play->driver->desc->promises & bit ? verdict == VERDICT_NOT_PROMISED :
							 verdict != VERDICT_NOT_PROMISED)
			return false;
	}
	return true;
}

static void say_stage(const struct play *play)
{
	const struct stage *stage = &play->stage;
	const struct plan *plan = &play->plan;

	fprintf(stderr,
		"row %s, %s\n"
		"  T = %u, sub-buffers of 2^%u, 2^%u of them, %s, clock from %" PRIu64
		" by %" PRIu64 ", extra %u, high ids every %u\n"
		"  at calls %u (%s) and %u (%s): %s, burst %u, jump %" PRIu64 " before, %" PRIu64
		" after\n"
		"  %u interrupts came, %" PRIu64
		" ticks at most without a beat, needs not met %#x\n",
		play->driver->row, play->what, play->check.stamp_bits, stage->subbuf_shift,
		stage->count_shift, stage->mode == RING_DISCARD ? "discard" : "overwrite",
		stage->now, stage->step, stage->extra_bytes, stage->high_every, plan->at[0],
		play->labels[0], plan->at[1], play->labels[1],
		plan->nested == NESTED_EVENT ? "event" :
		plan->nested == NESTED_BEAT  ? "beat" :
					       "time",
		plan->burst, plan->jump_before, plan->jump_after, play->interrupts,
		play->player.beat_worst, play->unmet);
}

void play_assert_kept(struct play *play, uint32_t excused_oracles)
{
	const struct check *check = &play->check;
	unsigned int oracle;

	if (play_kept(play, excused_oracles))
		return;
	say_stage(play);
	for (oracle = 0; oracle < ORACLES; oracle++) {
		if (!check->violations[oracle])
			continue;
		fprintf(stderr, "  %s, %" PRIu64 " times, first: %s\n", check_oracle_name(oracle),
			check->violations[oracle], check->first[oracle].text);
		play->driver->show(stderr, play->buffer.scheme, &check->first[oracle], 3);
	}
	fprintf(stderr,
		"  %" PRIu64 " events, %" PRIu64 " extended of %" PRIu64 " needed, %" PRIu64
		" inexact, %" PRIu64 " nested, %" PRIu64 " stuck\n",
		check->events, check->extended, check->needed, check->inexact, play->totals.nested,
		buffer_ring(&play->buffer)->stuck);
	fail_msg("%s: not all promises kept", play->driver->row);
}
