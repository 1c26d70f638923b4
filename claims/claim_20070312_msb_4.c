// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	double seconds = layout_wrap_seconds(4e9, 28, 0);

	(void)lab;
	claim_say(result, claim_judge(fabs(seconds - 0.26) < 0.02), "%.3f s; it is 2 bits that leave %.2f",
		  seconds, layout_wrap_seconds(4e9, 30, 0));
}

CLAIM(20070312_msb_4) = {
	.text = "32 bits without 4 high ones wrap in 0.26 s at 4 GHz",
	.where = NOTE_2007,
	.how = "arithmetic",
	.test = test,
};
