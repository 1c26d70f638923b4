// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "heartbeat", .bits = 16, .gap = 1 << 14 };
	struct seen early, late;

	(void)lab;
	scene.beat_every = 9 * (1u << 16) / 10;
	if (!lab_play(&scene, &early))
		return;
	scene.beat_every = 3 * (1u << 16) / 2;
	scene.gap = 5u << 14;
	if (lab_play(&scene, &late))
		claim_say(result, seen_wrong(&early) ? CLAIM_REFUTED :
			  seen_wrong(&late) ? CLAIM_CONDITION : CLAIM_HOLDS,
			  "a beat within a wrap: %llu of %llu stamps wrong; a beat and events further "
			  "apart: %llu of %llu",
			  (unsigned long long)seen_wrong(&early),
			  (unsigned long long)early.check.events,
			  (unsigned long long)seen_wrong(&late),
			  (unsigned long long)late.check.events);
}

CLAIM(20060301_heartbeat_detects) = {
	.text = "wraps are detectable by a heartbeat timer",
	.where = NOTE_2006,
	.how = "heartbeat with 16 bits on the virtual clock: 4,096 events 1/4 wrap apart, a "
		"beat every 0.9 and every 1.5 wraps",
	.test = test,
};
