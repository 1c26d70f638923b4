// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "extended_header", .events = 200 };
	uint64_t wrong = 0, events = 0, wraps;
	struct seen seen;

	(void)lab;
	for (wraps = 0; wraps <= 40; wraps++) {
		scene.gap = (wraps << 27) + (9ull << 27) / 10;
		if (!lab_play(&scene, &seen))
			return;
		wrong += seen_wrong(&seen);
		events += seen.check.events;
	}
	claim_say(result, claim_judge(!wrong), "%llu of %llu stamps wrong", (unsigned long long)wrong,
		  (unsigned long long)events);
}

CLAIM(20080925_no_heartbeat) = {
	.text = "with the extended header the heartbeat can be removed",
	.where = LKML_2008,
	.how = "extended_header on the virtual clock without a beat, gaps of 0.9 to 40.9 wraps",
	.test = test,
};
