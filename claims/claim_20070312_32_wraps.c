// SPDX-License-Identifier: MIT
#include <math.h>

#include "claims/claims.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	double wraps = layout_wraps_per_second(4e9, 27, 0);

	(void)lab;
	claim_say(result, claim_judge(fabs(wraps - 32) < 0.5), "%.1f per second, %.2f ms apart", wraps,
		  1e3 * layout_wrap_seconds(4e9, 27, 0));
}

CLAIM(20070312_32_wraps) = {
	.text = "27 bits wrap 32 times per second at 4 GHz",
	.where = NOTE_2007,
	.how = "arithmetic",
	.test = test,
};
