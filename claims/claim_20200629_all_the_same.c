// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct scene scene = { .row = "zero_delta", .events = 20000, .gap = 1000, .jump = 100,
				     .interrupts = SCENE_INTERRUPTED };
	struct seen seen;

	(void)lab;
	if (lab_play(&scene, &seen) && seen.nested)
		claim_say(result, !seen.check.inexact ? CLAIM_REFUTED :
			  seen.check.inexact < seen.nested ? CLAIM_CONDITION : CLAIM_HOLDS,
			  "%llu stamps repeat the time before them, for %llu interruptions",
			  (unsigned long long)seen.check.inexact, (unsigned long long)seen.nested);
}

CLAIM(20200629_all_the_same) = {
	.text = "events that interrupt a recording all get the same time",
	.where = KERNEL_2020,
	.how = "zero_delta on the virtual clock, each event interrupted at each of its points: "
		"stamps that are declared to repeat a time",
	.test = test,
};
