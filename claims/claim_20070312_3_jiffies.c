// SPDX-License-Identifier: MIT
#include "claims/claims.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "heartbeat_compact", .events = 400 };
	double delay_ms;
	struct seen seen;

	(void)lab;
	for (delay_ms = 0; delay_ms <= 10; delay_ms += 0.5) {
		scene.beat_every = (uint64_t)((30 + delay_ms) * 4e6);
		scene.gap = scene.beat_every + 1;
		if (!lab_play(&scene, &seen))
			return;
		if (seen_wrong(&seen))
			break;
	}
	claim_say(result, claim_judge(delay_ms <= 10), "a delay of %.1f ms is the first that loses wraps "
		  "(%llu of %llu stamps); %.2f ms are left by the arithmetic", delay_ms,
		  (unsigned long long)seen_wrong(&seen), (unsigned long long)seen.check.events,
		  1e3 * layout_wrap_seconds(4e9, 27, 0) - 30);
}

CLAIM(20070312_3_jiffies) = {
	.text = "detecting a wrap each 3 jiffies of 10 ms is dangerous and may miss",
	.where = NOTE_2007,
	.how = "heartbeat_compact at 4 GHz on the virtual clock, beats and events 30 ms apart "
		"plus a delay that grows by 0.5 ms",
	.test = test,
};
