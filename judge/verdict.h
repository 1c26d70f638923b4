/* SPDX-License-Identifier: MIT */
/*
 * The verdicts of a run on a row and on each of its promises; every program and page takes these
 * words from here.
 *
 *   broken            an oracle objected
 *   need not met      an oracle objected, and the run had not given the row what it needs
 *   not tried         none objected, and none could have: nothing that was judged can break it
 *   not stormed       (of a row) kept so far; no signal interrupted it, or it recorded nothing
 *   not explored      (of a row) kept so far; the explorer has not searched this source
 *   declared inexact  kept; some stamps were inexact, as the row declares
 *   kept              tried, and no oracle objected
 *   not promised      (of a promise) the row does not make it
 *   no promise        (of a row) the row makes none about times
 *
 * The run's own events and the trial of its row (trial.h) try a promise: times, by events of which
 * interrupts recorded some, unless the row needs them masked; WRAP_PROOF, by gaps of every size
 * that the row tells apart; BOUNDED, by a clock whose every read takes a wrap; STEP_PROOF, by
 * stamps that are older than the previous one.
 */
#pragma once

#include <stdint.h>

#include "judge/check.h"
#include "judge/trial.h"

/*
 * The evidence on a row: what a run judged, and its trial, which may be NULL. Objections that a
 * need excuses are in neither.
 */
struct evidence {
	const struct check *check; /* NULL: nothing but the trial */
	uint64_t stuck; /* events that the row gave up in the run */
	uint32_t unmet; /* needs that the run did not meet (enum scheme_need) */
	const struct row_trial *trial;
	enum verdict explored; /* of the row's source (known.h); VERDICT_KEPT too if not asked */
};

/* How often a breach of `promise` could have been seen. */
uint64_t verdict_tries(const struct evidence *evidence, enum scheme_promise promise);

enum verdict verdict_of_promise(const struct evidence *evidence, enum scheme_promise promise);

/* `oracles` is what was said of the run's own events, by judge_again() or stricter. */
enum verdict verdict_of_row(const struct evidence *evidence, enum verdict oracles);

/* The worse of two words for the same row: broken, need not met, not tried, inexact, kept. */
enum verdict verdict_worse(enum verdict a, enum verdict b);
