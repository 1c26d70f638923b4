// SPDX-License-Identifier: MIT
#include "claims/claims.h"

static void test(const struct claims_lab *lab, struct claim_result *result)
{
	struct explored seen;

	if (lab_explore(lab, "split_last_32", NULL, &seen, result))
		claim_say(result, claim_judge(seen.objections[ORACLE_EXACT] > 0),
			  "64 bits in two halves: %" PRIu64 " of %" PRIu64 " schedules give a wrong time",
			  seen.objections[ORACLE_EXACT], seen.schedules);
}

CLAIM(20080925_atomic_32) = {
	.text = "without locks only what is read and written atomically is safe to keep, 32 bits on "
		"a 32-bit machine",
	.where = LKML_2008,
	.how = "a 64-bit last stamp stored in two halves, in the explorer (history split_last_32)",
	.test = test,
};
