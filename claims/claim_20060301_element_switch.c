// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct scene scene = { .row = "heartbeat", .bits = 12, .gap = 1 << 8, .events = 20000,
				     .interrupts = SCENE_BEATS_INTERRUPTED };
	struct seen seen;

	(void)lab;
	if (lab_play(&scene, &seen) && seen.nested)
		claim_say(result, claim_judge(!seen_wrong(&seen) &&
					      !seen.check.violations[ORACLE_MONOTONIC]),
			  "%llu beats interrupted, %llu stamps wrong (index, slot, counter read in this "
			  "order, and checked)",
			  (unsigned long long)seen.nested, (unsigned long long)seen_wrong(&seen));
}

CLAIM(20060301_element_switch) = {
	.text = "two elements and an atomic switch of the current one: with one writer no "
		"locking problem",
	.where = NOTE_2006,
	.how = "heartbeat on the virtual clock, each beat interrupted at each of its points by "
		"a writer that reads the synthetic clock",
	.test = test,
};
