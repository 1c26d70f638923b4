// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct scene scene = { .row = "extended_header_msb32", .bits = 12, .events = 20000,
				     .gap = 1 << 10, .jump = 1 << 11,
				     .interrupts = SCENE_INTERRUPTED };
	struct explored printed, flag;
	struct seen seen;

	if (!lab_explore(lab, "seed_001", NULL, &printed, result) ||
	    !lab_explore(lab, "seed_001_flag", NULL, &flag, result) || !lab_play(&scene, &seen) ||
	    !seen.nested)
		return;
	claim_say(result, seen_wrong(&seen) || seen.check.extended < seen.check.needed ?
			  CLAIM_REFUTED : printed.broken || flag.broken ? CLAIM_CONDITION :
			  CLAIM_HOLDS,
		  "as printed %" PRIu64 " of %" PRIu64 " schedules lack one, and with the shift of 27 "
		  "that is meant %" PRIu64 " of %" PRIu64 " put it where no room is claimed; with the "
		  "decision made anew on each retry %" PRIu64 " stamps wrong, %" PRIu64
		  " full ones beyond the %" PRIu64 " needed, in %" PRIu64 " events",
		  printed.objections[ORACLE_EXACT], printed.schedules,
		  flag.objections[ORACLE_STRUCTURE], flag.schedules, seen_wrong(&seen),
		  seen.check.extended - seen.check.needed, seen.check.needed, seen.check.events);
}

CLAIM(20080925_correct_race) = {
	.text = "a race could only result in a full TSC that is not needed, never in a missing "
		"one",
	.where = LKML_2008,
	.how = "as printed, in the explorer (history seed_001 and seed_001_flag); repaired, "
		"extended_header_msb32 with 12 bits on the virtual clock, each event interrupted at "
		"each of its points, wraps before and after",
	.test = test,
};
