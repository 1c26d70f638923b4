// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	double seconds = layout_wrap_seconds(4e9, 27, 5);

	(void)lab;
	claim_say(result, claim_judge(fabs(seconds - 1) < 0.1), "%.3f s", seconds);
}

CLAIM(20070312_wraps_each_second) = {
	.text = "27 bits without the 5 low ones wrap each second at 4 GHz",
	.where = NOTE_2007,
	.how = "arithmetic",
	.test = test,
};
