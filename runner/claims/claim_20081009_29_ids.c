// SPDX-License-Identifier: MIT
#include "claims.h"
#include "layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	int ids = (1 << layouts[0].id_bits) - (int)layouts[0].escapes;

	(void)lab;
	claim_say(result, claim_judge(ids == 29), "%d", ids);
}

CLAIM(20081009_29_ids) = {
	.text = "5 bits with three escapes leave 29 ids",
	.where = LTT_2008,
	.how = "the layout that the rows are built from",
	.test = test,
};
