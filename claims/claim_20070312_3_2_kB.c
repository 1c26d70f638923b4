// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "heartbeat", .events = 1, .gap = 100u * 100000,
			       .beat_every = 100000 };
	struct seen whole, compact;
	double bytes[2];

	(void)lab;
	if (!lab_play(&scene, &whole))
		return;
	scene.row = "heartbeat_compact";
	if (!lab_play(&scene, &compact) || !whole.beats || !compact.beats)
		return;
	/* 8 bytes of payload, as a timed event has. */
	bytes[0] = (double)whole.check.header_bytes / (double)whole.check.events + 8;
	bytes[1] = (double)compact.check.header_bytes / (double)compact.check.events + 8;
	claim_say(result, claim_judge(100 * bytes[0] <= 3200),
		  "%.1f kB/s with events of %.0f bytes here, %.1f kB/s with compact ones of %.0f; 3.2 with "
		  "32", bytes[0] / 10, bytes[0], bytes[1] / 10, bytes[1]);
}

CLAIM(20070312_3_2_kB) = {
	.text = "a heartbeat each timer tick at 100 Hz, 32 bytes an event, takes 3.2 kB/s",
	.where = NOTE_2007,
	.how = "bytes of beat events of heartbeat and heartbeat_compact in the ring, 100 of "
		"them on the virtual clock",
	.test = test,
};
