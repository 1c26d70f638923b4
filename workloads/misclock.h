/* SPDX-License-Identifier: MIT */
/*
 * A row under a clock that misbehaves, played on the virtual clock: which times are read wrong, by
 * how much at worst, and until when.
 */
#pragma once

#include <stdint.h>

#include "judge/driver.h"

/* What the clock does. */
enum misclock {
	MISCLOCK_BETWEEN, /* goes back between two events */
	MISCLOCK_RESERVE, /* goes back inside an event, at any of its labelled points */
	MISCLOCK_NESTED, /* the same inside an event that interrupts one */
	MISCLOCK_OFTEN, /* goes back before every MISCLOCK_EVERY-th event */
	MISCLOCK_OLDER, /* an event that interrupts one reads an older clock */
	MISCLOCK_STOPPED, /* stands still for MISCLOCK_STILL events, then goes on */
	MISCLOCK_AHEAD, /* jumps ahead, and no beat comes meanwhile */
	MISCLOCK_RATE, /* from event to event it may run 1000 times as fast, or as slow */
	MISCLOCK_TRACED, /* each read of it records an event, whose own reads do not */
	MISCLOCKS,
};

#define MISCLOCK_EVERY 50
#define MISCLOCK_STILL 100
#define MISCLOCK_READS_MOST 1000 /* of one event, where the clock is traced: it would not end */

extern const struct misclock_words {
	const char *name, *text; /* as the record has it, and in words */
} misclock_words[MISCLOCKS];

struct misclock_result {
	uint64_t events; /* read */
	uint64_t steps; /* times that the clock went back */
	uint64_t interrupts; /* events that came into others */
	uint64_t ticks; /* by the clock from the first event to the last, of all plays */
	struct check_damage damage;
	uint64_t inexact; /* declared so */
	uint64_t extended;
	uint64_t lost;
	uint64_t reads_most; /* of the clock by one event and those that it brought about */
	enum verdict verdict; /* the worst of all plays */
	const char *objection; /* of a broken one */
};

/*
 * `plays` plays of a counting build's row from random places, the clock misbehaving by `ticks` in
 * each. `hz`: of the clock, for the beats. Negative errno, after a line on stderr.
 */
int misclock_play(const struct driver *driver, enum misclock kind, uint64_t ticks, double hz,
		  unsigned int plays, uint64_t seed, struct misclock_result *result);
