// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	static const uint64_t beats[] = { 10, 2, 1 };
	struct scene scene = { .row = "heartbeat", .bits = 16, .gap = 1 << 12, .events = 8192 };
	struct seen seen[3];
	unsigned int i;

	(void)lab;
	for (i = 0; i < 3; i++) {
		/* A beat takes a few reads: once per wrap is a little earlier. */
		scene.beat_every = (1u << 16) / beats[i] - 16;
		if (!lab_play(&scene, &seen[i]))
			return;
	}
	claim_say(result, seen_wrong(&seen[0]) ? CLAIM_REFUTED : CLAIM_HOLDS,
		  "wrong stamps with 10, 2, 1 beats per wrap: %llu, %llu, %llu of %llu: 10 are a margin",
		  (unsigned long long)seen_wrong(&seen[0]), (unsigned long long)seen_wrong(&seen[1]),
		  (unsigned long long)seen_wrong(&seen[2]),
		  (unsigned long long)seen[0].check.events);
}

CLAIM(20060301_ten_beats) = {
	.text = "10 heartbeats per wrap of 32 bits are typical",
	.where = NOTE_2006,
	.how = "heartbeat with 16 bits on the virtual clock: which share of wraps is enough, "
		"10, 2 or 1 beats per wrap",
	.test = test,
};
