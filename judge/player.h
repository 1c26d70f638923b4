/* SPDX-License-Identifier: MIT */
/*
 * A row of the counting build on the virtual clock: time goes by, and beats come when they are due.
 * The one player of counts, claims and tests; the explorer does not use it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "judge/buffer.h"

/* A row on the virtual clock, and the times of its beats. */
struct player {
	struct buffer *buffer;
	uint64_t beat_every; /* ticks from the begin of a beat to the next; 0: no beats */
	uint64_t beat_next; /* when it is due */
	uint64_t beats; /* so far */
	uint64_t beat_latest; /* the begin of the latest, or of playing */
	uint64_t beat_worst; /* ticks, the longest time without a beat, by player_look() */
	bool beating;
	/* Around each beat; may be NULL. */
	void (*around)(void *arg, bool begins);
	void *arg;
};

/* Starts the virtual clock at `now`, with `step` ticks per read, and the counts of points at 0. */
void player_clock(uint64_t now, uint64_t step);

/* Ticks between beats of this row at `stamp_bits`, with a clock of `hz`; 0 if it needs none. */
uint64_t player_every(const struct driver *driver, uint32_t stamp_bits, double hz);

/* From now on; the first beat is due after `beat_every`. */
void player_begin(struct player *player, struct buffer *buffer, uint64_t beat_every);

/* A beat, due or not. */
void player_beat(struct player *player);

/* One event of the task, now. */
void player_event(struct player *player);

/* Lets time pass to `until`, with all beats of the `count` players in their order; never back. */
void player_until(struct player *players, unsigned int count, uint64_t until);

/* The same for one, by `ticks`. */
void player_pass(struct player *player, uint64_t ticks);

/* Takes the time since the latest beat into beat_worst. */
void player_look(struct player *player);
