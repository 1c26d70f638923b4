// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct scene scene = { .row = "full_tsc", .gap = 5ull << 30, .events = 2000 };
	struct seen seen;

	(void)lab;
	if (lab_play(&scene, &seen))
		claim_say(result, claim_judge(!seen_wrong(&seen)), "%llu of %llu stamps wrong, %.0f header "
			  "bytes each", (unsigned long long)seen_wrong(&seen),
			  (unsigned long long)seen.check.events,
			  (double)seen.check.header_bytes / (double)seen.check.events);
}

CLAIM(20070312_full_needs_no_beat) = {
	.text = "a full 64-bit TSC in the header is useful when no heartbeat is available",
	.where = NOTE_2007,
	.how = "full_tsc on the virtual clock without a beat, gaps of more than a wrap of 32 "
		"bits",
	.test = test,
};
