// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	int highest = (1 << 4) - 1;

	(void)lab;
	claim_say(result, claim_judge(highest >= 16), "4 bits end at %d: #%d and #%d are meant", highest,
		  highest, highest - 1);
}

CLAIM(20081009_ids_16_15) = {
	.text = "of 4-bit event ids, #16 and #15 are reserved",
	.where = LTT_2008,
	.how = "arithmetic",
	.test = test,
};
