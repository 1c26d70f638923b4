// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	int with_flag = 1 << 4, with_event = (1 << 5) - 1;

	(void)lab;
	claim_say(result, claim_judge(with_event == 31 && with_flag == 16), "%d and %d",
		  with_event, with_flag);
}

CLAIM(20081009_31_events) = {
	.text = "the overflow as an event gives 31 ids instead of 16",
	.where = LTT_2008,
	.how = "arithmetic",
	.test = test,
};
