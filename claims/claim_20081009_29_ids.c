// SPDX-License-Identifier: MIT
#include "claims/claims.h"
#include "judge/driver.h"
#include "layout/layout_math.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	const struct driver *row = driver_find(drivers_counting, "extended_header");
	const struct driver *fourth = driver_find(drivers_counting, "three_read");
	int ids = (1 << layouts[0].id_bits) - (int)layouts[0].escapes;

	(void)lab;
	if (row && fourth)
		claim_say(result, claim_judge(ids == 29 && row->compact_ids == 29),
			  "%u in the code that writes extended_header's headers, %d by arithmetic; %u "
			  "in three_read's, whose stamp event is a fourth escape", row->compact_ids, ids,
			  fourth->compact_ids);
}

CLAIM(20081009_29_ids) = {
	.text = "5 bits with three escapes leave 29 ids",
	.where = LTT_2008,
	.how = "what the row's writer takes for a short id, and the layout",
	.test = test,
};
