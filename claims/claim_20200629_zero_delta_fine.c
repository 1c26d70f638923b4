// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct scene scene = { .row = "nested_stamps", .events = 20000, .gap = 1000, .jump = 100,
				     .interrupts = SCENE_INTERRUPTED };
	struct seen seen;

	(void)lab;
	if (lab_play(&scene, &seen) && seen.nested)
		claim_say(result, claim_judge(!seen.check.violations[ORACLE_WINDOW] &&
					      !seen.check.violations[ORACLE_MONOTONIC]),
			  "%llu zero deltas for %llu interruptions, off by up to %llu ticks, %llu outside their "
			  "own reserve, %llu back", (unsigned long long)seen.check.inexact,
			  (unsigned long long)seen.nested, (unsigned long long)seen.check.worst_error,
			  (unsigned long long)seen.check.violations[ORACLE_WINDOW],
			  (unsigned long long)seen.check.violations[ORACLE_MONOTONIC]);
}

CLAIM(20200629_zero_delta_fine) = {
	.text = "if others came in after the claim, a zero delta is fine",
	.where = KERNEL_2020,
	.how = "nested_stamps on the virtual clock, each event interrupted at each of its "
		"points: stamps declared inexact, and whether they stay within their event",
	.test = test,
};
