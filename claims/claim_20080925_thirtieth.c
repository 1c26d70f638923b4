// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	double seconds = layout_wrap_seconds(4e9, 27, 0);

	(void)lab;
	claim_say(result, claim_judge(fabs(30 * seconds - 1) < 0.05), "1/%.1f s", 1 / seconds);
}

CLAIM(20080925_thirtieth) = {
	.text = "27 bits at 4 GHz last about 1/30 of a second",
	.where = LKML_2008,
	.how = "arithmetic",
	.test = test,
};
