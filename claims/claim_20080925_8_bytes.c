// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "delta_sync_soft", .events = 1000 };
	struct seen calm, apart;
	double more;

	(void)lab;
	if (!lab_play(&scene, &calm))
		return;
	scene.gap = 1ull << 28;
	if (!lab_play(&scene, &apart) || !apart.check.extended)
		return;
	more = ((double)apart.check.header_bytes - (double)calm.check.header_bytes) /
	       (double)apart.check.extended;
	claim_say(result, claim_judge(fabs(more - 8) < 0.01), "%.2f bytes per gap, %llu gaps", more,
		  (unsigned long long)apart.check.extended);
}

CLAIM(20080925_8_bytes) = {
	.text = "a sync event adds 8 bytes",
	.where = LKML_2008,
	.how = "delta_sync_soft on the virtual clock: header bytes of 1,000 events after a gap "
		"and of 1,000 without",
	.test = test,
};
