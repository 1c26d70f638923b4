// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	double six = layout_wrap_seconds(4e9, 26, 6), seven = layout_wrap_seconds(4e9, 25, 7);

	(void)lab;
	claim_say(result, claim_judge(fabs(six - 0.5) < 0.05 && fabs(seven - 0.5) < 0.05),
		  "%.3f s and %.3f s: what is cut below widens the field", six, seven);
}

CLAIM(20070312_half_second) = {
	.text = "26 and 25 bits, with 6 and 7 cut, wrap each 0.5 s at 4 GHz",
	.where = NOTE_2007,
	.how = "arithmetic",
	.test = test,
};
