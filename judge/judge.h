/* SPDX-License-Identifier: MIT */
/*
 * The one judge, of every ring and every build: it asks all oracles about the ring, finds out which
 * needs the run did not meet, and gives the verdict.
 *
 * A need that was not met excuses only objections that it causes. A late beat, or a clock that
 * gives a value twice or goes back, excuses wrong times, never a record that is lost, torn,
 * misnamed or wasted; a clock that goes back also excuses more extensions than stamps need. A row
 * that promises STEP_PROOF owes right stamps and no needless extensions even then. A nested writer
 * where interrupts had to be masked excuses times and extensions, and all else only of a row that
 * does not reject such writers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "judge/buffer.h"
#include "judge/check.h"

/* The conditions that the run gave the scheme, measured by the run and not by the scheme. */
struct judge_given {
	uint64_t beat_worst_ticks; /* longest time without a beat */
	bool nested; /* a writer came into another one */
	bool equal_stamps; /* the clock gave a value twice */
	uint64_t steps; /* times that the clock went back */
	uint64_t gap_ticks; /* longest that it jumped ahead */
	bool ample; /* nothing that the run did can fill the ring: no event may be lost */
	uint64_t began; /* of the timed build: the clock before the first event */
};

struct judgement {
	enum verdict verdict;
	uint32_t unmet; /* enum scheme_need */
	uint32_t excused; /* mask of oracles that object because of these */
	const char *text; /* the first objection that is not excused; NULL: none, or only stuck */
};

/* Ticks from one stamp to the next that are too many for the row, as it says; 0: none are. */
uint64_t judge_gap_bound(const struct scheme_desc *desc, uint32_t stamp_bits);

/* Are these? */
bool judge_gap_beyond(const struct scheme_desc *desc, uint32_t stamp_bits, uint64_t ticks);

/* Needs of `desc` with a short field of `stamp_bits` that were not met. */
uint32_t judge_unmet(const struct scheme_desc *desc, uint32_t stamp_bits,
		     const struct judge_given *given);

/* Oracles whose objections to a row `unmet` needs excuse. */
uint32_t judge_excused(const struct scheme_desc *desc, uint32_t unmet);

/* The counts of `buffer`'s writers and of its ring; nothing may be writing. */
void judge_totals(const struct buffer *buffer, const struct check *check,
		  const struct judge_given *given, struct check_totals *totals);

/*
 * Judges what was drained into `check` from `ring`, whose writers counted `totals` (filled in here:
 * what the ring itself counts). Call once, with everything drained and no writer active.
 */
void judge_ring(const struct ring *ring, struct check *check, struct check_totals *totals,
		const struct judge_given *given, struct judgement *judgement);

/* Drains `buffer`, takes its totals and judges them. */
void judge_buffer(struct buffer *buffer, struct check *check, const struct judge_given *given,
		  struct judgement *judgement);

/*
 * Of writers of several CPUs, in discard mode: events that `ring` lost since its last drain, when
 * it had lost `lost_before`, were lost because it was full; so it must still be full. Call before
 * it is drained again.
 */
void judge_full(const struct ring *ring, uint64_t lost_before, struct check *check);

/* The verdict on `check` as it is now: some objections were put aside, or several were merged. */
void judge_again(const struct check *check, uint64_t stuck, struct judgement *judgement);
