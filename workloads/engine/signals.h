/* SPDX-License-Identifier: MIT */
/*
 * The storm: what interrupts a thread while it records. Levels 1 and 2 come from a sender, which
 * has a CPU of its own, level 3 and the beat from timers of the thread; all levels from timers
 * where no CPU is left. All workloads share this one storm.
 */
#pragma once

#include "judge/driver.h"
#include "runner/place/place.h"
#include "workloads/engine/interrupts.h"

/* Period of level 1 by a sender, at a stretch of 1. */
#define STORM_LEVEL_1_NS 12000u

struct signals {
	struct interrupts interrupts; /* its owner sets handle and arg */
	struct interrupt_sender sender;
	unsigned int levels;
	bool sent; /* there is a sender */
	double stretch; /* of all periods: 2 is half as many signals */
};

/* Events of a level's `turn`th handler: one to four, now and then many, for others to nest in. */
static inline uint64_t storm_events(uint64_t turn)
{
	return turn % 8 ? 1 + turn % 4 : 64;
}

/*
 * Starts the storm on the calling thread, which is attached, or goes on with it at another stretch.
 * An exit code.
 */
int signals_storm(struct signals *signals);

/* Beats, if the row needs any, for a short field of `stamp_bits`. An exit code. */
int signals_beat(struct signals *signals, const struct driver *driver, uint32_t stamp_bits);

/* The sender may begin, and has to end. */
void signals_target(struct signals *signals);
void signals_end(struct signals *signals);

/* The calling thread is the sender, on `pu`, until the end or for `seconds`. An exit code. */
int signals_send(struct signals *signals, const struct place *place, unsigned int pu,
		 double seconds);
