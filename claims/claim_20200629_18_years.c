// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct scene scene = { .row = "nested_stamps_absolute", .now = (1ull << 59) - 2000,
				     .events = 2000 };
	double years = 0x1p59 / 1e9 / (365.25 * 86400);
	struct seen seen;

	(void)lab;
	if (lab_play(&scene, &seen))
		claim_say(result, fabs(years - 18) > 0.5 ? CLAIM_REFUTED :
			  seen_wrong(&seen) ? CLAIM_HOLDS : CLAIM_CONDITION,
			  "%.2f years in ns, %.1f in ticks of 4 GHz; %llu of %llu stamps wrong across it where "
			  "the reader takes the rest from the page", years, years / 4,
			  (unsigned long long)seen_wrong(&seen), (unsigned long long)seen.check.events);
}

CLAIM(20200629_18_years) = {
	.text = "a 59-bit absolute time breaks on a machine that runs for more than 18 years",
	.where = KERNEL_2020,
	.how = "arithmetic, and nested_stamps_absolute on the virtual clock across 2^59",
	.test = test,
};
