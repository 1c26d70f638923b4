// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "heartbeat" };
	static const char *const rows[] = { "heartbeat", "delta_sync_soft", "heartbeat",
					    "extended_header_aligned" };
	double bytes[4];
	struct seen seen;
	unsigned int i;

	(void)lab;
	for (i = 0; i < 4; i++) {
		scene.row = rows[i];
		if (!lab_play(&scene, &seen))
			return;
		bytes[i] = (double)(seen.check.header_bytes + seen.check.alignment_bytes) /
			   (double)seen.check.events;
	}
	claim_say(result, bytes[0] - bytes[1] < 3.99 ? CLAIM_REFUTED :
		  bytes[2] - bytes[3] < 3.99 ? CLAIM_CONDITION : CLAIM_HOLDS,
		  "packed: %.1f of %.1f bytes saved; with payloads aligned to 8 bytes: %.1f of %.1f",
		  bytes[0] - bytes[1], bytes[0], bytes[2] - bytes[3], bytes[2]);
}

CLAIM(20080925_4_bytes_each) = {
	.text = "a 27-bit delta shaves 4 bytes for each event",
	.where = LKML_2008,
	.how = "header bytes and alignment on the virtual clock: heartbeat (32-bit stamp) "
		"against delta_sync_soft, and heartbeat, whose header of 8 is aligned, against "
		"extended_header with payloads aligned to 8 bytes",
	.test = test,
};
