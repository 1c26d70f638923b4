// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	double years = layout_wrap_seconds(4e9, 64, 0) / (365.25 * 86400);

	(void)lab;
	claim_say(result, claim_judge(fabs(years - 146.14) < 0.2), "%.2f years", years);
}

CLAIM(20070312_146_years) = {
	.text = "a 64-bit TSC wraps each 146.14 years at 4 GHz",
	.where = NOTE_2007,
	.how = "arithmetic",
	.test = test,
};
