/* SPDX-License-Identifier: MIT */
/*
 * Audits stops.py: does every instruction of the writers have its stop? The plain copy is
 * single-stepped (EFLAGS.TF), and each instruction that the CPU executes there is compared with the
 * stops that the copy with stops reaches in the same schedule.
 */
#ifndef STAMPEDE_EXPLORE_FAMILY_AUDIT_H
#define STAMPEDE_EXPLORE_FAMILY_AUDIT_H

#include "explore/engine/search.h"

struct audit {
	uint64_t schedules; /* without an interrupt, and with one at each instruction */
	uint64_t instructions; /* stepped over in the writers, all schedules */
	uint64_t stops; /* visited in the same schedules */
	uint64_t sites; /* instructions of the writers that at least one schedule reached */
	uint64_t different; /* schedules in which the two are not the same, one by one */
	uint64_t unseen; /* instructions outside of the writers that are not the engine's either */
	char first[512]; /* the first difference in words */
};

/*
 * Audits the loaded row: `start` and the budget's events; one interrupt of each kind at each
 * instruction. Needs an object with stops. 0, or negative errno after a line on stderr; -ENOTSUP
 * where there is no single-stepping.
 */
int audit_row(const struct world_start *start, const struct budget *budget, struct audit *audit);

#endif
