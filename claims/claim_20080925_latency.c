// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "heartbeat_compact", .gap = 3ull << 26,
			       .beat_every = 3ull << 26, .events = 1000 };
	struct seen beaten, extended;

	(void)lab;
	if (!lab_play(&scene, &beaten))
		return;
	scene.row = "extended_header";
	scene.beat_every = SCENE_NO_BEAT;
	if (lab_play(&scene, &extended))
		claim_say(result, claim_judge(seen_wrong(&beaten) > 0), "%llu of %llu stamps wrong, %llu "
			  "whole wraps lost; with extended headers %llu of %llu wrong",
			  (unsigned long long)seen_wrong(&beaten),
			  (unsigned long long)beaten.check.events,
			  (unsigned long long)beaten.check.wraps_lost,
			  (unsigned long long)seen_wrong(&extended),
			  (unsigned long long)extended.check.events);
}

CLAIM(20080925_latency) = {
	.text = "a heartbeat is only correct if no interrupt latency is longer than a wrap",
	.where = LKML_2008,
	.how = "heartbeat_compact on the virtual clock, one beat late by 1.5 wraps; "
		"extended_header with no beat",
	.test = test,
};
