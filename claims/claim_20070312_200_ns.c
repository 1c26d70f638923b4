// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	double ns = lab_median(lab, "full_tsc", "ns");
	double ticks = lab_median(lab, "full_tsc", "ticks");

	if (ns > 0)
		claim_say(result, claim_judge(fabs(ns - 200) < 50), "%.1f ns, %.0f ticks, with an inlined "
			  "probe of 8 bytes on this machine", ns, ticks);
}

CLAIM(20070312_200_ns) = {
	.text = "two consecutive events are about 200 ns (800 cycles) apart, the time of "
		"logging one",
	.where = NOTE_2007,
	.how = "median of full_tsc in the steady cells of this run",
	.test = test,
};
