// SPDX-License-Identifier: MIT
#include "claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct scene scene = { .row = "extended_header", .events = 20000, .gap = 1 << 20,
				     .interrupts = SCENE_INTERRUPTED };
	struct seen seen;

	(void)lab;
	if (lab_play(&scene, &seen) && seen.nested)
		claim_say(result, claim_judge(!seen.check.violations[ORACLE_MONOTONIC]),
			  "%llu times back in %llu events, %llu of them nested",
			  (unsigned long long)seen.check.violations[ORACLE_MONOTONIC],
			  (unsigned long long)seen.check.events, (unsigned long long)seen.nested);
}

CLAIM(20080925_never_backward) = {
	.text = "cmpxchg ties clock and space together: timestamps never go backward in a "
		"buffer",
	.where = LKML_2008,
	.how = "extended_header on the virtual clock, each event interrupted at each of its "
		"points",
	.test = test,
};
