// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "three_read", .step = 3ull << 26, .events = 64 };
	struct seen three, one;

	(void)lab;
	if (!lab_play(&scene, &three))
		return;
	scene.row = "extended_header";
	if (lab_play(&scene, &one))
		claim_say(result, claim_judge(three.stuck > 0 && !one.stuck),
			  "%llu of 64 events given up after %llu clock reads; extended header: %llu given "
			  "up, %llu reads", (unsigned long long)three.stuck,
			  (unsigned long long)three.most_reads, (unsigned long long)one.stuck,
			  (unsigned long long)one.most_reads);
}

CLAIM(20081009_infinite_loop) = {
	.text = "it loops without end if a TSC read is slower than a 27-bit overflow",
	.where = LTT_2008,
	.how = "three_read and extended_header on a virtual clock that takes a wrap and a half "
		"per read",
	.test = test,
};
