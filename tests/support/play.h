/* SPDX-License-Identifier: MIT */
/*
 * For tests of rows: plays a row of the counting build on the virtual clock. Beats come as late as
 * the row allows, nested writers at the points that a plan names, and the oracles judge the end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "judge/judge.h"
#include "schemes/core/points.h"
#include "judge/player.h"

/* What happens at a point. */
enum nested {
	NESTED_EVENT, /* an interrupt records an event */
	NESTED_BEAT, /* the beat comes */
	NESTED_TIME, /* an interrupt records nothing and takes its time */
};

/* Who interrupts the writers. */
struct plan {
	unsigned int at[2]; /* at these calls of the hook, counted from 1; 0: never */
	enum nested nested;
	unsigned int burst; /* so many in a row; 0 is 1 */
	uint64_t jump_before; /* ticks that pass before each of them */
	uint64_t jump_after;
};

/* Where and on which clock. */
struct stage {
	uint32_t bits; /* T */
	uint32_t subbuf_shift;
	uint32_t count_shift;
	enum ring_mode mode;
	uint64_t now; /* the clock at the start */
	uint64_t step; /* ticks per read */
	uint32_t extra_bytes; /* payload 0..N, at random; 0: none */
	uint32_t high_every; /* one event in so many has a high id */
	/* of a row that needs the beat */
	bool no_beats; /* it does not get it */
	uint32_t beats_per_wrap; /* 0: as late as may be */
};

struct play {
	const struct driver *driver;
	struct buffer buffer;
	struct stage stage;
	struct check check;
	struct check_totals totals;
	struct plan plan;

	unsigned int calls; /* of the hook */
	const char *labels[2]; /* of the points that plan.at names */
	unsigned int depth; /* of nested writers */
	unsigned int interrupts; /* that came */
	bool masks; /* the row blocks signals: its interrupts have to be signals */
	struct player player;
	uint32_t unmet; /* needs, at the end */
	char what[256]; /* what is being played, for whoever has to repeat it */
};

/*
 * All rows of the counting build that this machine can run; NULL-ended. Not those that promise
 * something, but no times: what they do is in test_worked.c.
 */
const struct driver *const *play_rows(void);

static inline bool promises(const struct driver *driver, uint32_t promise)
{
	return driver->desc->promises & promise;
}

static inline bool needs(const struct driver *driver, uint32_t need)
{
	return driver->desc->needs & need;
}

/* Memory for rings of up to 2^`bytes_shift` bytes; finds out whether the row blocks signals. */
void play_open(struct play *play, const struct driver *driver, uint32_t bytes_shift);
void play_close(struct play *play);

/* Widths T at which the row is played: 3, 8, 16, 27 and its own. Ends with 0. */
const uint32_t *play_bits(const struct driver *driver);

/* An empty ring; no plan. */
void play_start(struct play *play, const struct stage *stage);

/* From now on, and until play_end(), `plan` is followed. */
void play_plan(struct play *play, const struct plan *plan);

/* Lets time pass, with beats in it; the last of them leaves at most `ticks` without one. */
void play_pass(struct play *play, uint64_t ticks);

/* One event of the task, with a beat before it if it is due. */
void play_event(struct play *play);

/* One event with exactly `extra` bytes of filler, at most 511. */
void play_event_of(struct play *play, uint32_t extra);

/* The beat, as the row needs it or, at any time, as a test wants it. */
void play_beat(struct play *play);

/* Bytes left in the open sub-buffer. */
uint32_t play_room(const struct play *play);

/* Reads what there is, and goes on. */
void play_drain(struct play *play);

/* The end: drains and judges all. */
void play_end(struct play *play);

/* Events that all contexts wrote, after play_end(). */
uint64_t play_written(const struct play *play);

/* True if the row kept all that it promises, but for needs that were not met. */
bool play_kept(const struct play *play, uint32_t excused_oracles);

/* Fails the test, after the first violation among its neighbours, unless play_kept(). */
void play_assert_kept(struct play *play, uint32_t excused_oracles);
