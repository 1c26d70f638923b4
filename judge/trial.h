/* SPDX-License-Identifier: MIT */
/*
 * The trial of a row: cheap and decisive cases, played on the virtual clock before a run gives a
 * verdict. A storm meets what a clock and a machine happen to do in some seconds; it does not see a
 * field that is too narrow for the gap of a weekend.
 *
 *   gaps        events 2^k - 1, 2^k and 2^k + 1 ticks apart, from a wrap to the most that the row
 *               says it can tell, at the row's own width
 *   interrupts  a nested writer at each stop of an event that opens a sub-buffer, follows at once,
 *               or follows a wrap later, and one between two events; with and without a wrap before
 *               and after it
 *   slow        a clock whose every read takes a wrap and more
 *   steps       a clock that goes back, of rows that promise STEP_PROOF
 *   timed       gaps, interrupts at clock reads, and steps, in the code that is timed: its reads of
 *               the clock are trapped (trapped.h)
 *   cheap       gaps and steps in the code that is timed with the cheap clock
 *
 * All but the last two play the counting build. A row has one trial in a process; it takes some
 * milliseconds. STAMPEDE_TRIALS in the environment names the kinds to play, to see what a verdict
 * is worth without the others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "judge/check.h"
#include "judge/driver.h"

enum trial_kind {
	TRIAL_GAPS,
	TRIAL_CORNERS,
	TRIAL_INTERRUPTS,
	TRIAL_SLOW,
	TRIAL_STEPS,
	TRIAL_TIMED,
	TRIAL_CHEAP,
	TRIAL_KINDS,
};

struct row_trial {
	/* Of plays of the counting build, and of the two timed ones; without what needs excuse. */
	struct check check, timed;
	uint64_t stuck;
	uint64_t events[TRIAL_KINDS]; /* judged; 0: the kind was not played */
	char why[192]; /* the first objection, and what was played; "" if none */
};

/*
 * The trial of the row of `driver`, whatever its build; NULL without memory, or where the row
 * cannot run. Not to be called while other threads record, or with a timer running: it takes
 * SIGSEGV and the virtual clock.
 */
const struct row_trial *trial_of(const struct driver *driver);

/* The same of any three builds, one row or not, into `trial`. False: no memory. */
bool trial_play(struct row_trial *trial, const struct driver *counting, const struct driver *timed,
		const struct driver *cheap);

const char *trial_kind_name(enum trial_kind kind);
