// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "delta_sync_soft", .events = 300 };
	double worst = 0, rate = 0, seconds, extra;
	struct seen seen;
	uint64_t us;

	(void)lab;
	for (us = 1000; us <= 1000000; us += us < 40000 ? 500 : 20000) {
		scene.gap = us * 4000;
		if (!lab_play(&scene, &seen))
			return;
		seconds = (double)us * 1e-6 * (double)scene.events;
		extra = (double)seen.check.header_bytes - 4.0 * (double)seen.check.events;
		if (extra / seconds > worst) {
			worst = extra / seconds;
			rate = 1e6 / (double)us;
		}
	}
	claim_say(result, claim_judge(worst > 0 && worst <= 240), "%.0f bytes per second at the worst "
		  "rate, %.1f events per second", worst, rate);
}

CLAIM(20080925_240_bytes) = {
	.text = "sync events add at most 8 * 30 = 240 bytes per second",
	.where = LKML_2008,
	.how = "delta_sync_soft with a clock of 4 GHz on the virtual clock, 1 to 10 million "
		"events per second: header bytes beyond 4 per event, in the worst case 34 ms "
		"apart",
	.test = test,
};
