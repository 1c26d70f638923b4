// SPDX-License-Identifier: MIT
#include "claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct scene scene = { .row = "extended_header_msb32", .bits = 12, .events = 20000,
				     .gap = 1 << 10, .jump = 1 << 11,
				     .interrupts = SCENE_INTERRUPTED };
	struct seen seen;

	(void)lab;
	if (lab_play(&scene, &seen) && seen.nested)
		claim_say(result, claim_judge(!seen_wrong(&seen) &&
					      seen.check.extended >= seen.check.needed),
			  "%llu stamps wrong, %llu full stamps beyond the %llu needed, in %llu events",
			  (unsigned long long)seen_wrong(&seen),
			  (unsigned long long)(seen.check.extended - seen.check.needed),
			  (unsigned long long)seen.check.needed,
			  (unsigned long long)seen.check.events);
}

CLAIM(20080925_correct_race) = {
	.text = "a race could only result in a full TSC that is not needed, never in a missing "
		"one",
	.where = LKML_2008,
	.how = "extended_header_msb32 with 12 bits on the virtual clock, each event "
		"interrupted at each of its points, wraps before and after",
	.test = test,
};
