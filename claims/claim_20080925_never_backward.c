// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct scene scene = { .row = "extended_header", .events = 20000, .gap = 1 << 20,
				     .interrupts = SCENE_INTERRUPTED };
	struct explored printed;
	struct seen seen;

	if (!lab_explore(lab, "seed_001", "--shape page --events 2 --nested 2 --jumps 1 --before 1",
			 &printed, result) ||
	    !lab_play(&scene, &seen) || !seen.nested)
		return;
	claim_say(result, claim_judge(!seen.check.violations[ORACLE_MONOTONIC] &&
				      !printed.objections[ORACLE_MONOTONIC]),
		  "as printed, times go back in %" PRIu64 " of %" PRIu64 " schedules (in %" PRIu64
		  " some are wrong); repaired, %" PRIu64
		  " times back in %" PRIu64 " events, %" PRIu64 " of them nested",
		  printed.objections[ORACLE_MONOTONIC], printed.schedules,
		  printed.objections[ORACLE_EXACT], seen.check.violations[ORACLE_MONOTONIC],
		  seen.check.events, seen.nested);
}

CLAIM(20080925_never_backward) = {
	.text = "cmpxchg ties clock and space together: timestamps never go backward in a "
		"buffer",
	.where = LKML_2008,
	.how = "as printed, in the explorer (history seed_001: two events, two interrupts, a jump of "
		"the clock); repaired, extended_header on the virtual clock, each event interrupted at "
		"each of its points",
	.test = test,
};
