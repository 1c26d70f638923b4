// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct scene scene = { .row = "nested_stamps", .events = 4096 };
	struct seen added, compared;
	double switches;

	(void)lab;
	if (!lab_play(&scene, &added))
		return;
	scene.row = "nested_stamps_cmpxchg";
	if (!lab_play(&scene, &compared))
		return;
	switches = (double)added.check.subbufs;
	claim_say(result, claim_judge((double)added.cmpxchgs <= 2 * switches),
		  "%.4f per event, all of them among %.0f sub-buffer switches in 4096 events; %.4f in the "
		  "cmpxchg form", (double)added.cmpxchgs / 4096, switches,
		  (double)compared.cmpxchgs / 4096);
}

CLAIM(20200629_no_cmpxchg) = {
	.text = "the fast path avoids cmpxchg",
	.where = KERNEL_2020,
	.how = "cmpxchgs per event of nested_stamps and nested_stamps_cmpxchg on the virtual "
		"clock",
	.test = test,
};
