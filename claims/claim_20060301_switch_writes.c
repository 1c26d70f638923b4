// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct explored seen;

	if (lab_explore(lab, "synthetic_switch_writes", NULL, &seen, result))
		claim_say(result, claim_judge(!seen.objections[ORACLE_EXACT]),
			  "%" PRIu64 " of %" PRIu64 " schedules of two events and a beat give a wrong "
			  "time", seen.objections[ORACLE_EXACT], seen.schedules);
}

CLAIM(20060301_switch_writes) = {
	.text = "at a buffer switch, too, previous_tsc is read and then written",
	.where = NOTE_2006,
	.how = "with it, in the explorer (history synthetic_switch_writes)",
	.test = test,
};
