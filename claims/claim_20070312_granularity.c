// SPDX-License-Identifier: MIT
#include "claims/claims.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct scene scene = { .row = "layout_5_27_cut5_ext", .step = 7, .gap = 13 };
	struct seen seen;

	(void)lab;
	if (lab_play(&scene, &seen))
		claim_say(result, claim_judge(!seen.check.worst_error &&
					      seen.check.desc->cut_bits == 5 &&
					      layout_granularity_ns(4e9, 5) == 8),
			  "%u bits cut and %llu ticks lost beyond them in %llu stamps; %.2f ns at 4 GHz",
			  seen.check.desc->cut_bits, (unsigned long long)seen.check.worst_error,
			  (unsigned long long)seen.check.events, layout_granularity_ns(4e9, 5));
}

CLAIM(20070312_granularity) = {
	.text = "cutting 5 low bits leaves a granularity of 32 cycles, 8 ns at 4 GHz",
	.where = NOTE_2007,
	.how = "layout_5_27_cut5_ext on the virtual clock: decoded stamps against those taken "
		"with the low bits cleared; and arithmetic",
	.test = test,
};
