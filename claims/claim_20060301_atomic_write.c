// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct explored seen;

	if (lab_explore(lab, "synthetic_separate_words", NULL, &seen, result))
		claim_say(result, claim_judge(seen.objections[ORACLE_EXACT] > 0),
			  "%" PRIu64 " of %" PRIu64 " schedules give a wrong time with upper bits and "
			  "counter in words of their own", seen.objections[ORACLE_EXACT], seen.schedules);
}

CLAIM(20060301_atomic_write) = {
	.text = "to increment the upper bits atomically is not enough: what is needed is one atomic "
		"write of both words",
	.where = NOTE_2006,
	.how = "with an atomic increment alone, in the explorer (history synthetic_separate_words)",
	.test = test,
};
