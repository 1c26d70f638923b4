// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "three_read", .gap = 1ull << 28, .events = 1000 };
	struct seen three, one;

	(void)lab;
	if (!lab_play(&scene, &three))
		return;
	scene.row = "extended_header";
	if (lab_play(&scene, &one))
		claim_say(result, claim_judge(three.most_reads == 3 && one.most_reads == 1),
			  "%llu at most, %.3f on average; %llu with the extended header",
			  (unsigned long long)three.most_reads, (double)three.clock_reads / 1000,
			  (unsigned long long)one.most_reads);
}

CLAIM(20081009_3_reads) = {
	.text = "an event of its own for the overflow takes 3 TSC reads instead of a single one",
	.where = LTT_2008,
	.how = "three_read and extended_header on the virtual clock, a gap of two wraps before "
		"each event: clock reads of an event",
	.test = test,
};
